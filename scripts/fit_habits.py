"""Fit what CLIP agents believe of players beforehand to recorded games, and measure how calibrated they are."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import tyro
from tqdm import tqdm

from dixit_env.agents.clip.fitting import Guessed, belief_calibration_error, beliefs, fit, guessed, log_loss
from dixit_env.agents.clip.player_models import FILE, HABITS, habits_json
from dixit_env.bench.viewers.guesses import read_guesses
from dixit_env.bench.viewers.measure import painted
from dixit_env.errors import DixitError
from dixit_env.game.engine import GameState
from dixit_env.models.sight import Sight
from dixit_env.scripts.common import DeckArgs, run
from dixit_env.table.records import read, replay

EXAMPLES = """
python scripts/play.py --seats clip,greedy,random,clip,greedy,random --games 60 --out runs/games
python scripts/fit_habits.py runs/games/game-*.jsonl
python scripts/fit_habits.py runs/games/game-*.jsonl --guesses runs/tables/guesses.tsv --out agents/clip/habits.json
"""


@dataclass(frozen=True, kw_only=True)
class Args(DeckArgs):
    """Fit the prior over kinds of players to records; every other game is held out to measure calibration."""

    records: tyro.conf.Positional[tuple[Path, ...]]
    """Game records (JSON Lines)."""
    guesses: Path | None = None
    """Tables of a viewers' deck that viewers guessed (viewers.py read); they count as half of all players."""
    out: Path | None = None
    """Where to write the fitted habits; by default they are only shown. The agents read agents/clip/habits.json."""


def main(args: Args) -> None:
    """Fit and measure."""
    sight = args.sight()
    games: list[GameState] = []
    for path in tqdm(args.records, desc="replay", unit="game", disable=None):
        record = read(path)
        if record.game["deck"]["hash"] != sight.deck.hash:
            raise DixitError(f"{path} was played with another deck ({record.game['deck']['name']}): give it by --deck")
        games.append(replay(record))
    if len(games) < 2:
        raise DixitError("fitting needs two games or more: half of them are held out")
    train, held_out = games[::2], games[1::2]
    fitted = fit(train, sight, HABITS, _tables(args.guesses, args.clip) if args.guesses else ())
    for name, habits in (("before", HABITS), ("fitted", fitted)):
        pairs = list(beliefs(held_out, sight, habits))
        error, loss = belief_calibration_error(pairs), log_loss(pairs)
        right = np.mean([belief.argmax() == target for belief, target in pairs])
        print(
            f"{name}: expected calibration error {error:.3f}, log loss {loss:.3f}, first choice right {right:.1%} "
            f"({len(pairs)} votes in {len(held_out)} held-out games)"
        )
    text = habits_json(fitted)
    print(text)
    if args.out:
        args.out.write_text(text + "\n", encoding="utf-8")
        print(f"written to {args.out}" + (" (the agents use it from now on)" if args.out.resolve() == FILE else ""))


def _tables(path: Path, clip: str) -> list[Guessed]:
    """Guessed tables, which are all of one deck."""
    guesses = read_guesses(path)
    decks = {name.split("/")[0] for guess in guesses for name in guess.table.cards}
    if len(decks) != 1:
        raise DixitError(f"{path} shows cards of {', '.join(sorted(decks)) or 'no deck'}: give tables of one deck")
    return list(guessed(guesses, Sight(painted(*decks), clip)))


if __name__ == "__main__":
    run(main, Args, EXAMPLES)
