"""The rules of an edition in words, made from its `Rules`: the one source of every place that explains the game.

The page's rules sheet, the prompts of language models and the tables of the documentation are made here, so they can't
contradict the engine or each other. The sentences are in `rules_text.json`, in four languages; this module chooses the
ones that hold, fills in the numbers, and says where a rulebook states each of them.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from dixit_env.errors import RulesError
from dixit_env.game.rules import DIXIT, EDITIONS, ODYSSEY, Rules, TableRules
from dixit_env.game.scoring import score, vote_fault
from dixit_env.languages import LANGUAGES

_ODYSSEY_LINES: dict[str, tuple[str, str, str, str]] = {
    "tell": ("52", "57", "50", "49"),
    "give": ("52", "57", "50", "49"),
    "give_three": ("155", "144", "148", "166"),
    "vote_two": ("58–63", "63–66", "56–61", "56–61"),
    "own": ("65", "68", "63", "63"),
    "some": ("79–83", "78–84", "73–79", "77–83"),
    "all_dials": ("71–75", "72–76", "", "69–73"),
    "all_voters": ("", "", "67–71", ""),
    "none": ("88–92", "86–90", "81–85", "87–91"),
    "decoy": ("96", "92", "87", "95–97"),
    "decoy_three": ("156", "145", "", ""),
    "decoy_once": ("", "", "149", "168–170"),
    "refill": ("102–104", "98–100", "93–95", "103–105"),
    "reshuffle_pile_and_discard": ("102", "98", "93", "103"),
    "end": ("106", "102", "97–99", "107"),
    "advice": ("117–119", "106–108", "110–112", "118–120"),
    "example": ("137–147", "", "", "142–158"),
}
"""Lines of the four Odyssey rulebooks, in the order of `LANGUAGES`; "" where the book reads the rule another way."""

_DIXIT_LINES = {
    "tell": "59",
    "give": "59",
    "give_three": "138",
    "vote_one": "65",
    "own": "65",
    "some": "78–82",
    "all_dials": "71–74",
    "none": "71–74",
    "decoy": "86",
    "decoy_once": "140",
    "refill": "90–94",
    "reshuffle_discard": "92",
    "end": "96",
    "advice": "100–102",
    "example": "122–130",
}
"""Lines of the Portuguese rulebook of Dixit (2021)."""


EXAMPLE_PLAYERS = 6
EXAMPLE_VOTES: tuple[tuple[tuple[int, ...], ...], ...] = (
    ((), (0, 3), (0, 1), (0, 0), (3, 5), (1, 1)),  # Odyssey en l. 137 to 147
    ((), (0, 3), (0, 1), (0, 1), (3, 5), (1, 2)),  # where two dials show two cards
    ((), (3,), (0,), (0,), (3,), (1,)),  # Dixit pt l. 122 to 130
)
"""Slots that the dials show, by seat; slot n holds the card of seat n, and seat 0 is the storyteller. The first that
the rules allow is shown."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A rule in words."""

    text: str
    source: str = ""  # rulebook and line, such as "Dixit Odyssey, English rulebook, l. 65"; "" where none can be cited


@dataclass(frozen=True, slots=True)
class Section:
    """Rules that belong together. The cases are the outcomes in the section on points, the players in the example."""

    title: str
    sentences: tuple[Sentence, ...] = ()
    cases: tuple["Section", ...] = ()
    source: str = ""  # of the whole case


def rules_sections(rules: Rules, players: int, language: str = "en") -> tuple[Section, ...]:
    """The rules of an edition at a table of that size, with advice for the storyteller and a worked example.

    Raises `RulesError` when the edition isn't for that many players or there are no texts in that language.
    """
    words = _Words(rules, rules.seated(players), language)
    return (*_sections(words), _advice(words), *_example(words, rules))


def rules_prose(table: TableRules, language: str = "en") -> str:
    """The rules at a table as plain text, a line for each, for prompts and terminals.

    Raises `RulesError` when there are no texts in that language.
    """
    lines = []
    for section in _sections(_Words(None, table, language)):
        lines += ["", f"{section.title}:"]
        lines += [f"- {sentence.text}" for sentence in section.sentences]
        lines += [f"- {case.title}: {'; '.join(rule.text for rule in case.sentences)}." for case in section.cases]
    return "\n".join(lines[1:])


