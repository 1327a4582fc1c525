"""Train an agent by playing, on one machine or under torchrun."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from dixit_env import DixitError, edition
from dixit_env.agents.training.eyes import EyeRange, ReadDeck
from dixit_env.agents.training.players import fixed_player
from dixit_env.agents.training.run import Training, train
from dixit_env.models.devices import device_for
from dixit_env.models.sight import Sight
from dixit_env.scripts.common import DeckArgs, run, write_results

EXAMPLES = """
python scripts/train.py --players 6 --envs 1024 --minutes 15 --out runs/ppo
python scripts/train.py --players 6 --envs 1024 --minutes 60 --out runs/ppo --resume
python scripts/train.py --practice decks/* --minutes 60 --out runs/many
torchrun --nproc-per-node 2 scripts/train.py --minutes 15 --out runs/two
python scripts/train.py --imitate records --minutes 5 --out runs/imitated
python scripts/train.py --objective win --no-league --seed 1 --out runs/win
python scripts/train.py --best-response learned:runs/ppo/best.safetensors --minutes 5 --out runs/exploiter
python scripts/train.py --cross-play learned:runs/0/best.safetensors learned:runs/1/best.safetensors --out runs/cross
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
    cross_play: tuple[str, ...] = ()
    """Instead of training: these policies (learned:FILE) or scripted agents play one another on --deck and on each
    --practice deck, through shared eyes and --eyes; tells who understands only itself."""
    threads: int = 1
    """Of each process; the network is too small for more to help."""


def main(args: Args) -> None:
    """Train and write."""
    torch.set_num_threads(args.threads)
    sight = args.sight()
    practice = [Sight.load((deck,), args.clip) for deck in args.practice]
    for deck in (sight, *practice):
        edition(args.rules).check_deck(args.players, len(deck.deck))
    if args.cross_play:
        _cross_play(args, dict(zip((sight.deck.name, *args.practice), (sight, *practice), strict=True)))
        return
    results = train(args, sight, args.out, args.resume, practice)
    if not results:  # not the first process
        return
    path = write_results(args.out, results, args)
    for eyes, found in ((results["eyes"], results), ("shared", results["shared"])):
        if args.best_response:
            share = found["best_response"]
            print(f"alone among {share['opponent']}, fair share {share['fair_share']:.1%}, eyes {eyes}: {_said(share)}")
            continue
        for name, share in found["evaluation"].items():
            print(f"against {name}, eyes {eyes}: {_said(share)}")
        print(f"its cards are found by: {', '.join(f'{name} {share:.1%}' for name, share in found['found'].items())}")
        single = ", ".join(f"{name} {share['win_share']:.1%}" for name, share in found["alone"].items())
        print(f"alone at tables of scripted agents, eyes {eyes}: {single}")
    print(f"{results['decisions_per_second']:,.0f} decisions/s, {results['env_share']:.1%} of the time in the games")
    print(f"report: {args.out / 'report.html'}\nresults: {path}\nplay it: learned:{args.out / 'best.safetensors'}")


def _said(share: Mapping[str, Any]) -> str:
    return f"{share['win_share']:.1%} of the victories ({share['low']:.1%} to {share['high']:.1%})"


def _cross_play(args: Args, sights: Mapping[str, Sight]) -> None:
    from dixit_env.agents.training.cross_play import cross_play, draw  # needs matplotlib, which training does not

    if len(set(args.cross_play)) < 2:
        raise DixitError("--cross-play needs two players or more, such as the checkpoints of several seeds")
    device = device_for(args.device)
    players = {spec: fixed_player(spec, device)[0] for spec in args.cross_play}
    eyes = dict.fromkeys((EyeRange(), EyeRange.parse(args.eyes)))
    decks = {name: ReadDeck.through(sight) for name, sight in sights.items()}
    found = cross_play(players, decks, list(eyes), args.players, args.rules, args.evaluation_deals, args.seed, device)
    path = write_results(args.out, {"cross_play": found}, args)
    draw(found, args.out / "cross_play.webp")
    for deck, by_eyes in found.items():
        for name, some in by_eyes.items():
            codes = ", ".join(f"{spec} {index['mean']:+.3f}" for spec, index in some["code_index"].items())
            print(f"{deck}, eyes {name}: code index {codes}")
    print(f"picture: {args.out / 'cross_play.webp'}\nresults: {path}")


if __name__ == "__main__":
    run(main, Args, EXAMPLES)
