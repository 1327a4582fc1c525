"""Behaviour cloning: fit the policy to the moves in game records, before it plays itself."""

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor
from tqdm import tqdm

from dixit_env.agents.clip.reading import read_z_scores
from dixit_env.agents.learned.shortlist import heard_z_scores, told_z_scores
from dixit_env.agents.training.ppo import Learner
from dixit_env.envs.spaces import Spaces
from dixit_env.errors import DixitError, RecordError
from dixit_env.game.engine import Phase
from dixit_env.game.moves import move_from_json
from dixit_env.game.rules import TableRules
from dixit_env.game.view import View, view
from dixit_env.models.policy import Choices, Encoder, Inputs
from dixit_env.models.sight import Sight
from dixit_env.table.records import Record, read, steps

EPOCHS, BATCH, LEARNING_RATE = 4, 512, 1e-3  # chosen

Shape = tuple[TableRules, Phase]


class Moves(NamedTuple):
    """Recorded decisions of one phase at one kind of table."""

    inputs: Inputs  # N rows
    legal: Tensor  # (N, C) bool
    choice: Tensor  # (N,) int64


def imitate(learner: Learner, sight: Sight, folder: Path) -> dict[Phase, float]:
    """Fit the policy to the decisions in `folder/**/*.jsonl`. Returns, by phase, the share of them that it then makes.

    A clue that is not on its card's ladder counts as the rung of the nearest z-score. Raises `DixitError`
    for a folder without records and `RecordError` for games with another deck.
    """
    groups, tables = gather(learner, sight, folder)
    policy, device = learner.policy, learner.device
    optimizer = torch.optim.Adam(policy.parameters(), lr=LEARNING_RATE)
    for _ in tqdm(range(EPOCHS), desc="imitate", unit="epoch", disable=None):
        batches = [
            (shape, rows)
            for shape, moves in groups.items()
            for rows in torch.randperm(len(moves.choice), generator=learner.generator, device=device).split(BATCH)  # type: ignore[no-untyped-call]
        ]
        for number in torch.randperm(len(batches), generator=learner.generator, device=device).tolist():
            shape, rows = batches[number]
            moves = groups[shape]
            log_probs, _ = policy(moves.inputs.rows(rows), shape[1], tables[shape], moves.legal[rows])
            loss = -log_probs.gather(1, moves.choice[rows, None]).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    same: defaultdict[Phase, list[Tensor]] = defaultdict(list)
    with torch.no_grad():
        for shape, moves in groups.items():
            log_probs, _ = policy(moves.inputs, shape[1], tables[shape], moves.legal)
            same[shape[1]].append((log_probs.argmax(1) == moves.choice).float())
    return {phase: float(torch.cat(parts).mean()) for phase, parts in same.items()}


def gather(learner: Learner, sight: Sight, folder: Path) -> tuple[dict[Shape, Moves], dict[Shape, Choices]]:
    """The decisions in a folder, by table and phase, and the choices that there were."""
    paths = sorted(folder.rglob("*.jsonl"))
    if not paths:
        raise DixitError(f"{folder} holds no game records (.jsonl): play some with scripts/play.py --record")
    encoders: dict[TableRules, Encoder] = {}
    rows: defaultdict[Shape, list[tuple[Inputs, Tensor, int]]] = defaultdict(list)
    for path in tqdm(paths, desc="read", unit="game", disable=None):
        record = read(path)
        if record.game["deck"]["hash"] != sight.deck.hash:
            raise RecordError(f"{path} was played with another deck than {sight.deck.name}: choose it with --deck")
        _read_game(record, learner, sight, encoders, rows)
    groups = {}
    for shape, group in rows.items():
        inputs = Inputs(*(torch.cat(parts) for parts in zip(*(row[0] for row in group), strict=True)))
        choice = torch.tensor([row[2] for row in group], device=learner.device)
        groups[shape] = Moves(inputs, torch.cat([row[1] for row in group]), choice)
    return groups, {(rules, phase): encoders[rules].choices[phase] for rules, phase in groups}


def _read_game(
    record: Record,
    learner: Learner,
    sight: Sight,
    encoders: dict[TableRules, Encoder],
    rows: defaultdict[Shape, list[tuple[Inputs, Tensor, int]]],
) -> None:
    numbers = {card: number for number, card in enumerate(record.game["deck"]["cards"])}
    clip = learner.eval_task.spaces.clip
    assert clip is not None
    for before, line, _ in steps(record):
        if line is None or line.get("fault"):
            continue
        rules = before.rules
        if rules not in encoders:
            spaces = Spaces(rules, len(numbers), clip)
            heard, told = heard_z_scores(sight)[None], told_z_scores(sight)[None]
            encoders[rules] = Encoder(spaces, heard, told, learner.eval_task.similarity, learner.device)
        encoder, now = encoders[rules], view(before, line["seat"])
        observation = torch.from_numpy(encoder.spaces.features(now))[None].to(learner.device)
        mask = torch.from_numpy(encoder.spaces.mask(now))[None].to(learner.device)
        z = read_z_scores(sight, now.clue)[None] if now.clue else None
        inputs = encoder(observation, now.phase, z)
        inputs = learner.observe(inputs) if learner.observe else inputs
        choice = _choice(line["move"], now, encoder.spaces, sight, numbers)
        rows[rules, now.phase].append((inputs, encoder.legal(mask, now.phase), choice))


def _choice(move: Mapping[str, Any], now: View, spaces: Spaces, sight: Sight, numbers: Mapping[str, int]) -> int:
    """Which choice of the phase a recorded move is."""
    if now.phase is not Phase.CLUE:
        action = spaces.action(now, move_from_json(move, numbers))
        assert action is not None  # only a clue may have none
        return action - spaces.first[now.phase]
    assert spaces.clip is not None
    card = numbers[move["card"]]
    z = read_z_scores(sight, move["clue"])[card]
    rungs = heard_z_scores(sight)[spaces.clip.ladder[card], card]
    rung = int(np.abs(rungs - z).argmin())
    return spaces.clues.index((now.hand.index(card), rung))
