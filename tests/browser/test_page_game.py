"""Whole games against bots, with the pointer, on a laptop and on a phone."""

import re
from collections.abc import Callable

import pytest
from player import Player

Visit = Callable[..., Player]
NewTable = Callable[..., str]


@pytest.mark.parametrize(("size", "seats", "scheme"), [("desktop", 6, "dark"), ("phone", 3, "light")])
def test_a_whole_game_is_played(
    visit: Visit, new_table: NewTable, axe: Callable[[Player], list[str]], size: str, seats: int, scheme: str
) -> None:
    ana = visit(new_table(seats=seats), size, color_scheme=scheme)
    ana.sit()
    ana.start()
    played = set()
    while (scene := ana.scene()) != "over":
        played.add(scene)
        getattr(ana, scene)()
    assert played == {"clue", "cards", "votes", "reveal"}

    scores = ana.scores()
    assert max(scores) >= 30
    winners = ana.texts(".place-1 .podium-name")
    names = ana.texts(".seat-name bdi")
    assert sorted(winners) == sorted(name for name, score in zip(names, scores, strict=True) if score == max(scores))
    assert axe(ana) == []

    ana.page.get_by_role("button", name="Settings").click()
    ana.leave("over")
    assert ana.scene() == "lobby"


def test_a_game_on_a_phone_with_twelve_seats_fits_its_cards(visit: Visit, new_table: NewTable) -> None:
    ana = visit(new_table(seats=12), "phone")
    ana.sit()
    ana.start()
    ana.play_until("votes")
    assert len(ana.pictures()) == 12
    assert fits(ana)
    boxes = ana.page.eval_on_selector_all(".face", "all => all.map((e) => e.getBoundingClientRect().width)")
    assert min(boxes) >= 44
    ana.play_until("reveal")
    assert fits(ana)


@pytest.mark.parametrize(
    ("size", "seats"),
    [
        ("phone", 12),
        pytest.param("phone", 8, marks=pytest.mark.slow),
        pytest.param("tall phone", 12, marks=pytest.mark.slow),
    ],
)
def test_many_votes_stay_on_their_cards_and_the_cards_can_be_seen(
    visit: Visit, new_table: NewTable, size: str, seats: int
) -> None:
    ana = visit(new_table(seats=seats, bots="sheep"), size)
    ana.sit()
    ana.start()
    ana.play_until("reveal")
    counted = ana.page.locator(".vote-count")
    assert counted.count() == 1, "where nearly all vote for one card, they are counted"
    assert int(counted.inner_text()) > 9
    for ended in (False, True):
        if ended:  # it may have come there by itself
            ana.page.evaluate("document.querySelector('.deed .quiet:not(.enlarge-all)')?.click()")
            ana.page.wait_for_selector(".points")
        ana.until("document.getAnimations().every((one) => one.playState !== 'running')")
        assert ana.page.evaluate(STRAYS) == []
        widths = ana.page.eval_on_selector_all(".card", "all => all.map((card) => card.offsetWidth)")
        assert min(widths) >= 44


STRAYS = """() => [...document.querySelectorAll('.stage .vote')].filter((vote) => {
  const [card, { left, right, top, bottom }] = [vote.closest('.card'), vote.getBoundingClientRect()];
  const own = card.getBoundingClientRect();
  return left < own.left || right > own.right || top < own.top || bottom > own.bottom
    || [...card.querySelectorAll('.vote')].some((other) => {
      const box = other.getBoundingClientRect();
      return other !== vote && box.left < right && left < box.right && box.top < bottom && top < box.bottom;
    });
}).map((vote) => vote.outerHTML)"""


def fits(player: Player) -> bool:
    """Nothing sticks out of the screen, and every card is whole within the stage."""
    return bool(
        player.page.evaluate(
            """() => {
              const stage = document.querySelector('.stage').getBoundingClientRect();
              const inside = (box) => box.left >= stage.left - 4 && box.right <= stage.right + 4
                && box.top >= stage.top - 6 && box.bottom <= stage.bottom + 4;
              const page = document.documentElement;
              return page.scrollWidth <= innerWidth && page.scrollHeight <= innerHeight
                && [...document.querySelectorAll('.card')].every((card) => inside(card.getBoundingClientRect()));
            }"""
        )
    )


def test_with_three_players_two_cards_are_given(visit: Visit, new_table: NewTable) -> None:
    ana = visit(new_table(seats=3))
    ana.sit()
    ana.start()
    ana.play_until("cards")
    give = ana.page.locator(".deed .button")
    assert len(ana.pictures()) == 7
    ana.page.click(".card:nth-child(1) .face")
    assert give.get_attribute("aria-disabled") == "true"
    give.click(force=True)  # it says what is missing instead of doing nothing
    ana.page.wait_for_selector("#alert:has-text('Choose two cards first')")
    ana.page.click(".card:nth-child(2) .face")
    ana.page.click(".card:nth-child(3) .face")  # a third card takes the place of the first
    chosen = ana.page.locator(".card.chosen")
    assert chosen.count() == 2
    give.click()
    ana.leave("cards")
    ana.play_until("votes")
    assert ana.page.locator(".card.dim").count() == 2  # both own cards, no vote on either
    assert len(ana.pictures()) == 5


