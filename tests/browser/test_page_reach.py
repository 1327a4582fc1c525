"""The page for everybody: by keyboard alone, without motion, for screen readers, enlarged, in every language."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from player import Keys, Player

from dixit_env.languages import LANGUAGES

Visit = Callable[..., Player]
NewTable = Callable[..., str]
Axe = Callable[[Player], list[str]]

WEB = Path(__file__).parents[2] / "dixit_env" / "web"


def test_a_whole_game_by_keyboard(visit: Visit) -> None:
    player = visit("/")
    keys = Keys(player)
    keys.tab_to("select[name=seats]")
    player.page.keyboard.type("3")
    keys.press("form .button")
    player.page.wait_for_url("**/t/*")
    keys.tab_to("input[name=name]")
    player.page.keyboard.type("Ana")
    player.page.keyboard.press("Enter")
    player.page.wait_for_selector(".start")
    keys.press(".start")
    player.page.wait_for_selector(".table")
    while (scene := player.scene()) != "over":
        if scene == "clue":
            keys.press(".face", "Space")
            keys.tab_to("input[name=clue]")
            player.page.keyboard.type("a door")
            player.page.keyboard.press("Enter")
        elif scene == "cards":
            keys.press(".face", "Space")
            player.page.keyboard.press("ArrowRight")
            player.page.keyboard.press("Space")
            keys.press(".deed .button")
        elif scene == "votes":
            keys.tab_to(".face")
            while player.page.evaluate("document.activeElement.getAttribute('aria-pressed')") is None:
                player.page.keyboard.press("ArrowRight")  # past the own cards
            player.page.keyboard.press("Space")
            player.page.keyboard.press("Space")
            keys.press(".deed .button")
        else:
            keys.press(".deed .button")
            while (
                player.page.locator(".reveal").count() and player.page.locator(".deed .button", has_text="Next").count()
            ):
                player.page.keyboard.press("Enter")
            keys.press(".deed .button")
        player.leave(scene)


def test_the_focus_is_never_lost(visit: Visit, new_table: NewTable) -> None:
    ana = visit(new_table(seats=3))
    ana.sit()
    ana.start()
    ana.play_until("cards")
    Keys(ana).press(".face", "Space")
    ana.page.keyboard.press("ArrowRight")
    ana.page.keyboard.press("Space")
    Keys(ana).press(".deed .button")
    ana.leave("cards")
    assert ana.page.evaluate("document.activeElement !== document.body")


def test_without_motion_the_reveal_stands_still(visit: Visit, new_table: NewTable) -> None:
    ana = visit(new_table(seats=4), "phone", reduced_motion="reduce")
    ana.sit()
    ana.start()
    ana.play_until("reveal")
    assert ana.page.locator(".points li").count() == 4  # everything at once
    assert ana.page.evaluate("document.getAnimations().length") == 0
    ana.page.click(".deed .button")
    ana.leave("reveal")
    assert ana.page.evaluate("document.getAnimations().length") == 0


def test_cards_are_enlarged_by_button_key_and_long_press_and_chosen_there(visit: Visit, new_table: NewTable) -> None:
    ana = visit(new_table(seats=6), "phone")
    ana.sit()
    ana.start()
    ana.play_until("cards")
    page = ana.page
    zoom = page.locator(".zoom")
    box = page.locator(".card:nth-child(2) .face").bounding_box()
    page.mouse.move(box["x"] + 30, box["y"] + 90)
    page.mouse.down()
    page.wait_for_selector(".zoom")
    page.mouse.up()
    assert "Card 2 · Item 2 of 6" in ana.text(".zoom-place")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector(".zoom-place:has-text('Item 3 of 6')")
    page.get_by_role("button", name="Next card").click()
    page.wait_for_selector(".zoom-place:has-text('Item 4 of 6')")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "Next card"  # the focus stays
    page.keyboard.press("Escape")
    assert page.locator(".zoom").count() == 0
    assert page.locator(".card.chosen").count() == 0

    page.keyboard.press("Tab")
    Keys(ana).tab_to(".face")
    page.keyboard.press("1")
    page.keyboard.press("z")
    page.wait_for_selector(".zoom-place:has-text('Item 1 of 6')")
    page.keyboard.press("z")

    page.click(".card:nth-child(5) .enlarge")
    zoom.get_by_role("button", name="Choose this card").click()
    zoom.get_by_role("button", name="Give this card").click()
    page.wait_for_selector(".zoom", state="detached")
    ana.leave("cards")

    ana.play_until("votes")
    page.click(".deed .enlarge-all")
    while zoom.get_by_role("button", name="Your own card: no vote").count():
        page.keyboard.press("ArrowRight")
    zoom.get_by_role("button", name=re.compile("Turn a dial to")).dblclick()
    zoom.get_by_role("button", name="Vote", exact=True).click()
    ana.leave("votes")
    assert ana.scene() == "reveal"


@pytest.mark.parametrize(("size", "scheme"), [("phone", "light"), ("desktop", "dark")])
def test_axe_finds_nothing_on_any_screen(visit: Visit, new_table: NewTable, axe: Axe, size: str, scheme: str) -> None:
    faults = {}
    home = visit("/", size, color_scheme=scheme)
    home.page.wait_for_selector("select")
    faults["home"] = axe(home)
    ana = visit(new_table(seats=4), size, color_scheme=scheme)
    faults["lobby as a guest"] = axe(ana)
    ana.sit()
    faults["lobby as host"] = axe(ana)
    ana.start()
    watcher = visit(ana.page.evaluate("location.pathname"), size, color_scheme=scheme)
    for scene in ("clue", "cards", "votes", "reveal"):
        ana.play_until(scene)
        faults[scene] = axe(ana)
        if scene != "reveal":
            ana.page.click(".deed .enlarge-all")
            faults[f"zoom at {scene}"] = axe(ana)
            ana.page.keyboard.press("Escape")
        if scene == "votes":
            ana.votes()
    faults["watching"] = axe(watcher)
    ana.page.get_by_role("button", name="Skip").click()
    faults["points"] = axe(ana)
    ana.page.click(".deed .button")
    for name in ("Past turns", "Rules", "Menu"):
        ana.page.click(f".bar [aria-label='{name}']")
        faults[name] = axe(ana)
        ana.page.keyboard.press("Escape")
    assert {screen: found for screen, found in faults.items() if found} == {}


def test_announcements_and_names(visit: Visit, new_table: NewTable) -> None:
    ana = visit(new_table(seats=4))
    ana.sit()
    ana.start()
    ana.play_until("votes")
    page = ana.page
    assert page.locator(".sentence[role=status]").count() == 1
    labels = page.locator(".face .spoken").all_inner_texts()
    assert [label.split(",")[0] for label in labels] == ["Card 1", "Card 2", "Card 3", "Card 4"]
    assert sum("no vote" in label for label in labels) == 1
    assert all(image == "" for image in page.eval_on_selector_all(".stage img", "all => all.map((e) => e.alt)"))
    seats = page.locator(".seat").all_text_contents()
    assert "Ana" in seats[0]
    assert "Moon" in seats[0]
    assert sum("storyteller" in seat for seat in seats) == 1
    assert "Scoring track to 30" in page.locator(".track svg").get_attribute("aria-label")


SPREAD = """() => {
  const fields = 'input:not([type=checkbox], [type=radio], [readonly]), select';
  const shown = [...document.querySelectorAll(`button, a, ${fields}, summary, .tick, .radio`)]
    .filter((e) => e.getClientRects().length && !e.closest('.skip') && !e.classList.contains('skip'));
  const beyond = (box) => box.right > innerWidth + 1 || box.bottom > innerHeight + 1;
  const scrolls = '.sheet, .front, .reveal-points';  // what lies in these is reached by scrolling them
  const name = (e) => `${e.className} ${e.innerText}`.slice(0, 60);
  return {
    wide: document.documentElement.scrollWidth > innerWidth,
    spilled: shown.filter((e) => e.scrollWidth > e.clientWidth + 1).map(name),
    small: shown.filter((e) => Math.min(e.offsetWidth, e.offsetHeight) < 44).map(name),
    outside: shown.filter((e) => !e.closest(scrolls) && beyond(e.getBoundingClientRect())).map(name),
  };
}"""
NOTHING = {"wide": False, "spilled": [], "small": [], "outside": []}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_screen_in_every_language_on_a_narrow_phone(visit: Visit, new_table: NewTable, language: str) -> None:
    found = {}
    home = visit("/", "narrow phone", locale=language)
    home.page.wait_for_selector("select")
    assert home.page.get_attribute("html", "lang") == language
    found["home"] = home.page.evaluate(SPREAD)
    ana = visit(new_table(seats=3), "narrow phone", locale=language)
    found["guest"] = ana.page.evaluate(SPREAD)
    ana.sit()
    found["host"] = ana.page.evaluate(SPREAD)
    ana.start()
    for scene in ("clue", "cards", "votes", "reveal"):
        ana.play_until(scene)
        found[scene] = ana.page.evaluate(SPREAD)
        if scene != "reveal":
            ana.page.click(".deed .enlarge-all")
            found[f"zoom {scene}"] = ana.page.evaluate(SPREAD)
            ana.page.keyboard.press("Escape")
        else:
            ana.page.locator(".deed .quiet").last.click()
            found["points"] = ana.page.evaluate(SPREAD)
    for index in range(3):
        ana.page.locator(".bar .round").nth(index).click()
        ana.page.wait_for_selector("dialog[open]")  # the rules come from the server
        found[f"sheet {index}"] = ana.page.evaluate(SPREAD)
        ana.page.keyboard.press("Escape")
        ana.page.locator("dialog[open]").wait_for(state="detached")
    assert {screen: faults for screen, faults in found.items() if faults != NOTHING} == {}


def test_the_language_can_be_changed_and_is_kept(visit: Visit) -> None:
    player = visit("/", locale="fr")
    assert player.page.get_attribute("html", "lang") == "en"
    player.page.select_option("select[name=language]", "da")
    player.page.wait_for_selector("h1:has-text('Drømme')")
    player.page.reload()
    player.page.wait_for_selector("h1:has-text('Drømme')")


def test_a_table_begins_with_clues_in_the_language_of_the_page(visit: Visit) -> None:
    player = visit("/", locale="pt-BR")
    chosen = "document.querySelector('select[name=lang]').value"
    player.until(f"{chosen} === 'pt'")
    player.page.select_option("select[name=language]", "da")
    player.until(f"{chosen} === 'da'")
    player.page.select_option("select[name=lang]", "es")
    player.page.select_option("select[name=language]", "en")
    player.page.wait_for_selector("h2:has-text('A new table')")
    player.page.click("form .button")
    player.page.wait_for_selector(".facts:has-text('Español')")
    assert player.page.locator(".people .bot .bot-face").count() == 6


def locale(language: str) -> dict[str, str]:
    texts: dict[str, str] = json.loads((WEB / "locales" / f"{language}.json").read_text(encoding="utf-8"))
    return texts


@pytest.mark.parametrize("language", LANGUAGES)
def test_locales_have_the_same_keys_and_places(language: str) -> None:
    english, other = locale("en"), locale(language)
    assert list(other) == list(english)
    for key, text in english.items():
        for form in other[key].split("|"):
            assert set(re.findall(r"\{\w+\}", form)) <= set(re.findall(r"\{\w+\}", text)), key
        assert set(re.findall(r"\{\w+\}", other[key])) == set(re.findall(r"\{\w+\}", text)), key


def test_every_text_of_the_page_is_in_the_locales_and_none_is_left_over() -> None:
    source = "\n".join(file.read_text(encoding="utf-8") for file in (WEB / "static").rglob("*.js"))
    quoted = set(re.findall(r"[\"'`]([a-zA-Z]+(?:\.[a-zA-Z]+)*)[\"'`]", source))
    stems = {stem for stem in re.findall(r"`([a-z.]+)\$\{", source) if len(stem) > 2}
    texts = set(locale("en"))
    called = set(re.findall(r"\btn?\(\s*\"([^\"]+)\"", source))
    assert called <= texts
    assert {key for key in texts - quoted if not any(key.startswith(stem) for stem in stems)} == set()
