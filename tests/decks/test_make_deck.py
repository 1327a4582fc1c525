"""The generator of cards and the deck that comes with the project."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from dixit_env import DixitError
from dixit_env.decks.maker import MissingSource, Sources, load_sources, render, sample_scene, source_folder
from dixit_env.decks.maker.light import Light, lit, matte, normals
from dixit_env.decks.maker.manner import MANNERS, borrow_colours, chroma
from dixit_env.decks.maker.moods import MOODS
from dixit_env.decks.maker.paint import CONTRAST, LUMA, Stage
from dixit_env.decks.maker.recipes import (
    Recipe,
    card_entry,
    choose_scenes,
    load_recipe,
    recipe_names,
    thumbnail,
    write_deck,
)
from dixit_env.decks.maker.render import compose
from dixit_env.decks.maker.sampling import suiting
from dixit_env.decks.maker.templates import PROPS, TEMPLATES
from dixit_env.decks.maker.things import data_rows, words
from dixit_env.languages import LANGUAGES
from dixit_env.models.sight import Sight

DREAMS = Path(__file__).parents[2] / "dixit_env" / "decks" / "dreams"
SMALL = (96, 144)
PACKAGES = source_folder()  # before the tests are given a cache of their own


@pytest.fixture(scope="session")
def sources() -> Sources:
    for module in ("cv2", "resvg_py"):
        pytest.importorskip(module, reason="needs the extra: pip install 'dixit-env[deck]'")
    try:
        return load_sources(PACKAGES)
    except MissingSource as missing:
        pytest.skip(str(missing))


def test_every_template_has_its_texts_in_four_languages() -> None:
    texts = words()["templates"]
    assert set(texts) == set(TEMPLATES)
    assert len(TEMPLATES) >= 84, "a deck has each template once"
    for name, text in texts.items():
        letters = "abcd"[: len(TEMPLATES[name].small)]
        assert len(text["titles"]) >= 2, name
        for phrases in (text["description"], *text["titles"]):
            assert set(phrases) == set(LANGUAGES), name
        for language in LANGUAGES:
            described = text["description"][language]
            assert "{main}" in described, f"{name}.{language} doesn't name the main thing"
            assert all(f"{{{letter}}}" in described for letter in letters), f"{name}.{language} leaves a thing out"


def test_the_catalogue_names_each_thing_once_in_every_language() -> None:
    rows = data_rows("things.tsv")
    assert 300 <= len(rows) <= 500
    for column in ("key", *LANGUAGES, "da_the"):
        names = [row[column] for row in rows]
        assert all(names)
        assert len(names) == len(set(names)), column


def test_only_landscapes_in_the_public_domain_are_used() -> None:
    under_licence = ("bwerner", "myrabella", "dmottl", "mfield", "lava5")  # and *-author, says the package's copyright
    names = [row["name"] for row in data_rows("landscapes.tsv")]
    assert len(names) >= 100
    assert not [name for name in names if "-" in name or name.startswith(under_licence)]


def test_painters_have_been_dead_since_before_1945() -> None:
    rows = data_rows("paintings.tsv")
    assert all(int(row["died"]) < 1945 for row in rows)
    assert set(MANNERS) <= {row["name"] for row in rows}


def test_same_seed_same_scene_and_same_pixels(sources: Sources) -> None:
    for seed in (3, 14):
        scene = sample_scene(sources, seed)
        assert scene == sample_scene(sources, seed)
        first, second = (np.asarray(render(sources, scene, SMALL)) for _ in range(2))
        assert (first == second).all()
    assert sample_scene(sources, 3) != sample_scene(sources, 14)


def test_other_sources_objects_give_the_same_pixels(sources: Sources) -> None:
    scene = sample_scene(sources, 5)
    assert (np.asarray(render(sources, scene, SMALL)) == np.asarray(render(load_sources(PACKAGES), scene, SMALL))).all()


class RecordingSources(Sources):
    """Sources that note which things were drawn."""

    drawn: set[str]

    def icon(self, key: str, size: int) -> Image.Image:
        self.drawn.add(key)
        return super().icon(key, size)


@pytest.fixture(scope="module")
def recording(sources: Sources) -> RecordingSources:
    recording = RecordingSources(sources.folder, sources.things, sources.landscapes, sources.icons)
    recording.drawn = set()
    return recording


@pytest.mark.parametrize("template", sorted(TEMPLATES))
def test_every_template_paints_what_the_scene_says(recording: RecordingSources, template: str) -> None:
    scene = sample_scene(recording, seed=1, template=template)
    recording.drawn.clear()
    picture = render(recording, scene, SMALL)
    said = {thing.key for thing in (scene.main, *scene.small)}
    assert said <= recording.drawn
    assert recording.drawn <= said | PROPS
    assert scene.template == template
    assert picture.mode == "RGB"
    assert picture.size == SMALL
    assert np.asarray(picture).std() > 20, "hardly anything to be seen"


def test_excluded_things_never_appear(sources: Sources) -> None:
    excluded = frozenset(sorted(sources.things)[::3]) - PROPS
    seen = set()
    for seed in range(300):
        scene = sample_scene(sources, seed, exclude=excluded)
        seen |= {thing.key for thing in (scene.main, *scene.small)}
    assert not seen & excluded
    assert len(seen) > 100
    with pytest.raises(DixitError, match="umbrella"):
        sample_scene(sources, 1, exclude=frozenset({"umbrella"}))


def looks_like_a_title(text: str) -> bool:
    return text[0].isupper() and not text.endswith((".", " ")) and "{" not in text and 1 <= len(text.split()) <= 9


def test_scenes_say_themselves_in_four_languages(sources: Sources) -> None:
    for seed in range(300):
        scene = sample_scene(sources, seed)
        for language in LANGUAGES:
            assert looks_like_a_title(scene.title(language)), scene.title(language)
            description = scene.description(language)
            assert description[0].isupper()
            assert "{" not in description
            for thing in (scene.main, *scene.small):
                assert thing.name[language].split(" ", 1)[1].lower() in description.lower()
            assert scene.landscape.place[language] in description
            assert scene.tags(language)


def test_portuguese_and_spanish_contract(sources: Sources) -> None:
    for seed in range(300):
        scene = sample_scene(sources, seed)
        portuguese = f" {scene.description('pt')} {scene.title('pt')} ".lower()
        assert not any(f" {wrong} " in portuguese for wrong in ("de o", "de a", "em o", "em a", "em um", "em uma"))
        spanish = f" {scene.description('es')} {scene.title('es')} ".lower()
        assert not any(f" {wrong} " in spanish for wrong in ("de el", "a el"))


@pytest.mark.parametrize("name", ["any", *recipe_names()])
def test_a_deck_of_84_repeats_no_template_no_main_thing_and_no_title(sources: Sources, name: str) -> None:
    recipe = load_recipe(name) if name in recipe_names() else Recipe(name, count=84, seed=6)
    scenes = list(choose_scenes(sources, recipe))
    assert len(scenes) == 84
    assert len({scene.template for scene in scenes}) == 84
    assert len({scene.main.key for scene in scenes}) == 84
    assert len({scene.title("en") for scene in scenes}) == 84
    assert {scene.mood for scene in scenes} <= set(recipe.moods or MOODS)
    assert not recipe.kinds or {scene.landscape.kind for scene in scenes} <= set(recipe.kinds)


def test_a_larger_deck_comes_back_to_templates_after_all_have_been_seen(sources: Sources) -> None:
    kinds = ("volcano", "moon")
    names = suiting(frozenset(), frozenset(kinds))
    scenes = list(choose_scenes(sources, Recipe("large", len(names) + 3, seed=8, kinds=kinds)))
    times = Counter(scene.template for scene in scenes)
    assert set(times) == set(names)
    assert max(times.values()) == 2


def test_the_same_recipe_chooses_the_same_cards_and_another_seed_others(sources: Sources) -> None:
    first, again, other = (list(choose_scenes(sources, Recipe("few", 6, seed))) for seed in (5, 5, 6))
    assert first == again
    assert not {scene.seed for scene in first} & {scene.seed for scene in other}


def test_cards_name_the_licence_of_every_source(sources: Sources) -> None:
    for seed in range(40):
        scene = sample_scene(sources, seed)
        entry = card_entry(scene, "001.webp")
        assert entry["licence"] == "Apache-2.0"
        things, landscapes, painting = entry["sources"]
        assert "Noto Emoji" in things
        assert "Apache-2.0" in things
        assert scene.landscape.key in landscapes
        assert scene.other.key in landscapes
        assert "(public domain)" in landscapes
        row = next(row for row in data_rows("paintings.tsv") if row["name"] == scene.style)
        assert row["painter"] in painting
        assert "(public domain)" in painting


def test_a_deck_is_written_resumed_and_never_mixed(sources: Sources, tmp_path: Path) -> None:
    recipe = Recipe("three", count=3, seed=9)
    paths = write_deck(sources, recipe, tmp_path)
    kept, again = paths[0].stat().st_mtime_ns, paths[1].read_bytes()
    paths[1].unlink()
    assert write_deck(sources, recipe, tmp_path) == paths
    assert paths[0].stat().st_mtime_ns == kept, "a finished card was painted again"
    assert paths[1].read_bytes() == again
    with pytest.raises(DixitError, match="another recipe"):
        write_deck(sources, Recipe("three", count=3, seed=10), tmp_path)


def test_recipes_that_come_with_the_project(sources: Sources) -> None:
    assert set(recipe_names()) == {"harvest", "nocturne", "tides"}
    with pytest.raises(DixitError, match="harvest, nocturne, tides"):
        load_recipe("no such")


def test_moods_and_kinds_are_drawn_within_what_suits_a_template(sources: Sources) -> None:
    moods, kinds = frozenset({"night", "noon"}), frozenset({"lake", "city"})
    names = suiting(moods, kinds)
    assert set(names) < set(suiting(frozenset(), frozenset())) == set(TEMPLATES)
    for seed in range(100):
        scene = sample_scene(sources, seed, moods=moods, kinds=kinds)
        template = TEMPLATES[scene.template]
        assert scene.mood in moods & (template.moods or moods)
        assert scene.landscape.kind in kinds & (template.kinds or kinds)
    left_out = (set(TEMPLATES) - set(names)).pop()
    with pytest.raises(DixitError, match=left_out):
        sample_scene(sources, 1, template=left_out, moods=moods, kinds=kinds)


# --- how it is painted ------------------------------------------------------------------------------------------


def ball(side: int = 81, colour: tuple[int, int, int] = (150, 150, 150)) -> Image.Image:
    """A flat disc."""
    rows, columns = np.indices((side, side)) - side // 2
    disc = Image.new("RGBA", (side, side), (*colour, 255))
    disc.putalpha(Image.fromarray(np.where(np.hypot(rows, columns) < side / 2 - 2, 255, 0).astype(np.uint8)))
    return disc


def brightness(picture: Image.Image) -> np.ndarray:
    return np.asarray(picture.convert("RGB"), dtype=np.float32) @ LUMA


@pytest.mark.parametrize("side", [-1, 1])
def test_a_thing_is_brighter_where_the_light_comes_from(side: int) -> None:
    white = (255, 255, 255)
    tones = brightness(lit(ball(), Light(side, white, white, white)))
    left, right, top, bottom = tones[40, 10], tones[40, 70], tones[10, 40], tones[70, 40]
    assert (right - left) * side > 20
    assert top > bottom + 10


def test_a_form_bulges_towards_the_viewer_and_falls_off_at_its_outline() -> None:
    across, down, near = np.moveaxis(normals(np.asarray(ball().getchannel("A"))), -1, 0)
    assert np.allclose(across**2 + down**2 + near**2, 1, atol=1e-4)
    assert near[40, 40] > 0.99
    assert across[40, 76] > 0.5
    assert across[40, 4] < -0.5
    assert down[76, 40] > 0.5


def test_glints_go_and_broad_light_surfaces_stay() -> None:
    surface = np.full((200, 200, 3), 100, dtype=np.float32)
    surface[50:54, 50:54] = 255
    surface[120:180, 120:180] = 240
    dull = matte(surface, 200).mean(-1)
    assert dull[51, 51] - dull[20, 20] < 90
    assert dull[150, 150] - dull[20, 20] > 90


@pytest.mark.parametrize("tone", [60, 128, 200])
def test_a_large_thing_is_told_from_what_is_around_it(sources: Sources, tone: int) -> None:
    stage = Stage(sources, sample_scene(sources, 1), (200, 300))
    stage.canvas = Image.new("RGB", (200, 300), (tone, tone, tone))
    before = ball(101, (tone, tone, tone))
    after = stage.apart(before, 50, 100)
    thing = brightness(after)[50, 50]
    ground = brightness(stage.canvas)[150, 44]
    assert abs(thing - ground) > CONTRAST * 0.5
    assert brightness(stage.canvas)[5, 5] == pytest.approx(tone, abs=1), "what is far away stays"


def test_colours_go_towards_the_painting_and_brightness_stays() -> None:
    gray = np.random.default_rng(1).uniform(90, 150, (60, 40, 1)).repeat(3, axis=2)
    blue, red = np.array([0, 10, 40]), np.array([60, 10, 0])
    picture, painting = (Image.fromarray((gray + colour).astype(np.uint8)) for colour in (blue, red))
    borrowed = borrow_colours(picture, painting, 0.5)
    goal = chroma(painting)[0]
    assert np.abs(chroma(borrowed)[0] - goal).sum() < np.abs(chroma(picture)[0] - goal).sum()
    assert np.abs(brightness(borrowed) - brightness(picture)).mean() < 8


def test_strokes_keep_what_the_composition_shows(sources: Sources) -> None:
    for seed in (2, 9):
        scene = sample_scene(sources, seed)
        composed = thumbnail(compose(sources, scene, (192, 288)).canvas).mean(-1)
        painted = thumbnail(render(sources, scene, (192, 288))).mean(-1)
        inside = (slice(2, -2), slice(2, -2))  # without the paper around it
        assert np.corrcoef(composed[inside].ravel(), painted[inside].ravel())[0, 1] > 0.95


# --- the embedded deck ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def dreams() -> dict[str, Any]:
    return json.loads((DREAMS / "cards.json").read_text(encoding="utf-8"))


def test_dreams_are_84_pictures_of_512_by_768_in_8_megabytes(dreams: dict[str, Any]) -> None:
    files = sorted(DREAMS.glob("*.webp"))
    assert [file.name for file in files] == [f"{number:03}.webp" for number in range(1, 85)]
    assert [card["file"] for card in dreams["cards"]] == [file.name for file in files]
    assert sum(file.stat().st_size for file in files) <= 8_000_000
    for file in files:
        with Image.open(file) as picture:
            assert picture.size == (512, 768)


def test_dreams_have_titles_captions_tags_and_licences(dreams: dict[str, Any]) -> None:
    assert dreams["licence"]
    assert dreams["sources"]
    for card in dreams["cards"]:
        assert card["licence"] == "Apache-2.0"
        assert any("Noto" in source for source in card["sources"])
        for language in LANGUAGES:
            assert looks_like_a_title(card["title"][language])
            assert len(card["captions"][language].split()) >= 8
            assert card["tags"][language]
    titles = [card["title"]["en"] for card in dreams["cards"]]
    assert len(set(titles)) == 84


def test_no_two_dreams_look_alike() -> None:
    thumbnails = []
    for file in sorted(DREAMS.glob("*.webp")):
        with Image.open(file) as picture:
            thumbnails.append(thumbnail(picture.convert("RGB")))
    for number, first in enumerate(thumbnails):
        for second in thumbnails[:number]:
            assert np.sqrt(np.mean((first - second) ** 2)) > 15


def test_no_two_dreams_mean_nearly_the_same(sight: Sight) -> None:
    nearness = sight.cards @ sight.cards.T
    assert np.triu(nearness, 1).max() < 0.9
