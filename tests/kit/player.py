"""A person at the page: sees which scene is on the stage, and plays it with the pointer."""

import json
import time
import urllib.request
from collections.abc import Callable
from typing import Any

PATIENCE = 40  # seconds

SCENE = """() => {
  const has = (selector) => document.querySelector(selector) !== null;
  if (has('.reveal')) return 'reveal';
  if (has('.end')) return 'over';
  if (has('input[name=clue]')) return 'clue';
  if (has('.deed .dials')) return 'votes';
  if (has('.stage-hand .face[aria-pressed]')) return 'cards';
  if (has('.start, .join')) return 'lobby';
  return '';
}"""


def open_table(server: str, **settings: object) -> str:
    """Open a table over HTTP; its path."""
    body = json.dumps({"bots": "random", "limit": None, "explain": True, **settings}).encode()
    request = urllib.request.Request(f"{server}/api/tables", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        return f"/t/{json.load(answer)['table']}"


class Player:
    """One page and the person before it."""

    def __init__(self, page: Any, new_page: Callable[[Any, str], "Player"]) -> None:
        self.page = page
        self._new_page = new_page

    def another_tab(self) -> "Player":
        """The same person at the same place in another tab."""
        return self._new_page(self.page.context, self.page.evaluate("location.pathname"))

    def sit(self, name: str = "Ana") -> None:
        """Take a seat in the lobby."""
        self.page.fill("input[name=name]", name)
        self.page.click(".join button")
        self.page.wait_for_selector(".people bdi")
        self.page.wait_for_selector(".join .quiet")

    def start(self) -> None:
        """Start the game, as its host."""
        self.page.click(".start")
        self.page.wait_for_selector(".table")

    def until(self, expression: str) -> None:
        """Wait until an expression holds. (Playwright's own wait needs an `eval` that the page's policy forbids.)"""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if self.page.evaluate(expression):
                return
            self.page.wait_for_timeout(20)
        raise AssertionError(f"waited in vain for {expression}")

    def scene(self) -> str:
        """What the page asks for now, as soon as it asks for anything."""
        self.until(f"({SCENE})() !== ''")
        return str(self.page.evaluate(SCENE))

    def play_until(self, wanted: str, clue: str = "a quiet door") -> None:
        """Play on until `wanted` is on the stage."""
        for _ in range(400):
            scene = self.scene()
            if scene == wanted:
                return
            getattr(self, scene)(**({"clue": clue} if scene == "clue" else {}))
        raise AssertionError(f"the game never came to {wanted}")

    def play_until_both(self, other: "Player", wanted: str) -> None:
        """Two people play on until `wanted` is on both their stages."""
        for _ in range(400):
            scenes = [str(person.page.evaluate(SCENE)) for person in (self, other)]
            if scenes == [wanted, wanted]:
                return
            tells = any(person.page.locator(".seat.me .mark.tells").count() for person in (self, other))
            for person, scene in zip((self, other), scenes, strict=True):
                if scene and (scene != wanted or tells):
                    getattr(person, scene)()
            self.page.wait_for_timeout(50)
        raise AssertionError(f"the game never came to {wanted}")

    # One scene each, from its beginning to its end.

    def clue(self, clue: str = "a quiet door") -> None:
        self.page.click(".card:nth-child(2) .face")
        self.page.fill("input[name=clue]", clue)
        self.page.click(".deed button[type=submit]")
        self.leave("clue")

    def cards(self) -> None:
        for number in range(1, 1 + self.needed_cards()):
            self.page.click(f".card:nth-child({number}) .face")
        self.page.click(".deed .button")
        self.leave("cards")

    def votes(self) -> None:
        votable = self.page.locator(".face[aria-pressed]")
        votable.nth(0).click()
        votable.nth(1).click()
        self.page.click(".deed .button")
        self.leave("votes")

    def reveal(self) -> None:
        self.page.evaluate("document.querySelector('.deed .quiet:not(.enlarge-all)')?.click()")  # it may be over by now
        self.page.click(".deed .button")
        self.leave("reveal")

    def leave(self, scene: str) -> None:
        """Wait until a scene that was played is gone."""
        self.until(f"({SCENE})() !== '{scene}'")

    def needed_cards(self) -> int:
        return 2 if "2" in self.text(".sentence") else 1

    def text(self, selector: str) -> str:
        return str(self.page.inner_text(selector))

    def texts(self, selector: str) -> list[str]:
        return list(self.page.locator(selector).all_inner_texts())

    def pictures(self) -> list[str]:
        """The pictures on the stage, in order."""
        return list(self.page.eval_on_selector_all(".stage .cards img", "images => images.map((image) => image.src)"))

    def scores(self) -> list[int]:
        return [
            int(text)
            for text in self.page.eval_on_selector_all(".seat-score", "all => all.map((e) => e.firstChild.data)")
        ]


class Keys:
    """Somebody who has a keyboard only."""

    def __init__(self, player: Player) -> None:
        self.page = player.page

    def tab_to(self, selector: str) -> None:
        """Press the tabulator key until the focus is on `selector`."""
        for _ in range(60):
            if self.page.evaluate("(selector) => document.activeElement.matches(selector)", selector):
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"{selector} is not reached by the tabulator key")

    def press(self, selector: str, key: str = "Enter") -> None:
        self.tab_to(selector)
        self.page.keyboard.press(key)
