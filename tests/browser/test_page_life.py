"""What makes the page lively: motion, sounds, signs that it is one's move, faces, and a reveal that teaches."""

import re
from collections.abc import Callable
from typing import Any

from player import Player

Visit = Callable[..., Player]
NewTable = Callable[..., str]

RECORDER = """
  window.happened = { contexts: 0, sounds: 0, vibrations: 0, notices: [], motions: [] };
  window.away = false;  // is another tab in front?
  Object.defineProperty(document, 'visibilityState', { get: () => (window.away ? 'hidden' : 'visible') });
  window.AudioContext = class extends AudioContext {
    constructor() { super(); window.happened.contexts += 1; }
    createGain() { window.happened.sounds += 1; return super.createGain(); }
  };
  navigator.vibrate = () => (window.happened.vibrations += 1);
  window.Notification = class extends Notification {
    constructor(title, options) { super(title, options); window.happened.notices.push([title, options.body]); }
  };
  addEventListener('animationstart', (event) => window.happened.motions.push(event.animationName), true);
"""
"""Counts what the browser is asked to do, before it does it."""


def recorded(visit: Visit, path: str, **options: Any) -> Player:
    """A page at a table that records what it asks the browser for."""
    player = visit("/", **options)
    player.page.add_init_script(RECORDER)
    player.page.goto(player.page.url.rstrip("/") + path)
    player.page.wait_for_selector("#page main")
    return player


def happened(player: Player, what: str) -> Any:
    return player.page.evaluate("(what) => window.happened[what]", what)


def seen(player: Player, motion: str) -> None:
    """Waits until a motion has begun."""
    player.page.wait_for_function("(name) => window.happened.motions.includes(name)", arg=motion)


def test_a_turn_can_be_heard_felt_and_seen(visit: Visit, new_table: NewTable) -> None:
    ana = recorded(visit, new_table(seats=4), permissions=["notifications"])
    assert happened(ana, "contexts") == 0
    ana.sit()
    assert happened(ana, "contexts") == 1, "sounds wait for the first click"
    ana.start()
    menu = ana.page.locator(".bar [aria-label='Menu']")
    menu.click()
    ana.page.get_by_role("button", name="Notify me when it is my move").click()
    ana.page.get_by_role("button", name="Stop notifying me").wait_for()
    ana.page.keyboard.press("Escape")
    ana.page.evaluate("window.away = true")
    ana.play_until("votes", clue="snow")
    assert re.fullmatch("• Your move", ana.page.title())
    assert happened(ana, "vibrations") >= 1
    assert happened(ana, "sounds") >= 2
    title, body = happened(ana, "notices")[-1]
    assert title == "Your move"
    assert body.startswith("Vote: which card is “")
    seen(ana, "turn-up")  # cards turn up one after the other, and a vote may come before
    ana.votes()
    assert ana.scene() == "reveal"
    assert ana.page.title() != "• Your move"
    for motion in ("deal", "pop", "land"):
        seen(ana, motion)

    menu.click()
    ana.page.get_by_label("Quiet sounds").uncheck()
    ana.page.get_by_role("button", name="Stop notifying me").click()
    ana.page.keyboard.press("Escape")
    sounds, notices = happened(ana, "sounds"), len(happened(ana, "notices"))
    ana.reveal()
    ana.play_until("votes")
    assert (happened(ana, "sounds"), len(happened(ana, "notices"))) == (sounds, notices)
    ana.page.reload()
    menu.click()
    assert not ana.page.get_by_label("Quiet sounds").is_checked(), "what was switched off stays so"


def test_without_motion_nothing_moves_and_without_leave_nothing_is_told(visit: Visit, new_table: NewTable) -> None:
    ana = recorded(visit, new_table(seats=3), reduced_motion="reduce")
    ana.sit()
    ana.start()
    ana.page.evaluate("window.away = true")
    ana.play_until("votes")
    ana.votes()
    ana.reveal()
    assert happened(ana, "motions") == []
    assert happened(ana, "notices") == []


def test_faces_and_watchers_are_seen(visit: Visit, new_table: NewTable) -> None:
    path = new_table(seats=4)
    ana = visit(path, "phone")
    ana.sit()
    watcher = visit(f"{path}/watch")
    ana.start()
    ana.page.wait_for_selector(".watchers[title='1 person is watching']")

    ana.play_until("clue")
    watcher.page.wait_for_selector(".back.awaited:has-text('Ana, is deciding')")
    ana.clue()
    watcher.page.wait_for_selector(".stage-backs .back:not(.awaited), .stage-slots, .reveal")
    assert watcher.page.locator(".faces-button").count() == 0

    faces = ana.page.get_by_role("group", name="Show a face")
    ana.page.get_by_role("button", name="Show a face").click()
    ana.page.keyboard.press("Escape")
    assert faces.count() == 0
    ana.page.get_by_role("button", name="Show a face").click()
    faces.get_by_role("button", name="laughs").click()
    assert faces.count() == 0
    watcher.page.wait_for_selector(".seat:has-text('Ana') .reaction:has-text('laughs')")


def test_the_reveal_teaches(visit: Visit, new_table: NewTable) -> None:
    ana = visit(new_table(seats=5, explain=False))
    ana.sit()
    ana.start()
    for _ in range(2):
        ana.play_until("reveal")
        ana.page.evaluate("document.querySelector('.deed .quiet:not(.enlarge-all)')?.click()")  # skip the rest
        ana.page.wait_for_selector(".points")
        ana.until("document.getAnimations().every((one) => one.playState !== 'running')")
        widths = ana.page.eval_on_selector_all(".reveal-cards .card", "all => all.map((card) => card.offsetWidth)")
        large = ana.page.evaluate("document.querySelector('.card.lifted').offsetWidth")
        assert large == max(widths) > 1.8 * min(widths)
        own = ana.page.locator(".points li").first
        assert "me" in str(own.get_attribute("class")).split()
        lessons = own.locator(".lesson").all_inner_texts()
        gained = sum(int(points) for lesson in lessons for points in re.findall(r"\+(\d+)", lesson))
        assert gained == int(own.locator(".points-sum").evaluate("(sum) => sum.firstChild.data"))
        teller = ana.page.locator(".seat.me .mark.tells").count()
        assert len(lessons) == (1 if teller else 2)
        beliefs = ana.page.locator(".belief")
        assert not beliefs.first.is_visible()
        ana.page.click(".thoughts summary")
        assert beliefs.count() == (4 if teller else 3), "every bot that voted"
        assert re.match(r"Card \d: 20 %", str(beliefs.first.get_attribute("aria-label")))
        ana.reveal()
