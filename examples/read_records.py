"""Records in pandas: play a few games, read them back, and see who finds whose cards.

    python examples/read_records.py            (pip install pandas)

With records of your own: `python scripts/tournament.py … --records` or `python scripts/play.py --record game.jsonl`.
"""

import tempfile
from pathlib import Path

import pandas as pd

from dixit_env import play
from dixit_env.agents.registry import make_agents
from dixit_env.models.sight import Sight
from dixit_env.table.records import export, read, recorded


def main() -> None:
    """One row for each seat of each turn; a small table of what each kind of agent earns."""
    sight = Sight.load(["dreams"], clip="embedded")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for seed in range(3):
            agents = make_agents(["clip", "greedy", "random", "random"], sight)
            for _ in recorded(play(agents, deck=sight.deck, seed=seed), folder / f"game-{seed}.jsonl"):
                pass
        records = {path.stem: read(path) for path in sorted(folder.glob("*.jsonl"))}
        export(records, folder / "turns.csv")
        turns = pd.read_csv(folder / "turns.csv")
    told = turns[turns["storyteller"] == 1]
    print(told.groupby("agent")["outcome"].value_counts().unstack(fill_value=0))
    print(turns.groupby("agent")[["points", "dials_found"]].mean().round(2))


if __name__ == "__main__":
    main()
