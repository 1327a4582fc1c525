"""The clones experiment: how much of the gap between storytellers and listeners is the panel?

Published arenas seat copies of one model as listeners. Copies find a card together or miss it together, so the same
clues please "some but not all" of them less often. Here both kinds of table are made of the same listeners: at a
*clone* table all voters are copies of one listener, whichever; at a *mixed* table each voter is drawn from all of them.
Clues, deals, decoys and the mean listener (so p, the chance that a vote finds the card) are equal; only who sits with
whom differs. With three listeners P(some) = 3 p (1 − p) (1 − ρ).
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from dixit_env.bench.clues.figures import agreement, mean
from dixit_env.bench.clues.people import RHO, finders
from dixit_env.bench.clues.run import Outcome
from dixit_env.bench.clues.scoring import Votes, legal, worlds, worth
from dixit_env.bench.clues.tables import beliefs
from dixit_env.bench.stats import Floats, interval, ratio, resample

SHARPNESS = (1.0, 3.0, 15.0)
"""From a broad belief to nearly always the best match, which is how models vote at temperature 0."""

TABLES = ("clones", "mixed")


def clones(outcome: Outcome, eyes: Sequence[str], players: int = 4) -> list[dict[str, Any]]:
    """Both kinds of table for every clue giver and sharpness, at one table size.

    Each entry has `giver`, `sharpness`, `guess_rate` and by table (`clones`, `mixed`) `some`, `points`, `listeners`,
    `asymmetry` (the listeners' points less the storyteller's) and `rho`, with intervals; `panel_share`: of the clone
    tables' asymmetry, how much goes away at mixed tables; and under rules with one dial `some_people`: what success
    would be with people's ρ and the same p.
    """
    draws = resample(outcome.bench.count)
    return [
        entry
        for giver in outcome.bench.givers
        for sharpness in SHARPNESS
        if (entry := _entry(outcome, giver, eyes, sharpness, players, draws))
    ]


def _entry(
    outcome: Outcome, giver: str, eyes: Sequence[str], sharpness: float, players: int, draws: Floats
) -> dict[str, Any] | None:
    rows = [row for row, turn in enumerate(outcome.told[giver]) if turn]
    if not rows:
        return None
    columns = outcome.layout.columns(outcome.bench.rules, players)
    owners = outcome.layout.owners[columns]
    turns = [turn for turn in outcome.told[giver] if turn]
    z = {eye: np.stack([turn.eyes[eye][columns] for turn in turns]) for eye in eyes}
    held = beliefs([f"{eye}@{sharpness}" for eye in eyes], z)  # (rows, eyes, cards)
    copies = legal(np.repeat(held[:, :, None, :], players - 1, 2), owners)  # (rows, eyes, voters, cards)
    # A voter drawn from all listeners votes by the mean of their votes, independently of the other voters.
    tables = {"clones": copies, "mixed": copies.mean(1, keepdims=True)}
    entry: dict[str, Any] = {"giver": giver, "sharpness": sharpness, "players": players}
    asymmetry: dict[str, Floats] = {}
    for name, first in tables.items():
        value = worlds(worth(outcome.bench.rules.seated(players), owners, Votes(first, first)))
        parts = {
            "some": value.some,
            "points": value.points,
            "listeners": value.listeners,
            "asymmetry": value.listeners - value.points,
            "guess_rate": value.found,
            "together": value.together,
        }
        whole = {key: np.full(outcome.bench.count, np.nan) for key in parts}
        for key, part in parts.items():
            whole[key][rows] = part
        figures: dict[str, float] = {}
        for key in ("some", "points", "listeners", "asymmetry"):
            figures[key], figures[f"{key}_low"], figures[f"{key}_high"] = mean(whole[key], draws)
        figures["rho"], figures["rho_low"], figures["rho_high"] = agreement(whole, draws)
        entry[name] = figures
        entry["guess_rate"] = found = mean(whole["guess_rate"], draws)[0]
        asymmetry[name] = whole["asymmetry"]
    if outcome.bench.rules.seated(players).dials_most == 1:
        rho = RHO[min(RHO, key=lambda size: abs(size - players))]
        entry["some_people"] = float(finders(found, players - 1, rho)[1:-1].sum())
    there = ~np.isnan(asymmetry["clones"])
    sums = {name: np.where(there, values, 0) for name, values in asymmetry.items()}
    gone = sums["clones"] - sums["mixed"]
    entry["panel_share"] = float(ratio(gone.sum(), sums["clones"].sum()))
    entry["panel_share_low"], entry["panel_share_high"] = interval(ratio(draws @ gone, draws @ sums["clones"]))
    return entry
