"""Measure. Each subcommand is a module in `benchmarks` with `Args`, `EXAMPLES` and `main`, loaded when it is named."""

import sys
from importlib import import_module

from dixit_env.scripts.common import run

COMMANDS = {
    "clues": "clue givers before several panels of listeners, on the same deals",
    "speed": "decisions a second of the engine, the environments, the bots, and of other projects' environments",
    "listeners": "listeners that guess the storyteller's card, on rounds that people played",
    "web": "the browser table under load",
}


def usage() -> str:
    """What there is to measure."""
    rows = [f"  {name:<10} {meaning}" for name, meaning in COMMANDS.items()]
    return "\n".join(["usage: benchmark.py COMMAND [OPTIONS]     (benchmark.py COMMAND --help)", "", *rows])


if __name__ == "__main__":
    script, *rest = sys.argv
    name = rest[0] if rest else "--help"
    if name in COMMANDS:
        sys.argv = [f"{script} {name}", *rest[1:]]
        command = import_module(f"dixit_env.scripts.benchmarks.{name}")
        run(command.main, command.Args, command.EXAMPLES)
    elif name in ("-h", "--help"):
        print(usage())
    else:
        print(f"error: no benchmark is called {name!r}: choose one of {', '.join(COMMANDS)}", file=sys.stderr)
        sys.exit(2)
