"""The clones experiment: how much of the gap between storytellers and listeners is due to the panel?

Published arenas seat copies of one model as listeners. Copies find a card together or miss it together, so clues reach
"some but not all" of them less often. Here both kinds of table are made of the same listeners. At a *clone* table all
voters are copies of one listener, whichever. At a *mixed* table each voter is drawn from all listeners. Clues, deals,
decoys and the mean listener (so p, the chance that a vote finds the card) are equal; only who sits with whom differs.
With three listeners P(some) = 3 p (1 − p) (1 − ρ).
"""

from collections.abc import Sequence

import numpy as np

from dixit_env.bench.clues.benchmark import ClueRun
from dixit_env.bench.clues.judging import agreement, shown_z
from dixit_env.bench.clues.panels import beliefs
from dixit_env.bench.clues.results import CloneResult, CloneTable
from dixit_env.bench.clues.scoring import Votes, Worth, legal, worlds, worth
from dixit_env.bench.clues.simulated_panel import RHO, finders, nearest_size
from dixit_env.bench.stats import Estimate, Floats, interval, mean, ratio, resample

SHARPNESS = (1.0, 3.0, 15.0)
"""From a broad belief to nearly always the best match, which is how models vote at temperature 0 (chosen)."""


def clones(run: ClueRun, eyes: Sequence[str], players: int = 4) -> list[CloneResult]:
    """Both kinds of table for every clue giver with a clue and every sharpness, at one table size."""
    draws = resample(run.bench.deals)
    givers = [giver for giver in run.bench.ranked if any(run.turns[giver])]
    return [_compare(run, giver, eyes, sharpness, players, draws) for giver in givers for sharpness in SHARPNESS]


def _compare(
    run: ClueRun, giver: str, eyes: Sequence[str], sharpness: float, players: int, draws: Floats
) -> CloneResult:
    rules = run.bench.rules.seated(players)
    columns = run.layout.columns(run.bench.rules, players)
    owners = run.layout.owners[columns]
    turns = [turn for turn in run.turns[giver] if turn]
    z = shown_z(turns, columns)
    held = beliefs([f"{eye}@{sharpness}" for eye in eyes], z)  # (turns, eyes, cards)
    copies = legal(np.repeat(held[:, :, None, :], players - 1, 2), owners)  # (turns, eyes, voters, cards)
    # A voter drawn from all listeners votes by the mean of their votes, independently of the other voters.
    drawn = copies.mean(1, keepdims=True)

    def by_deal(values: Floats) -> Floats:
        whole = np.full(run.bench.deals, np.nan)
        whole[[turn.deal for turn in turns]] = values
        return whole

    def table(value: Worth) -> CloneTable:
        found = {"guess_rate": by_deal(value.found), "together": by_deal(value.together)}
        return CloneTable(
            some=mean(by_deal(value.some), draws),
            points=mean(by_deal(value.points), draws),
            listeners=mean(by_deal(value.listeners), draws),
            asymmetry=mean(by_deal(value.listeners - value.points), draws),
            rho=agreement(found, draws),
        )

    at_clones, at_mixed = (worlds(worth(rules, owners, Votes(first, first))) for first in (copies, drawn))
    guess_rate = mean(by_deal(at_mixed.found), draws).value
    some_simulated = None
    if rules.dials_most == 1:
        some_simulated = float(finders(guess_rate, players - 1, nearest_size(RHO, players))[1:-1].sum())
    # Sums over deals: those without a clue count as 0 in both.
    whole = np.nan_to_num(by_deal(at_clones.listeners - at_clones.points))
    gone = whole - np.nan_to_num(by_deal(at_mixed.listeners - at_mixed.points))
    share = ratio(gone.sum(), whole.sum())
    return CloneResult(
        giver=giver,
        sharpness=sharpness,
        players=players,
        clones=table(at_clones),
        mixed=table(at_mixed),
        guess_rate=guess_rate,
        some_simulated=some_simulated,
        panel_share=Estimate(float(share), *interval(ratio(draws @ gone, draws @ whole))),
    )
