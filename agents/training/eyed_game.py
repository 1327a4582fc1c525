"""Batched games whose seats have eyes of their own, and that remember their finished turns."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor

from dixit_env.agents.training.eyes import EyePool
from dixit_env.envs.batch import BatchedGame, Step
from dixit_env.envs.clip_table import ClipTable
from dixit_env.errors import DixitError
from dixit_env.game.engine import Phase, PlayedTurn
from dixit_env.game.scoring import score_checked

REMEMBERED = 32  # turns; games last hardly twenty


class History(NamedTuple):
    """The finished turns of a game that began when so many turns had been played in the batch."""

    began: int
    turns: tuple[PlayedTurn, ...]


class EyedGame(BatchedGame):
    """B games whose seats have eyes of their own: a storyteller's rung is one of the ladder that it sees itself.

    Observations and masks are those of `BatchedGame`; what each seat sees of clues and cards is the reader's part. The
    last `REMEMBERED` turns of every game are kept, for whoever learns of the others from them.

    Args:
        pool: where the eyes come from.
        table: the deck.
        eye_seed: of who has which.
        more: as for `BatchedGame`.
    """

    def __init__(self, games: int, players: int, pool: EyePool, table: ClipTable, eye_seed: int, **more: Any) -> None:
        device = torch.device(more.get("device", "cpu"))
        self.pool, self.texts = pool, table.texts
        self.eye_generator = torch.Generator(device).manual_seed(eye_seed)
        self.ladders = torch.as_tensor(pool.ladder, device=device)  # (eyes, cards, rungs)
        self.eyes = torch.zeros((games, players), dtype=torch.int64, device=device)  # (B, P)
        super().__init__(games, players, clip=table, **more)
        shapes = {"clue": (), "slots": (self.rules.slots,), "slot_of": (self.rules.slots,), "votes": (players - 1,)}
        self.past = {
            name: torch.zeros((REMEMBERED, games, *shape), dtype=torch.int32, device=device)
            for name, shape in shapes.items()
        }
        """the last turns, (T, B, …) int32, the newest last; how many of them belong to a game its turn tells"""
        self.finished = 0  # turns of all games
        self.kept: dict[int, History] = {}  # by game

    def reset(self, games: Tensor | None = None, first: int = 0) -> None:
        """Begin new games, with new eyes."""
        super().reset(games, first)
        drawn = self.pool.assigned(self.games, self.players, self.eye_generator)
        self.eyes = drawn if games is None else torch.where(games[:, None], drawn, self.eyes)

    def step(self, actions: Tensor, autoreset: bool = True) -> Step:
        """As `BatchedGame.step`; the clue is the one that the storyteller sees on the rung, or that of `free_clue`."""
        teller, phase = self.storyteller, self.phase
        if phase is Phase.CLUE:
            choice, rungs = actions[:, 0] - self.spaces.first[phase], self.ladders.shape[2]
            free = choice - len(self.spaces.clues)  # from 0 for a clue that is not chosen by its rung
            choice = torch.where(free < 0, choice, free // len(self.texts) * rungs)
            done = super().step(choice[:, None] + self.spaces.first[phase], autoreset)
            position = self.given[:, teller] - 1
            card = self.hands[:, teller].gather(1, position[:, None]).squeeze(1).long()
            on_rung = self.ladders[self.eyes[:, teller], card, choice % rungs]
            self.clue = torch.where(free < 0, on_rung, free % len(self.texts))
            return done
        done = super().step(actions, autoreset)
        if phase is Phase.VOTES:
            for name, turns in self.past.items():
                self.past[name] = torch.cat((turns[1:], getattr(self, name)[None].int()))
            self.finished += 1
        return done

    def free_clue(self, position: int, clue: int) -> int:
        """The choice of a storyteller who gives the card at a position of the hand and tells any clue of the table."""
        return len(self.spaces.clues) + position * len(self.texts) + clue

    def began(self, rows: Sequence[int]) -> list[int]:
        """After how many turns of all games some of them began; a number below 0 where they went on from a state."""
        return [self.finished + 1 - turn for turn in self.turn[torch.tensor(rows, device=self.device)].tolist()]

    def histories(self, rows: Sequence[int]) -> list[tuple[PlayedTurn, ...]]:
        """The finished turns of some games, at most the last `REMEMBERED`."""
        known: dict[int, History] = {}
        lacking = 0
        for row, began in zip(rows, self.began(rows), strict=True):
            kept = self.kept.get(row)
            known[row] = kept if kept and kept.began == began else History(began, ())
            lacking = max(lacking, self.finished - began - len(known[row].turns))
        lacking = min(lacking, REMEMBERED)
        at = torch.tensor(rows, device=self.device)
        past = {name: turns[REMEMBERED - lacking :, at].tolist() for name, turns in self.past.items()}
        for number, row in enumerate(rows):
            began, turns = known[row]
            new = min(self.finished - began - len(turns), REMEMBERED)
            played = [self._played(past, number, lacking - back, back, began) for back in range(new, 0, -1)]
            self.kept[row] = known[row] = History(began, (*turns, *played))
        return [known[row].turns for row in rows]

    def _played(self, past: Mapping[str, Any], row: int, at: int, back: int, began: int) -> PlayedTurn:
        """The turn that all games finished `back` turns ago, in one that began after `began` of them; `past` lists by
        turn and game."""
        rules, teller = self.rules, (self.storyteller - back) % self.players
        owner_of = {slot: number // rules.gives for number, slot in enumerate(past["slot_of"][at][row])}
        owners = tuple(owner_of[slot] for slot in range(rules.slots))
        cast = [self.spaces.votes[choice] for choice in past["votes"][at][row]]
        votes = (*cast[:teller], (), *cast[teller:])
        clue, slots = self.texts[past["clue"][at][row]], tuple(past["slots"][at][row])
        number, points = self.finished - back - began + 1, score_checked(rules, teller, owners, votes)
        return PlayedTurn(number, teller, clue, slots, owners, votes, points)

    def state(self) -> dict[str, Any]:
        """As `BatchedGame.state`, and the eyes and the past turns."""
        return super().state() | {"eyes": self.eyes, "eye_draws": self.eye_generator.get_state(), "past": self.past}

    def restore(self, state: Mapping[str, Any]) -> None:
        """As `BatchedGame.restore`, with the same pool.

        Raises `DixitError` also for eyes that the pool lacks, and for past turns that can't have been played.
        """
        eyes: Tensor = state["eyes"]
        if not ((eyes >= 0) & (eyes < len(self.ladders))).all():
            raise DixitError("a seat of a game has an eye that is not in the pool")
        past: dict[str, Tensor] = state["past"]
        counts = {"clue": len(self.texts), "slots": self.spaces.cards, "votes": len(self.spaces.votes)}
        for name, values in past.items():
            if not ((values >= 0) & (values < counts.get(name, self.rules.slots))).all():
                raise DixitError(f"a past turn of a game has {name} that there are not")
        super().restore(state)
        self.eyes, self.past, self.kept = eyes, past, {}
        self.eye_generator.set_state(state["eye_draws"].cpu())
