"""A training run: the learner with its clock, logs, checkpoints and evaluations, from a folder and back into it.

The folder gets `best.safetensors` and `last.safetensors` (policies), `state.pt` (to go on after a kill), `log.jsonl`
(one line an update), `evaluations.jsonl`, `tensorboard/` and, at the end, `report.html`.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

import torch
from tqdm import tqdm

from dixit_env.agents.hooks import hook
from dixit_env.agents.training import parallel
from dixit_env.agents.training.decisions import Opponent
from dixit_env.agents.training.evaluation import Finders, WinShare, alone, evaluate, most_probable
from dixit_env.agents.training.eyes import EyeRange, ReadDeck
from dixit_env.agents.training.imitation import imitate
from dixit_env.agents.training.opponents import LEARNER_SHARE, OpponentPool
from dixit_env.agents.training.players import fixed_player
from dixit_env.agents.training.ppo import PPO, Learner
from dixit_env.agents.training.run_state import Clock, read_state, write_state
from dixit_env.agents.training.scripted import SCRIPTED
from dixit_env.agents.training.seeds import derived_seed
from dixit_env.agents.training.task import Task
from dixit_env.errors import DixitError
from dixit_env.models.checkpoint import load_policy, save_policy
from dixit_env.models.devices import device_for
from dixit_env.models.sight import Sight

SAVE_SECONDS = 60.0  # between two states; chosen: what a kill costs at most
FRESH = 10_000  # added to the seed of the last evaluation: deals that chose no checkpoint
OWN_EYES = "noise:0.3-0.8"  # chosen: from the agreement of two CLIPs of different kinds (.33) to a close one

Figures = dict[str, float]


@dataclass(frozen=True)
class Training(PPO):
    """What to learn from, for how long, and how to see whether it helps."""

    minutes: float = 15.0
    """How long to play and learn, evaluations not counted; after --resume, with what was trained before."""
    updates: int | None = None
    """Stop after so many updates, even if there is time left."""
    evaluate_minutes: float = 3.0
    """Time between two evaluations."""
    evaluation_deals: int = 400
    """Deals of an evaluation against each scripted agent; each is played twice, with the seats exchanged."""
    eyes: str = OWN_EYES
    """What the seats see through. shared: all through one CLIP. noise:R or noise:LOW-HIGH: each seat of each game has
    noise of its own on the cards, so that the z-scores of two seats correlate by R, drawn for each game."""
    best_response: str | None = None
    """Learn to exploit this agent, which fills all other seats: learned:FILE, clip, greedy or random. Tells how far
    it can be exploited."""
    no_league: bool = False
    """Don't play against past selves."""
    no_scripted: bool = False
    """Don't play against scripted agents."""
    no_clip: bool = False
    """Hide the similarities from the network."""
    reward: str | None = None
    """A function package.module:name of (BatchedGame, Step) → (B, P), instead of the objective."""
    opponent: tuple[str, ...] = ()
    """Functions package.module:name of a DecisionBatch → (N,) choices, to play against beside the scripted agents."""
    observe: str | None = None
    """A function package.module:name of Inputs → Inputs, that changes what the network reads."""
    imitate: Path | None = None
    """A folder of game records to learn from before playing."""
    device: Literal["auto", "cpu", "cuda"] = "auto"
    """cpu, cuda, or auto: a GPU where there is one."""

    def __post_init__(self) -> None:
        EyeRange.parse(self.eyes)
        if self.best_response and (self.no_scripted or self.opponent):
            raise DixitError("--best-response says who the opponents are: leave --no-scripted and --opponent out")
        for name in ("envs", "turns", "epochs", "minibatches", "evaluation_deals"):
            if getattr(self, name) < 1:
                raise DixitError(f"{name} must be 1 or more, not {getattr(self, name)}")
        if self.envs * self.turns < 6 * self.players * self.minibatches:  # one clue in P is the learner's; 6 is chosen
            raise DixitError(
                f"{self.envs} games of {self.turns} turns hold too few clues for {self.minibatches} minibatches: "
                "raise --envs or --turns, or lower --minibatches"
            )


def make_learner(
    settings: Training, evaluated: ReadDeck, device: torch.device, practice: Sequence[ReadDeck] = ()
) -> Learner:
    """A learner before its first update, evaluated on one deck, that practises on it too or on other decks.

    It is evaluated through other eyes than those it learns with, and always through eyes of each seat's own.
    """
    eyes = EyeRange.parse(settings.eyes)

    def task(deck: ReadDeck, eyes: EyeRange, name: str) -> Task:
        seed = derived_seed(settings.seed, f"{name}, eyes")
        return Task(deck, settings.players, settings.rules, eyes, not settings.no_clip, device, seed)

    process = f"process {parallel.rank()}"
    tasks = [task(deck, eyes, f"{process}, task {number}") for number, deck in enumerate(practice or [evaluated])]
    eval_task = task(evaluated, EyeRange.parse(OWN_EYES) if eyes.low == 1 else eyes, "evaluation")
    observe = hook(settings.observe) if settings.observe else None
    reward = hook(settings.reward) if settings.reward else None
    if settings.best_response:
        opponent, target = fixed_player(settings.best_response, device)
        pool = OpponentPool(settings.players, [opponent], False, settings.width, observe, learner_share=0)
        learner = Learner(replace(settings, understood=0.0), tasks, eval_task, pool, reward, observe)
        if target and target.width == settings.width:  # a copy of the opponent already wins its fair share
            learner.policy.load_state_dict(target.state_dict())
            learner.average.update_parameters(learner.policy)
        return learner
    scripted = [] if settings.no_scripted else list(SCRIPTED.values())
    scripted += [hook(path) for path in settings.opponent]
    pool = OpponentPool(settings.players, scripted, not settings.no_league, settings.width, observe, LEARNER_SHARE)
    return Learner(settings, tasks, eval_task, pool, reward, observe)


