"""Serve the table in the browser: people join by a link, bots fill the seats, every decision is kept."""

import math
import socket
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from dixit_env.agents.clip.personas import personas
from dixit_env.agents.registry import in_language
from dixit_env.bench.stored_games import counted, stored_games
from dixit_env.bench.viewers.online import export_blind, shown_tables
from dixit_env.decks.deck import Deck
from dixit_env.errors import DixitError
from dixit_env.game.rules import edition
from dixit_env.scripts.common import EyesArgs, run
from dixit_env.table.play import Agent
from dixit_env.web.export import export_games
from dixit_env.web.library import LibraryServer
from dixit_env.web.orders import Offer
from dixit_env.web.pictures import Pictures
from dixit_env.web.resources import Resources, Timing
from dixit_env.web.security import Limits, is_loopback
from dixit_env.web.server import Server, lan_address, listen, open_files
from dixit_env.web.server import run as run_server
from dixit_env.web.store import Store
from dixit_env.web.study import Study, read_study
from dixit_env.web.study_export import export_study
from dixit_env.web.thinking import AT_ONCE, Thinker

EXAMPLES = """
python scripts/serve.py
python scripts/serve.py --port 8000 --db games.sqlite
python scripts/serve.py --host 0.0.0.0 --bots greedy
python scripts/serve.py --site games.example
python scripts/serve.py --deck dreams --deck my_pictures --clip ViT-B-32:laion2b_s34b_b79k
python scripts/serve.py --db games.sqlite --export runs/games
python scripts/serve.py --records runs/t1
python scripts/serve.py --db study.sqlite --study examples/study.toml
python scripts/serve.py --db study.sqlite --study examples/study.toml --export runs/study
"""

BOTS = ("clip", "greedy", "random")
ASKED = AT_ONCE  # bots that are asked at once: what one batch of the process that they think in takes
LIGHT = ("random", "language")  # bots that compute next to nothing: they decide in the server's own process


@dataclass(frozen=True, kw_only=True)
class Args(EyesArgs):
    """Serve the table in the browser. Prints the link."""

    port: int = 8000
    """Port to listen on; 0 takes a free one."""
    host: str = "127.0.0.1"
    """Address to listen on: 127.0.0.1 is for this machine only, 0.0.0.0 for everybody who can reach it."""
    site: Annotated[tuple[str, ...], tyro.conf.UseAppendAction] = ()
    """Name that leads here, such as games.example; repeat for several. Requests for other names are refused, except for
    addresses and this machine's own name."""
    db: str = "games.sqlite"
    """Where games are kept: an SQLite file, or a database URL such as postgresql+psycopg://user@host/games."""
    bots: str = "clip"
    """The bot that new tables begin with, in place of the plain one of its kind; tables choose among it, clip,
    greedy, random and the personas. They give their clues in the table's language."""
    pace: float = 1.0
    """How long bots take to answer: 1 as people do, 0 no longer than they need."""
    study: Path | None = None
    """Study file (docs/hosting.md): participants who come by the study's link play at tables of their own, alone or
    several together (people), or judge the tables of a blind test."""
    export: Path | None = None
    """Write the games that everybody agreed to share as records into this folder, and stop. With --study also the
    study's tables, with their codebook."""
    names: bool = False
    """With --export: write the people's names."""
    records: Path | None = None
    """Instead of tables, serve the games in this file or folder, to step through: what play.py, tournament.py and
    benchmark.py wrote."""


def main(args: Args) -> None:
    """Serve, or export."""
    if args.records is not None:
        _serve_records(args, args.records)
        return
    study = None if args.study is None else read_study(args.study)
    store = Store(args.db)
    try:
        if args.export is not None:
            written, left_out = export_games(store, args.export, args.names)
            print(f"{written} games written to {args.export}, {left_out} left out for want of consent")
            if study is not None:
                export = export_blind if study.tables else export_study
                print(f"{export(store, study, args.export)} participants written to {args.export}")
        else:
            _serve(args, store, study)
    finally:
        store.close()


def _serve(args: Args, store: Store, study: Study | None) -> None:
    if not 0 <= args.pace < math.inf:
        raise DixitError(f"--pace {args.pace:g} is no pace: give 1 for people's own, 0 for no waiting, or between")
    source = args.source()
    deck = source.deck()
    if study is not None and not study.tables:
        edition(study.rules).check_deck(study.seats, len(deck))
    kind = args.bots.partition(":")[0]
    kinds = {kind: args.bots} | {bot: bot for bot in BOTS if bot != kind}
    known = {persona.options.persona: persona for persona in personas()}
    specs = kinds | {key: persona.spec for key, persona in known.items()}

    def spec(bot: str, lang: str) -> str:
        return in_language(specs.get(bot, bot), lang)

    bots = [args.bots, *(study.bots if study else ())]
    heavy = [bot for bot in bots if not is_light(bot)]
    source.check([bot for bot in bots if is_light(bot)])  # a wrong spec is an error now, not at the first table
    tables = shown_tables(Path(study.tables), deck.cards) if study and study.tables else ()
    listener = listen(args.host, args.port)
    exposed = not is_loopback(args.host)
    pool = ThreadPoolExecutor(ASKED, thread_name_prefix="bot")
    with pool, Thinker(source, heavy) as thinker:

        def make_bot(spec: str, seat: int, seed: int) -> Agent:
            return source.agent(spec, seat, seed) if is_light(spec) else thinker.bot(spec, seat, seed)

        if heavy:
            thinker.start()  # with the same errors for these
        offer = Offer(deck, tuple(kinds), spec, known, study, tables)
        resources = Resources(offer, make_bot, store, pool, Timing(pace=args.pace))
        server = Server(resources, Pictures(deck), Limits().within(open_files()), exposed, names(args))
        _say_where(args, listener)
        if study is not None:
            print(f"Participants of {study.name}: add study?{study.parameter}=ID to that address", flush=True)
        if exposed:
            print("Everybody who can reach this address can open tables; there is no encryption without a proxy.")
        run_server(server, listener)


def is_light(bot: str) -> bool:
    """Does the bot of this spec compute so little that it can do so beside the sockets?"""
    return bot.partition(":")[0] in LIGHT


def _serve_records(args: Args, path: Path) -> None:
    deck = Deck.load(*args.decks)
    games = stored_games(path, deck)
    listener = listen(args.host, args.port)
    server = LibraryServer(games, Pictures(deck), Limits().within(open_files()), names(args))
    print(counted(games))
    _say_where(args, listener)
    run_server(server, listener)


def _say_where(args: Args, listener: socket.socket) -> None:
    host = lan_address() if args.host in ("0.0.0.0", "::") else args.host
    print(f"Open http://{f'[{host}]' if ':' in host else host}:{listener.getsockname()[1]}/", flush=True)


def names(args: Args) -> frozenset[str]:
    """The names that requests may be for."""
    here = socket.gethostname()
    return frozenset(name.casefold() for name in (*args.site, args.host, here, f"{here}.local"))


if __name__ == "__main__":
    run(main, Args, EXAMPLES)
