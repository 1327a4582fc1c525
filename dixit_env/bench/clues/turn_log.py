"""Every clue of a benchmark on disk: `log.jsonl`, one line for each giver and deal, and `turns.csv`."""

import csv
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dixit_env.bench.clues.asking import Answer
from dixit_env.bench.clues.benchmark import REFERENCE, SHUFFLED, ClueRun, ClueTurn
from dixit_env.bench.clues.judging import MEASURES, Judged, judge
from dixit_env.bench.clues.text import reply_fault
from dixit_env.game.moves import GiveClue

Line = dict[str, Any]
_FIGURES = tuple(key for key in MEASURES if key != "lift")  # lift is the guess rate less a constant


def turn_lines(run: ClueRun, instructions: str) -> Iterator[Line]:
    """Every clue giver on every deal: the hand, the clue, the table and the votes.

    Keys: `deal`, `seed`, `giver`, `hand` (card ids), `card`, `clue`, `fault` (why there is no valid clue: one of
    `text.FAULTS`, no_answer for an outage, or ""), `error`, `expected` (the giver's prediction), `seconds`, `cost`,
    `owners` and `table` (seats and card ids, the storyteller's first), `control` (the clue of the first shuffle),
    `panels`: by name `votes` (a distribution over the table for each voter's first dial), `stacks` (chance that both
    dials lie on one card) and the exact `points`, `margin`, `listeners`, `some`, `all`, `none`, `guess_rate`.
    """
    bench, ids = run.bench, [card.id for card in run.deck.cards]
    columns = run.layout.columns(bench.rules, bench.players)
    for name in bench.ranked:
        controls = run.controls[name] or ((None,) * bench.deals,)
        judged = {panel.name: judge(run, name, panel, bench.players) for panel in bench.panels}
        answers = run.answers[REFERENCE if name == SHUFFLED else name]
        for dealt, turn, control, answer in zip(run.deals, run.turns[name], controls[0], answers, strict=True):
            move = answer.move if isinstance(answer.move, GiveClue) else None
            yield {
                "deal": dealt.number,
                "seed": dealt.seed,
                "giver": name,
                "hand": [ids[card] for card in dealt.hands[0]],
                "card": ids[move.card] if move else None,
                "clue": turn.clue if turn else move.clue if move else None,  # the shuffled giver's is not its own
                "fault": _fault(answer, turn, instructions),
                "error": answer.fault,
                "expected": answer.why.get("expected"),
                "seconds": answer.seconds,
                "cost": answer.why.get("cost", 0),
                "owners": run.layout.owners[columns].tolist() if turn else [],
                "table": [ids[turn.cards[column]] for column in columns] if turn else [],
                "control": control.clue if control else None,
                "panels": {
                    panel: _panel(found, dealt.number)
                    for panel, found in judged.items()
                    if found and dealt.number in found.rows
                },
            }


def _fault(answer: Answer, turn: ClueTurn | None, instructions: str) -> str:
    if turn is not None:
        return ""
    if answer.no_answer:
        return "no_answer"
    return reply_fault(answer.move.clue if isinstance(answer.move, GiveClue) else None, instructions)


def _panel(judged: Judged, deal: int) -> Line:
    row = int(np.flatnonzero(judged.rows == deal)[0])
    votes = judged.votes
    figures = {key: round(float(judged.values[key][deal]), 5) for key in _FIGURES}
    return {
        "votes": votes.first[row].mean(0).round(4).tolist(),
        "stacks": (votes.first * votes.stacks)[row].sum(-1).mean(0).round(4).tolist(),
        **figures,
    }


def write_log(lines: Sequence[Line], path: Path) -> None:
    """Write the lines as JSON Lines."""
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


def write_csv(lines: Sequence[Line], path: Path) -> None:
    """Write one row for each clue and panel."""
    head = ["deal", "giver", "card", "clue", "fault", "panel", *_FIGURES]
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(head)
        for line in lines:
            for panel, found in line["panels"].items() or [("", {})]:
                writer.writerow([*(line[key] for key in head[:5]), panel, *(found.get(key) for key in head[6:])])