def test_the_vote(visit: Visit, new_table: NewTable) -> None:
    ana = visit(new_table(seats=6))
    ana.sit()
    ana.start()
    ana.play_until("votes")
    assert ana.texts(".number") == ["1", "2", "3", "4", "5", "6"]
    assert ana.texts(".card.dim .ribbon") == ["Yours"]
    dials = ana.page.locator(".deed .dial")
    votable = ana.page.locator(".face[aria-pressed]")
    assert votable.count() == 5
    first, second = (int(votable.nth(index).locator(".number").inner_text()) for index in (0, 3))

    votable.nth(0).click()
    votable.nth(0).click()
    assert dials.all_inner_texts() == [str(first), str(first)]  # two taps stack
    dials.nth(1).click()
    assert dials.all_inner_texts() == [str(first), "?"]  # a dial can be taken back
    votable.nth(3).click()
    assert dials.all_inner_texts() == [str(first), str(second)]  # and two taps spread
    ana.page.click(".card.dim .face")  # the own card only enlarges
    ana.page.wait_for_selector(".zoom")
    ana.page.keyboard.press("Escape")
    before = ana.pictures()
    ana.page.click(".deed .button")
    ana.leave("votes")
    assert ana.scene() == "reveal"
    assert ana.pictures() == before  # the same cards in the same slots
    assert ana.page.locator(f".card:nth-child({first}) .vote").count() >= 1


def test_scores_wait_for_the_end_of_the_reveal(visit: Visit, new_table: NewTable) -> None:
    ana = visit(new_table(seats=4))
    ana.sit()
    ana.start()
    ana.play_until("reveal")
    assert ana.scores() == [0, 0, 0, 0]
    ana.page.get_by_role("button", name="Next").click()
    assert ana.page.locator(".lifted").count() == 1
    ana.page.get_by_role("button", name="Skip").click()
    said = ana.text(".sentence").replace("\n", " ")
    assert re.search("got some of the votes, but not all|All votes went to|Nobody voted for", said), said
    gained = {
        name: int(points)
        for name, points in ana.page.eval_on_selector_all(
            ".points li",
            "all => all.map((e) => [e.querySelector('bdi').innerText, e.querySelector('.points-sum').firstChild.data])",
        )
    }
    assert ana.scores() == [0, 0, 0, 0]
    ana.page.click(".deed .button")
    ana.leave("reveal")
    names = ana.texts(".seat-name bdi")
    assert dict(zip(names, ana.scores(), strict=True)) == gained
    ana.page.click("[aria-label='Past turns']")
    assert ana.page.locator(".past .result-row li").count() == 4
    assert ana.page.locator(".past .points li").count() == 4


def test_the_clue_field_is_empty_next_time_and_takes_one_character(visit: Visit, new_table: NewTable) -> None:
    ana = visit(new_table(seats=3))
    ana.sit()
    ana.start()
    for clue in ("雨", "?"):
        ana.play_until("clue")
        assert ana.page.input_value("input[name=clue]") == ""
        ana.page.click(".card:nth-child(1) .face")
        ana.page.fill("input[name=clue]", clue)
        assert ana.text(".counter") == "1 of 300"
        ana.page.click(".deed button[type=submit]")
        ana.page.wait_for_selector(f".clue:has-text('{clue}')")
        ana.leave("clue")


def test_pictures_that_load_late_move_nothing(visit: Visit, new_table: NewTable) -> None:
    ana = visit(new_table(seats=6), "phone")
    ana.sit()
    held = []
    ana.page.route("**/cards/**", lambda route: held.append(route))
    ana.start()
    ana.page.wait_for_selector(".stage .card img", state="attached")
    measure = """() => [...document.querySelectorAll('.stage .card, .deed, .saying')]
      .map((e) => JSON.stringify(e.getBoundingClientRect()))"""
    ana.page.wait_for_timeout(300)
    scene = ana.page.evaluate("document.querySelector('.sentence').innerText")
    before = ana.page.evaluate(measure)
    while held:
        held.pop().continue_()
    ana.page.unroute("**/cards/**")
    ana.until(
        "[...document.querySelectorAll('.stage .card img')].every((image) => image.complete && image.naturalWidth)"
    )
    if ana.page.evaluate("document.querySelector('.sentence').innerText") == scene:
        assert ana.page.evaluate(measure) == before