def train(
    settings: Training, sight: Sight, out: Path, resume: bool = False, practice: Sequence[Sight] = ()
) -> dict[str, Any]:
    """Train into `out` and return what `results.json` holds (in the first process; {} in the others).

    Evaluations are on the deck of `sight`, and so is all play unless there are other decks to `practice` on.
    Raises `DixitError` when there is a run in `out` already and `resume` is False.
    """
    if (out / "state.pt").exists() and not resume:
        raise DixitError(f"{out} holds a run already: go on with --resume, or choose another --out")
    device = device_for(settings.device)
    with parallel.group(device):
        learner = make_learner(
            settings, ReadDeck.through(sight), device, [ReadDeck.through(other) for other in practice]
        )
        run = Run(settings, learner, out)
        if resume and (out / "state.pt").exists():
            run.load()
        elif settings.imitate:
            imitate(learner, sight, settings.imitate)
            parallel.share(learner.policy)
            learner.average.update_parameters(learner.policy)
        run.go()
        return run.results() if parallel.rank() == 0 else {}


class Run:
    """The clock and the files of a learner. Only the first process writes."""

    def __init__(self, settings: Training, learner: Learner, out: Path) -> None:
        self.settings, self.learner, self.out = settings, learner, out
        self.first = parallel.rank() == 0
        self.seconds = 0.0  # of playing and learning
        self.in_games = 0.0
        self.evaluated = 0.0  # the clock at the last evaluation
        self.best = -1.0
        out.mkdir(parents=True, exist_ok=True)

    def go(self) -> None:
        """Update until the time is over."""
        settings, learner = self.settings, self.learner
        saved = self.seconds
        with self._writer() as write, tqdm(total=round(60 * settings.minutes), unit="s", disable=self._no_bar()) as bar:
            while not self._over():
                figures = learner.update()
                self.seconds += figures["seconds"]
                self.in_games += figures["env_seconds"]
                rate = figures["decisions"] / figures["seconds"]
                write(
                    figures | {"decisions_per_second": rate, "env_share": figures["env_seconds"] / figures["seconds"]}
                )
                bar.n = min(round(self.seconds), bar.total)
                bar.set_postfix_str(f"{rate:,.0f} decisions/s, update {learner.updates}, best {max(self.best, 0):.1%}")
                if not self.first:
                    continue
                if self.seconds - self.evaluated >= 60 * settings.evaluate_minutes:
                    self._evaluate(write)
                if self.seconds - saved >= SAVE_SECONDS:
                    saved = self.seconds
                    self.save()
            if self.first:
                self._evaluate(write)
                self.save()

    def _over(self) -> bool:
        """The first process decides for all of them."""
        settings = self.settings
        enough = settings.updates is not None and self.learner.updates >= settings.updates
        done = self.first and (enough or self.seconds >= 60 * settings.minutes)
        return parallel.mean(float(done)) > 0

    def _no_bar(self) -> bool | None:
        return None if self.first else True

    def _evaluate(self, write: Callable[[Figures], None]) -> None:
        """Play against the scripted agents, and keep the policy if it is the best so far."""
        self.evaluated = self.seconds
        shares = self.evaluation(self.learner.eval_task, seed=self.learner.updates)
        mean = sum(share.win_share for share in shares.values()) / len(shares)
        write({f"win_share/{name}": share.win_share for name, share in shares.items()})
        line = {"update": self.learner.updates, "minutes": self.seconds / 60, "decisions": self.learner.decisions}
        with open(self.out / "evaluations.jsonl", "a", encoding="utf-8") as file:
            file.write(json.dumps(line | {name: asdict(share) for name, share in shares.items()}) + "\n")
        summary = ", ".join(f"{name} {share.win_share:.1%}" for name, share in shares.items())
        tqdm.write(f"{self.seconds / 60:.1f} min, {self.learner.decisions:,} decisions; wins against {summary}")
        self._save_policy("last")
        if mean > self.best:
            self.best = mean
            self._save_policy("best")

    def evaluation(self, task: Task, seed: int, finders: Mapping[str, Finders] | None = None) -> dict[str, WinShare]:
        """The win shares against each scripted agent, or of one seat among those that are to be exploited.

        `finders` by scripted agent count who finds whose cards.
        """
        deals, target = self.settings.evaluation_deals, self.settings.best_response
        if target:
            return {target: alone(task, self._player(), [fixed_player(target, task.device)[0]], deals, seed)}
        player, watched = self._player(), finders or {}
        return {name: evaluate(task, player, play, deals, seed, watched.get(name)) for name, play in SCRIPTED.items()}

    def _player(self) -> Opponent:
        return most_probable(self.learner.averaged_policy, self.learner.observe)

    def _save_policy(self, name: str) -> None:
        save_policy(self.learner.averaged_policy, self.out / f"{name}.safetensors", asdict(self.settings))

    def save(self) -> None:
        """Write all that is needed to go on."""
        write_state(self.out / "state.pt", self._clock(), self.learner)

    def load(self) -> None:
        """Go on from `save`. Processes other than the first take over what was learned and deal new games.

        Raises `DixitError` when a file of the run is damaged.
        """
        clock = read_state(self.out / "state.pt", self._clock(), self.learner, games=self.first)
        for name in self._clock():
            setattr(self, name, clock[name])
        if self.first:
            if self.best >= 0:
                load_policy(self.out / "best.safetensors")  # the results need it: better no file now than in the end
            for name in ("log.jsonl", "evaluations.jsonl"):
                _truncate(self.out / name, self.learner.updates)

    def _clock(self) -> Clock:
        return {name: getattr(self, name) for name in ("seconds", "in_games", "evaluated", "best")}

    def results(self) -> dict[str, Any]:
        """What was reached, with the best policy evaluated on deals that didn't choose it; writes the report."""
        from dixit_env.agents.training.report import write_report  # needs matplotlib, which training does not

        best, _ = load_policy(self.out / "best.safetensors")
        self.learner.averaged_policy.load_state_dict(best.state_dict())
        task = self.learner.eval_task
        seed = FRESH + self.settings.seed
        own, shared = self._judged(task, seed), self._judged(task.anew(EyeRange(), seed), seed)
        results = {
            "decisions_per_second": self.learner.decisions / max(self.seconds, 1e-9),
            "env_share": self.in_games / max(self.seconds, 1e-9),
            "decisions": self.learner.decisions,
            "updates": self.learner.updates,
            "minutes": self.seconds / 60,
            "processes": parallel.size(),
            "eyes": str(task.eyes),
            **own,
            "shared": shared,
        }
        write_report(self.out, results, self.learner)
        return results

    def _judged(self, task: Task, seed: int) -> dict[str, Any]:
        """The figures of the policy on a task."""
        deals, players = self.settings.evaluation_deals, self.settings.players
        if target := self.settings.best_response:
            share = self.evaluation(task, seed)[target]
            return {"best_response": {"opponent": target, **asdict(share), "fair_share": 1 / players}}
        finders = {name: Finders(task, deals) for name in SCRIPTED}
        shares, those = self.evaluation(task, seed, finders), list(SCRIPTED.values())
        single = {"learned": self._player(), **SCRIPTED}
        return {
            "evaluation": {name: asdict(share) for name, share in shares.items()},
            "found": {name: float(count.shares(0)[1].mean()) for name, count in finders.items()},
            "found_note": "share of the learner's cards that seats of each find at these tables",
            "evaluation_note": "scripted agents as tensors, every second seat, paired deals; 0.5 between equals",
            "alone": {name: asdict(alone(task, play, those, deals, seed)) for name, play in single.items()},
            "alone_note": f"one seat among scripted agents at random; 1/{players} between equals",
        }

    @contextmanager
    def _writer(self) -> Iterator[Callable[[Figures], None]]:
        """What writes figures of the current update to `log.jsonl`, and to TensorBoard where it is installed."""
        if not self.first:
            yield lambda figures: None
            return
        try:
            from torch.utils.tensorboard import SummaryWriter
        except ImportError:
            tqdm.write('no TensorBoard logs (pip install "dixit-env[train]" for them); log.jsonl has the same figures')
            board = None
        else:
            board = SummaryWriter(str(self.out / "tensorboard"), purge_step=self.learner.updates)
        with open(self.out / "log.jsonl", "a", encoding="utf-8") as file:

            def write(figures: Figures) -> None:
                step = self.learner.updates
                line = {"update": step, "minutes": self.seconds / 60, **figures}
                file.write(json.dumps({name: round(value, 6) for name, value in line.items()}) + "\n")
                file.flush()
                for name, value in figures.items():
                    if board is not None:
                        board.add_scalar(name, value, step)

            yield write
        if board is not None:
            board.close()


def _truncate(path: Path, update: int) -> None:
    """Drop the lines after the update that is gone on from, and a last line that a kill cut off."""
    if not path.exists():
        return
    kept = []
    for number, line in enumerate(path.read_bytes().splitlines(keepends=True), 1):
        if not line.endswith(b"\n"):
            break
        try:
            if json.loads(line)["update"] <= update:
                kept.append(line)
        except (ValueError, LookupError, TypeError) as error:
            raise DixitError(f"{path} is damaged in line {number}: delete that line, then resume") from error
    path.write_bytes(b"".join(kept))