def _sections(words: "_Words") -> tuple[Section, ...]:
    table, line = words.table, words.line
    vote = _vote_key(table)
    return (
        Section(
            words.text("riddle"),
            (line("tell", table.hand), line("give", table.gives, cite="give_three" if table.players == 3 else "give")),
        ),
        Section(words.text("solve"), (line(vote), line("own", table.gives))),
        Section(words.text("score"), cases=tuple(_cases(words))),
        Section(
            words.text("turn_end"),
            (
                line("refill", table.hand),
                line(f"reshuffle_{table.reshuffle.replace(' ', '_')}"),
                line("end_rounds", table.rounds) if table.rounds else line("end", table.target),
            ),
        ),
    )


def editions_table() -> str:
    """The editions side by side, as a Markdown table."""
    rows = [
        ("", [f"`{rules.name}`" for rules in EDITIONS.values()]),
        ("---", ["---"] * len(EDITIONS)),
        ("players", [f"{rules.min_players}–{rules.max_players}" for rules in EDITIONS.values()]),
        ("cards in hand (three players)", [f"{r.hand} ({r.three_player_hand})" for r in EDITIONS.values()]),
        (
            "cards each other player gives (three players)",
            [f"{r.gives} ({r.three_player_gives})" for r in EDITIONS.values()],
        ),
        ("votes of each voter", [_votes(rules) for rules in EDITIONS.values()]),
        ("all found", [f"the others +{rules.all_points}" for rules in EDITIONS.values()]),
        ("… which means", [_all_means(rules) for rules in EDITIONS.values()]),
        ("none found", [f"the others +{rules.none_points}" for rules in EDITIONS.values()]),
        ("some found", [_some(rules) for rules in EDITIONS.values()]),
        ("each vote on a decoy", [_decoy(rules) for rules in EDITIONS.values()]),
        ("end", [_end(rules) for rules in EDITIONS.values()]),
        ("pile too small for all", [_RESHUFFLE[rules.reshuffle] for rules in EDITIONS.values()]),
    ]
    return "\n".join(f"| {' | '.join([name, *cells])} |" for name, cells in rows)


class _Words:
    """The texts of a language, and the lines to cite for an edition."""

    def __init__(self, rules: Rules | None, table: TableRules, language: str) -> None:
        if language not in LANGUAGES:
            raise RulesError(f"there are no rules in {language!r}: choose from {', '.join(LANGUAGES)}")
        self.rules, self.table, self.language = rules, table, language
        self.texts = _texts()[language]

    def text(self, key: str, n: int | str | None = None) -> str:
        """The text of a key; `one form|many forms` is chosen by `n`."""
        one, _, many = self.texts[key].partition("|")
        return (many if many and n != 1 else one).replace("{n}", str(n))

    def line(self, key: str, n: int | None = None, cite: str = "") -> Sentence:
        return Sentence(self.text(key, n), self.source(cite or key))

    def source(self, key: str) -> str:
        """Where a rulebook states it; "" without an edition, or for one with no rulebook to cite."""
        if self.rules is None:
            return ""
        rules = replace(self.rules, rounds=0)  # which only the sentence on the end tells of, and no book
        if rules == DIXIT and key in _DIXIT_LINES:
            return f"Dixit, {self.text('book_pt', _DIXIT_LINES[key])}"
        usual = replace(rules, all_means=ODYSSEY.all_means, three_player_bonus=ODYSSEY.three_player_bonus)
        if usual == ODYSSEY and key in _ODYSSEY_LINES:
            cited = dict(zip(LANGUAGES, _ODYSSEY_LINES[key], strict=True))
            book = next(book for book in (self.language, *LANGUAGES) if cited[book])
            return f"Dixit Odyssey, {self.text(f'book_{book}', cited[book])}"
        return ""


@cache
def _texts() -> dict[str, dict[str, str]]:
    texts: dict[str, dict[str, str]] = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
    return texts


def _vote_key(table: TableRules) -> str:
    if table.dials_most == 1:
        return "vote_one"
    if table.dials_least == 1:
        return "vote_optional"
    return "vote_two" if table.may_stack else "vote_spread"


