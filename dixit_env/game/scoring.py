"""The points of one turn, as a pure function of who owned what and who voted for what.

Each step names its rule; `dixit_env.game.rules` says which rulebooks the short names stand for.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from operator import add

from dixit_env.errors import RulesError
from dixit_env.game.moves import shown, whole_number
from dixit_env.game.rules import TableRules


class Outcome(StrEnum):
    """How many found the storyteller's card."""

    ALL = "all"
    SOME = "some"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class TurnScore:
    """The points of a turn, apart by their reason."""

    outcome: Outcome
    clue: tuple[int, ...]  # (players,) for the outcome: the storyteller's, the finders', everybody's
    decoy: tuple[int, ...]  # (players,) for dials on own cards

    @property
    def points(self) -> tuple[int, ...]:
        """The sum, by seat."""
        return tuple(map(add, self.clue, self.decoy))


def score(rules: TableRules, storyteller: int, owners: Sequence[int], votes: Sequence[Sequence[int]]) -> TurnScore:
    """Score a turn, after checking that it is one that the rules allow.

    Args:
        rules: the rules at this table.
        storyteller: seat of the storyteller.
        owners: seat that owns each slot, (slots,).
        votes: slots that each seat's dials show, (players,); `()` for the storyteller.

    Raises:
        RulesError: for seats or slots that don't exist, other numbers of cards or dials than the rules say, votes of
            the storyteller or on an own card, and two dials on one slot where the rules forbid it.
    """
    seats = range(rules.players)
    teller = whole_number(storyteller)
    if teller is None or teller not in seats:
        raise RulesError(f"the storyteller is a seat from 0 to {rules.players - 1}, not {shown(storyteller)}")
    held = _numbers(owners, "owners")
    expected = {seat: 1 if seat == teller else rules.gives for seat in seats}
    if len(held) != rules.slots or any(held.count(seat) != cards for seat, cards in expected.items()):
        raise RulesError(
            f"owners are the seats of {rules.slots} slots, 1 of the storyteller's and {rules.gives} of every other"
            f" seat, not {shown(owners)}"
        )
    if not isinstance(votes, Sequence) or len(votes) != rules.players:
        raise RulesError(f"votes are one tuple of slots for each of {rules.players} seats, not {shown(votes)}")
    cast = [_numbers(dials, f"the votes of seat {seat}") for seat, dials in enumerate(votes)]
    for seat, dials in enumerate(cast):
        if fault := _ballot_fault(rules, seat, seat == teller, held, dials):
            raise RulesError(f"seat {seat} can't vote {dials}: {fault}")
    return score_checked(rules, teller, held, cast)


def score_checked(
    rules: TableRules, storyteller: int, owners: Sequence[int], votes: Sequence[tuple[int, ...]]
) -> TurnScore:
    """`score` for a turn that is known to be legal, as the engine's own are."""
    players = rules.players
    target = owners.index(storyteller)
    received = [0] * players  # dials on each seat's cards
    found = [0] * players  # each voter's dials on the storyteller's card
    missed = False  # did anybody fail, in the sense of `all_means`?
    for seat, slots in enumerate(votes):
        for slot in slots:
            received[owners[slot]] += 1
            if slot == target:
                found[seat] += 1
        if seat != storyteller:
            missed = missed or found[seat] < (1 if rules.all_means == "voters" else len(slots))

    if not received[storyteller]:  # Odyssey en l. 88 to 92, pt l. 86 to 90; Dixit pt l. 71 to 74
        outcome = Outcome.NONE
        clue = [rules.none_points] * players
    elif not missed:  # Odyssey en l. 71 to 75, pt l. 72 to 76; Dixit pt l. 71 to 74
        outcome = Outcome.ALL
        clue = [rules.all_points] * players
    else:  # Odyssey en l. 79 to 83, pt l. 78 to 84; Dixit pt l. 78 to 82
        outcome = Outcome.SOME
        clue = [rules.dial_points * dials for dials in found]
    if rules.single_dial_bonus and (outcome is Outcome.SOME or rules.single_bonus_when_all):  # 2011
        for seat, slots in enumerate(votes):
            if found[seat] and len(slots) == 1:
                clue[seat] += rules.single_dial_bonus
    clue[storyteller] = rules.storyteller_points if outcome is Outcome.SOME else 0

    received[storyteller] = 0  # Odyssey en l. 96, pt l. 92: the bonus is not for the storyteller
    if rules.decoy_once:  # Odyssey es l. 149, da l. 168 to 170; Dixit pt l. 140
        received = [min(dials, 1) for dials in received]
    decoy = [rules.decoy_points * dials for dials in received]
    if rules.decoy_cap is not None:  # 2011
        decoy = [min(points, rules.decoy_cap) for points in decoy]
    return TurnScore(outcome, tuple(clue), tuple(decoy))


def _numbers(values: object, what: str) -> tuple[int, ...]:
    if not isinstance(values, Sequence) or isinstance(values, str | bytes):
        raise RulesError(f"{what} are a tuple of whole numbers, not {shown(values)}")
    numbers = [whole_number(value) for value in values]
    if None in numbers:
        raise RulesError(f"{what} are whole numbers, not {shown(values)}")
    return tuple([number for number in numbers if number is not None])


def _ballot_fault(
    rules: TableRules, seat: int, is_storyteller: bool, owners: tuple[int, ...], dials: tuple[int, ...]
) -> str:
    if is_storyteller:
        return "the storyteller doesn't vote" if dials else ""
    return vote_fault(rules, tuple(sorted(dials)), tuple([slot for slot, owner in enumerate(owners) if owner == seat]))


def vote_fault(rules: TableRules, slots: tuple[int, ...], own: tuple[int, ...]) -> str:
    """Why a voter with own cards in the slots `own` can't vote for `slots` (ascending), or ""."""
    if not rules.dials_least <= len(slots) <= rules.dials_most:  # Odyssey en l. 58; Dixit pt l. 65
        least, most = rules.dials_least, rules.dials_most
        return f"use {most if least == most else f'{least} or {most}'} dial(s)"
    if slots[0] < 0 or slots[-1] >= rules.slots:
        return f"slots are 0 to {rules.slots - 1}"
    for slot in slots:
        if slot in own:  # Odyssey en l. 65; Dixit pt l. 65
            return f"slot {slot} holds an own card"
    if not rules.may_stack and len(set(slots)) < len(slots):  # 2011
        return "two dials can't go on one slot in this edition"
    return ""
