"""A person at the terminal: sees the view, chooses by number, is asked again after bad input."""

import sys

from rich.columns import Columns
from rich.console import Console, Group
from rich.text import Text

from dixit_env.agents.base import Player
from dixit_env.decks.deck import Deck
from dixit_env.game.moves import CastVotes, GiveClue, Move, PlayCards, clue_fault
from dixit_env.game.view import View
from dixit_env.table.play import Decision

PICTURE_WIDTH = 22  # columns


class HumanAgent(Player):
    """Reads decisions from the terminal. Cards and slots are numbered from 1, as people count.

    The end of the input (Ctrl-D) ends the game like Ctrl-C.
    """

    name = "human"

    def __init__(self, deck: Deck, console: Console | None = None) -> None:
        self.deck = deck
        self.console = Console() if console is None else console

    def clue(self, view: View) -> Decision:
        """Ask for a card and a clue."""
        self._head(view, "You are the storyteller.")
        card = self._choose(view.hand, "Your card", 1)[0]
        while fault := clue_fault(text := self._ask("Your clue").strip()):
            self.console.print(f"[red]{fault}[/]")
        return Decision(GiveClue(card, text))

    def cards(self, view: View) -> Decision:
        """Ask for the card(s) to give."""
        self._head(view, f"Seat {view.storyteller + 1} says:", view.clue)
        gives = view.rules.gives
        chosen = self._choose(view.hand, "The card that fits" if gives == 1 else f"The {gives} cards that fit", gives)
        return Decision(PlayCards(chosen))

    def votes(self, view: View) -> Decision:
        """Ask for the slots that the dials show."""
        self._head(view, "Which card is the storyteller's?", view.clue)
        self._show(view.slots, view.own_slots)
        rules = view.rules
        least, most = rules.dials_least, rules.dials_most
        count = str(most) if least == most else f"{least} or {most}"
        hint = "; the same slot twice stacks" if most > 1 and rules.may_stack else ""
        while True:
            numbers = self._numbers(f"Your vote ({count} slot number(s){hint})", len(view.slots))
            if numbers is None:
                continue
            move: Move = CastVotes(tuple(sorted(number - 1 for number in numbers)))
            if move in view.moves:
                return Decision(move)
            apart = "" if rules.may_stack or most == 1 else ", on different cards"
            self.console.print(f"[red]Not possible: use {count} dial(s){apart}, and none on your own card.[/]")

    def _choose(self, cards: tuple[int, ...], question: str, count: int) -> tuple[int, ...]:
        self._show(cards, ())
        while True:
            numbers = self._numbers(f"{question} (1-{len(cards)})", len(cards))
            if numbers is not None and len(set(numbers)) == len(numbers) == count:
                return tuple(cards[number - 1] for number in numbers)
            if numbers is not None:
                self.console.print(f"[red]Choose {count} different card(s).[/]")

    def _numbers(self, question: str, largest: int) -> list[int] | None:
        """Whole numbers from 1 to `largest`, or None after bad input."""
        words = self._ask(question).replace(",", " ").split()
        if words and all(word.isdecimal() and 1 <= int(word) <= largest for word in words):
            return [int(word) for word in words]
        self.console.print(f"[red]Type numbers from 1 to {largest}.[/]")
        return None

    def _ask(self, question: str) -> str:
        try:
            return self.console.input(f"[bold]{question}:[/] ")
        except EOFError as error:
            raise KeyboardInterrupt from error

    def _head(self, view: View, line: str, clue: str = "") -> None:
        scores = "  ".join(f"{seat + 1}: {points}" for seat, points in enumerate(view.scores))
        self.console.rule(f"Turn {view.turn} · you are seat {self.seat + 1} · points {scores}")
        self.console.print(Text(line), Text(f" “{clue}”" if clue else "", style="bold"))

    def _show(self, cards: tuple[int, ...], own: tuple[int, ...]) -> None:
        """Pictures in the terminal where it is one, file paths everywhere."""
        panels = []
        for number, card in enumerate(cards):
            known = self.deck.cards[card]
            mine = " (yours)" if number in own else ""
            label = Text(f"{number + 1}{mine} {known.path or known.name}", overflow="fold")
            if sys.stdout.isatty() and known.path is not None:
                from textual_image.renderable import Image

                panels.append(Group(Image(known.path, width=PICTURE_WIDTH), label))
            else:
                panels.append(Group(label))
        if sys.stdout.isatty():
            self.console.print(Columns(panels, width=PICTURE_WIDTH + 2))
        else:
            self.console.print(*panels, sep="\n")
