"""The points of one turn, as a pure function of who owned what and who voted for what."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

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
        return tuple([a + b for a, b in zip(self.clue, self.decoy, strict=True)])


def score(rules: TableRules, storyteller: int, owners: Sequence[int], votes: Sequence[tuple[int, ...]]) -> TurnScore:
    """Score a turn.

    Args:
        rules: the rules at this table.
        storyteller: seat of the storyteller.
        owners: seat that owns each slot, (slots,).
        votes: slots that each seat's dials show, (players,); `()` for the storyteller.
    """
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

    if not received[storyteller]:
        outcome = Outcome.NONE
        clue = [rules.none_points] * players
        clue[storyteller] = 0
    elif not missed:
        outcome = Outcome.ALL
        clue = [rules.all_points] * players
        clue[storyteller] = 0
    else:
        outcome = Outcome.SOME
        clue = [rules.dial_points * dials for dials in found]
        if rules.single_dial_bonus:
            for seat, slots in enumerate(votes):
                if found[seat] and len(slots) == 1:
                    clue[seat] += rules.single_dial_bonus
        clue[storyteller] = rules.storyteller_points

    received[storyteller] = 0
    if rules.decoy_once:
        received = [min(dials, 1) for dials in received]
    decoy = [rules.decoy_points * dials for dials in received]
    if rules.decoy_cap is not None:
        decoy = [min(points, rules.decoy_cap) for points in decoy]
    return TurnScore(outcome, tuple(clue), tuple(decoy))
