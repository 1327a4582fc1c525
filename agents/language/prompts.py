"""What a language model reads and may answer, made from a view; and its reply, read back as a move.

The texts are `VERSION.toml` beside this file. Cards are numbered from 1, in the order of the hand or of the table. The
answer is a JSON object whose choice is one of the labels of the legal moves ("3", or "2 and 5"), which keeps the schema
within what every provider enforces.
"""

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import Template
from typing import Any
from unicodedata import category

from dixit_env.decks.deck import Card, Deck
from dixit_env.errors import DeckError, DixitError, SpecError
from dixit_env.game.engine import Phase
from dixit_env.game.moves import CastVotes, GiveClue, Move, clue_fault, numbers_in
from dixit_env.game.rules import TableRules
from dixit_env.game.rules_text import rules_prose
from dixit_env.game.view import View

PROMPTS = Path(__file__).parent
MAX_THOUGHT = 300  # characters of a model's reasoning that are kept
MAX_REPLY = 1000  # characters of a reply that are kept as it came
REMEMBERED = 12  # earlier clues shown
FIELDS = {Phase.CLUE: "card", Phase.CARDS: "cards", Phase.VOTES: "votes"}  # of the answer, by phase


class FailedReply(DixitError):
    """A language model gave no usable answer; the table plays a legal move in its place.

    `why` holds what was asked and answered, as JSON values.
    """

    def __init__(self, message: str, why: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.why = dict(why or {})


@dataclass(frozen=True, slots=True)
class Prompt:
    """One question to a model."""

    system: str
    parts: tuple[str | Path, ...]  # texts and pictures, in reading order
    field: str  # the field of the answer that holds the choice
    moves: Mapping[str, Move]  # the legal choices; a clue's text is still to be filled in
    schema: Mapping[str, Any]  # JSON schema of the answer
    example: str  # an answer in the right form, as JSON
    taken: frozenset[str]  # clues of the examples; a model that gives one of them has copied it
    again: Template  # what to say to a reply that is none: $fault, $example


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's answer, validated."""

    move: Move
    thought: str


@cache
def texts(version: str) -> dict[str, Any]:
    """The texts of a version; raises `SpecError` that lists the versions there are."""
    path = PROMPTS / f"{version}.toml"
    versions = sorted(file.stem for file in PROMPTS.glob("*.toml"))
    if version not in versions:
        raise SpecError(f"no prompts are called {version!r}: choose one of {', '.join(versions)}")
    return tomllib.loads(path.read_text(encoding="utf-8"))


def render(view: View, deck: Deck, *, version: str, lang: str, vision: bool, think: bool) -> Prompt:
    """The question to the seat of a view.

    Args:
        view: of the seat that decides.
        deck: whose captions (or pictures, with `vision`) stand for the cards.
        version: of the prompts.
        lang: the language of the clue.
        vision: send pictures; else captions.
        think: ask for a sentence of reasoning before the choice.
    """
    words = texts(version)
    phrases: dict[str, str] = words["phrases"]
    phase, rules = view.phase, view.rules
    shown = view.slots if phase is Phase.VOTES else view.hand
    moves = {_label(move, shown): move for move in view.moves}
    field = FIELDS[phase]
    properties: dict[str, Any] = {field: {"type": "string", "enum": list(moves)}}
    if phase is Phase.CLUE:
        properties["clue"] = {"type": "string"}
    if think:
        properties = {"thought": {"type": "string"}, **properties}
    examples = _examples(words, phase, list(moves), lang, think)
    earlier = ", ".join(_quoted(turn.clue) for turn in view.history[-REMEMBERED:])
    text = Template(words[phase.value]).safe_substitute(
        clue=_quoted(view.clue),
        scores=_scores(view),
        earlier=Template(phrases["earlier"]).substitute(clues=earlier) if earlier else "",
        language=words["languages"][lang],
        gives=phrases[f"gives_{rules.gives}"],
        dials=phrases[_dials(view)],
        example=examples[0][1],
        examples="\n".join(f"{picture}: {answer}" for picture, answer in examples),
    )
    before, _, after = text.strip().partition("$cards")
    own = phrases["own"]
    cards = [
        (f"Card {number}{own if slot in view.own_slots and phase is Phase.VOTES else ''}", deck.cards[card])
        for slot, (number, card) in enumerate(enumerate(shown, 1))
    ]
    listed = _pictures(cards) if vision else ["\n".join(f"{name}: {caption(card)}" for name, card in cards)]
    return Prompt(
        system=_system(words, rules),
        parts=_joined([before, *listed, after]),
        field=field,
        moves=moves,
        schema={
            "type": "object",
            "properties": properties,
            "required": list(properties),
            "additionalProperties": False,
        },
        example=examples[0][1],
        taken=frozenset(example[lang].casefold() for example in words["examples"]),
        again=Template(words["again"]),
    )


def read_reply(text: str, prompt: Prompt) -> Reply:
    """The move of a reply; raises `FailedReply` that says what is wrong, in our words alone."""
    wanted = [prompt.field, "clue"] if "clue" in prompt.schema["required"] else [prompt.field]
    answer = answer_in(text, wanted)
    choice = answer[prompt.field]
    move = prompt.moves.get(str(choice) if type(choice) is int else choice)
    if move is None:
        raise FailedReply(f"{prompt.field} is none of {', '.join(prompt.moves)}")
    if isinstance(move, GiveClue):
        clue = clean(str(answer["clue"]))
        if fault := clue_fault(clue):
            raise FailedReply(fault)
        if clue.casefold().strip(" .!") in prompt.taken:
            raise FailedReply("the clue is an example of the prompt's")
        move = GiveClue(move.card, clue)
    return Reply(move, clean(str(answer.get("thought", "")))[:MAX_THOUGHT])


def answer_in(text: str, wanted: Sequence[str]) -> dict[str, Any]:
    """The last JSON object in a text that has these fields, whatever stands around it; raises `FailedReply`."""
    decoder = json.JSONDecoder()
    objects: list[dict[str, Any]] = []
    start = text.find("{")
    while start >= 0:
        try:
            value, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            end = start + 1
        else:
            if isinstance(value, dict):
                objects.append(value)
        start = text.find("{", end)
    if not objects:
        raise FailedReply("it holds no JSON object")
    answers = [value for value in objects if all(name in value for name in wanted)]
    if not answers:
        raise FailedReply(f"it is not an object with {' and '.join(wanted)}")
    answer = answers[-1]
    if not all(isinstance(answer[name], str | int) and not isinstance(answer[name], bool) for name in wanted):
        raise FailedReply(f"{' and '.join(wanted)} must be texts")
    return answer


def kept(text: str) -> str:
    """A reply as records keep it: on one line, and not endless."""
    return clean(text)[:MAX_REPLY]


def clean(text: str) -> str:
    """A model's text on one line, without control, format and unassigned characters (emoji joiners stay)."""
    kept = "".join(" " if category(sign) in ("Cc", "Zl", "Zp") else sign for sign in text)
    return " ".join("".join(sign for sign in kept if category(sign)[0] != "C" or sign == "\u200d").split())


def caption(card: Card) -> str:
    """What a text-only model is told of a card, in English where the deck has it; "" when the deck says nothing."""
    for words in (card.captions, card.title, {lang: ", ".join(tags) for lang, tags in card.tags.items()}):
        if words:
            return words.get("en") or next(iter(words.values()))
    return ""


def check_deck(deck: Deck, vision: bool) -> None:
    """Raises `DeckError` when a card can't be shown in that way."""
    if vision and (mute := [card.name for card in deck.cards if card.path is None]):
        raise DeckError(f"{mute[0]} and {len(mute) - 1} more have no picture to send: use a deck with pictures")
    if not vision and (mute := [card.name for card in deck.cards if not caption(card)]):
        raise DeckError(
            f"{mute[0]} and {len(mute) - 1} more have no caption for a text-only model: add captions to the deck's"
            " cards.json, or say vision=on for a model that sees"
        )


def _system(words: Mapping[str, Any], rules: TableRules) -> str:
    """What the game is, with the rules at this table."""
    return Template(words["system"]).substitute(players=rules.players, rules=rules_prose(rules)).strip()


def _examples(
    words: Mapping[str, Any], phase: Phase, labels: Sequence[str], lang: str, think: bool
) -> list[tuple[str, str]]:
    """Examples: description of a picture, and the answer as JSON. For cards and votes there is one, with picture ""."""
    if phase is not Phase.CLUE:
        thought = {"thought": words["phrases"][f"thought_{phase}"]} if think else {}
        return [("", json.dumps({**thought, FIELDS[phase]: labels[len(labels) // 2]}))]
    answers = []
    for number, example in enumerate(words["examples"]):
        thought = {"thought": example["thought"]} if think else {}
        answer = {**thought, "card": labels[(5 * number + 3) % len(labels)], "clue": example[lang]}
        answers.append((example["picture"], json.dumps(answer, ensure_ascii=False)))
    return answers


def _label(move: Move, shown: Sequence[int]) -> str:
    places = [number if isinstance(move, CastVotes) else shown.index(number) for number in numbers_in(move)]
    return " and ".join(str(place + 1) for place in places)


def _dials(view: View) -> str:
    rules = view.rules
    if rules.dials_most == 1:
        return "dials_1"
    number = "2" if rules.dials_least == 2 else "1_or_2"
    return f"dials_{number}_{'stack' if rules.may_stack else 'apart'}"


def _scores(view: View) -> str:
    return ", ".join(
        f"{'you' if seat == view.seat else f'player {seat + 1}'}: {points}" for seat, points in enumerate(view.scores)
    )


def _quoted(text: str) -> str:
    """Somebody's words as a JSON string: nothing in them can close the quotation."""
    return json.dumps(text, ensure_ascii=False)


def _pictures(cards: Sequence[tuple[str, Card]]) -> list[str | Path]:
    pieces: list[str | Path] = []
    for name, card in cards:
        if card.path is None:
            raise DeckError(f"{card.name} has no picture to send")
        pieces += [f"\n{name}:", card.path]
    return pieces


def _joined(pieces: Sequence[str | Path]) -> tuple[str | Path, ...]:
    """Neighbouring texts as one."""
    parts: list[str | Path] = []
    for piece in pieces:
        if isinstance(piece, str) and parts and isinstance(parts[-1], str):
            parts[-1] += piece
        else:
            parts.append(piece)
    return tuple(parts)
