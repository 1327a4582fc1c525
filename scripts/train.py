"""Train an agent by playing, on one machine or under torchrun."""

from dataclasses import dataclass
from pathlib import Path

import torch

from dixit_env import edition
from dixit_env.agents.training.run import Training, train
from dixit_env.models.sight import Sight
from dixit_env.scripts.common import DeckArgs, run, write_results

EXAMPLES = """
python scripts/train.py --players 6 --envs 1024 --minutes 15 --out runs/ppo
python scripts/train.py --players 6 --envs 1024 --minutes 60 --out runs/ppo --resume
python scripts/train.py --practice decks/* --minutes 60 --out runs/many
torchrun --nproc-per-node 2 scripts/train.py --minutes 15 --out runs/two
python scripts/train.py --imitate records --minutes 5 --out runs/imitated
python scripts/train.py --objective win --no-league --seed 1 --out runs/win
"""


@dataclass(frozen=True, kw_only=True)
class Args(DeckArgs, Training):
    """Train a policy with PPO among scripted agents and past selves; writes checkpoints, logs and a report."""

    out: Path = Path("runs/ppo")
    """Folder for best.safetensors, last.safetensors, report.html, results.json, log.jsonl and tensorboard."""
    resume: bool = False
    """Go on with the run in --out; give the same settings."""
    practice: tuple[str, ...] = ()
    """Other decks to play on in turn, so that no deck is learned by heart; evaluations stay on --deck."""
    threads: int = 1
    """Of each process; the network is too small for more to help."""


def main(args: Args) -> None:
    """Train and write."""
    torch.set_num_threads(args.threads)
    sight = args.sight()
    practice = [Sight.load((deck,), args.clip) for deck in args.practice]
    for deck in (sight, *practice):
        edition(args.rules).check_deck(args.players, len(deck.deck))
    results = train(args, sight, args.out, args.resume, practice)
    if not results:  # not the first process
        return
    path = write_results(args.out, results, args)
    for name, share in results["evaluation"].items():
        print(f"against {name}: {share['win_share']:.1%} of the victories ({share['low']:.1%} to {share['high']:.1%})")
    single = ", ".join(f"{name} {share['win_share']:.1%}" for name, share in results["alone"].items())
    print(f"alone at tables of scripted agents: {single}")
    print(f"{results['decisions_per_second']:,.0f} decisions/s, {results['env_share']:.1%} of the time in the games")
    print(f"report: {args.out / 'report.html'}\nresults: {path}\nplay it: learned:{args.out / 'best.safetensors'}")


if __name__ == "__main__":
    run(main, Args, EXAMPLES)