def _cases(words: _Words) -> Iterator[Section]:
    """The outcomes of a turn and their points."""
    table, text = words.table, words.text

    def case(key: str, *sentences: str) -> Section:
        return Section(text(key), tuple(map(Sentence, sentences)), source=words.source(key))

    single = "single_when_all" if table.single_bonus_when_all else "single"
    bonus = [text(single, table.single_dial_bonus)] if table.single_dial_bonus else []
    finders = text("per_dial" if table.dials_most > 1 else "finder", table.dial_points)
    yield case("some", text("teller", table.storyteller_points), finders, *bonus)
    yield case(f"all_{table.all_means}", text("teller", 0), text("others", table.all_points))
    yield case("none", text("teller", 0), text("others", table.none_points))
    cap = [text("cap", table.decoy_cap)] if table.decoy_cap is not None else []
    decoy = "decoy_once" if table.decoy_once else "decoy_three" if table.gives > 1 else "decoy"
    always = (text(decoy, table.decoy_points), *cap)
    yield Section(text("always"), tuple(map(Sentence, always)), source=words.source(decoy) or words.source("decoy"))


def _advice(words: _Words) -> Section:
    keys = ("advice_form", "advice_middle", "advice_ease")
    return Section(
        words.text("advice"), tuple(Sentence(words.text(key)) for key in keys), source=words.source("advice")
    )


def _example(words: _Words, rules: Rules) -> Iterator[Section]:
    """The turn of six players that the rulebooks print, scored by these rules; nothing where six can't play."""
    if not rules.min_players <= EXAMPLE_PLAYERS <= rules.max_players:
        return
    table = rules.seated(EXAMPLE_PLAYERS)
    votes = next(votes for votes in EXAMPLE_VOTES if not any(_faults(table, votes)))
    points, text = score(table, 0, range(len(votes)), votes), words.text
    names = text("example_players").split(", ")
    cases = []
    for seat, slots in enumerate(votes):
        voted = [f"{names[slot]}{' ×2' if slots.count(slot) > 1 else ''}" for slot in dict.fromkeys(slots)]
        did = text("example_vote" if len(voted) == 1 else "example_votes", ", ".join(voted))
        lines = [did if slots else text("example_teller")]
        lines += [text("example_found", points.clue[seat])] if slots and points.clue[seat] else []
        lines += [text("example_lured", points.decoy[seat])] if points.decoy[seat] else []
        cases.append(Section(f"{names[seat]}: {points.points[seat]}", tuple(map(Sentence, lines))))
    yield Section(text("example"), (), tuple(cases), words.source("example"))


def _faults(table: TableRules, votes: tuple[tuple[int, ...], ...]) -> Iterator[str]:
    return (vote_fault(table, slots, (seat,)) for seat, slots in enumerate(votes) if slots)


def _votes(rules: Rules) -> str:
    if rules.dials == 1:
        return "one"
    if rules.dials_optional:
        return f"one; from {rules.single_dial_below} players one or two on different cards"
    return "two: stacked or spread" if rules.may_stack else "two on different cards"


def _all_means(rules: Rules) -> str:
    return "every voter has a vote on the card" if rules.all_means == "voters" else "every vote is on the card"


def _some(rules: Rules) -> str:
    each = "each finder" if rules.dials == 1 or rules.dials_optional else "for each vote on the card"
    points = f"storyteller +{rules.storyteller_points}, {each} +{rules.dial_points}"
    if not rules.single_dial_bonus:
        return points
    return f"{points}; +{rules.single_dial_bonus} for finding it with one vote where two are allowed"


def _decoy(rules: Rules) -> str:
    once = "; once with three players" if rules.three_player_bonus == "once" else ""
    cap = f", at most {rules.decoy_cap}" if rules.decoy_cap is not None else ""
    return f"+{rules.decoy_points}{cap}{once}"


def _end(rules: Rules) -> str:
    return f"{rules.target} points{' or the last card drawn' if rules.reshuffle == 'never' else ''}"


_RESHUFFLE = {
    "pile and discard": "shuffled with the discard",
    "discard": "the discard is shuffled and laid under it",
    "never": "the game ends",
}
