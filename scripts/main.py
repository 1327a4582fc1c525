"""The command `dixit`: one subcommand for each script. `python -m dixit_env` is the same.

A command is a module with `Args`, `EXAMPLES` and `main`. It is imported when it is called, so that the help is quick
and a command needs only its own libraries.
"""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module


@dataclass(frozen=True)
class Command:
    """A script that can be called by name."""

    module: str  # in dixit_env.scripts
    summary: str
    extra: str = ""  # the extras of this package that the script needs


Commands = Mapping[str, "Command | Commands"]

BENCHMARKS: Commands = {
    "clues": Command("benchmarks.clues", "clue givers before several panels of listeners, on the same deals", "arena"),
    "scenarios": Command("benchmarks.scenarios", "an agent among others in frozen scenarios", "arena"),
    "speed": Command("benchmarks.speed", "decisions a second of engine, environments and bots", "arena"),
    "listeners": Command("benchmarks.listeners", "guessing the storyteller's card in rounds people played", "arena"),
    "web": Command("benchmarks.web", "the browser table under load", "web"),
}
VIEWERS: Commands = {
    "sheets": Command("viewing.sheets", "numbered cards, for viewers to write clues for", "arena"),
    "tables": Command("viewing.tables", "clues and numbered cards, for viewers to guess the card", "arena"),
    "ask": Command("viewing.ask", "let a language model that sees answer the tables", "arena"),
    "read": Command("viewing.read", "check and file what viewers answered", "arena"),
}
COMMANDS: Commands = {
    "play": Command("play", "play games between bots and people in the terminal"),
    "serve": Command("serve", "serve the table in the browser", "web"),
    "replay": Command("replay", "write a recorded game as one HTML file to step through", "web"),
    "mcp": Command("mcp_server", "let a chat model with tools take a seat at a table in the browser", "mcp"),
    "tournament": Command("tournament", "compare agents on paired deals, and write a report", "arena"),
    "train": Command("train", "train an agent with PPO", "arena,train"),
    "benchmark": BENCHMARKS,
    "viewers": VIEWERS,
    "embed": Command("embed", "make a folder of pictures a deck that agents can see"),
    "make-deck": Command("make_deck", "paint a deck of cards", "deck"),
    "train-clip": Command("train_clip", "train or measure one of the project's CLIPs", "clip,deck"),
}


def main() -> None:
    """The console script."""
    call("dixit", COMMANDS, sys.argv[1:])


def call(program: str, commands: Commands, words: Sequence[str]) -> None:
    """Run the command that the first of the words names with the others as its arguments.

    Prints the help for no word and for --help. An unknown command and a missing library end with one line and exit
    code 2.
    """
    name, *rest = words or ["--help"]
    if name in ("-h", "--help"):
        print(usage(program, commands))
        return
    if name not in commands:
        near = get_close_matches(name, commands, n=1)
        hint = f"did you mean {near[0]}?" if near else f"choose one of {', '.join(commands)}"
        _fail(f"{program} has no command {name!r}: {hint}")
    command = commands[name]
    if not isinstance(command, Command):
        call(f"{program} {name}", command, rest)
        return
    from dixit_env.scripts.common import run  # tyro takes a quarter of a second to import

    try:
        script = import_module(f"dixit_env.scripts.{command.module}")
    except ModuleNotFoundError as error:
        if not command.extra or str(error.name).startswith("dixit_env"):
            raise
        _fail(f'{program} {name} needs {error.name}: pip install "dixit-env[{command.extra}]"')
    run(script.main, script.Args, script.EXAMPLES, rest, f"{program} {name}")


def usage(program: str, commands: Commands) -> str:
    """The help: a line for each command, those of a group one by one."""
    rows = dict(_listed(commands))
    lines = [f"  {name:<{max(map(len, rows))}}  {summary}" for name, summary in rows.items()]
    head = f"usage: {program} COMMAND [OPTIONS]     (options and examples: {program} COMMAND --help)"
    return "\n".join([head, "", *lines])


def _listed(commands: Commands) -> list[tuple[str, str]]:
    rows = []
    for name, command in commands.items():
        if isinstance(command, Command):
            rows.append((name, command.summary))
        else:
            rows += [(f"{name} {member}", summary) for member, summary in _listed(command)]
    return rows


def _fail(message: str) -> None:
    print(f"error: {message}", file=sys.stderr)
    sys.exit(2)


if __name__ == "__main__":
    main()
