"""A bot of your own at a live table, over HTTP: it takes a seat, asks for its view, sends moves (docs/seat_api.md).

    python examples/seat_bot.py                                  plays a game against bots on a server of its own
    python examples/seat_bot.py http://127.0.0.1:8000 TABLE      sits down at a table that is open

It needs Python's standard library only; a bot in any language sends the same requests.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

Answer = dict[str, Any]


class Seat:
    """A seat at a table: the address of the table's requests, and the token that goes with each."""

    def __init__(self, server: str, table: str, name: str, consent: bool) -> None:
        self.address = f"{server.rstrip('/')}/api/tables/{table}"
        self.token = ""
        self.token = self.ask("POST", "/seats", {"name": name, "consent": consent})["token"]

    def ask(self, method: str, path: str, body: Answer | None = None) -> Answer:
        """One request; a refusal is an error with the server's own words."""
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {self.token}"}
        data = None if body is None else json.dumps(body).encode()
        try:
            with urlopen(Request(self.address + path, data, headers, method=method), timeout=60) as answer:
                return dict(json.load(answer))
        except HTTPError as error:
            raise SystemExit(f"refused: {json.load(error)['error']['message']}") from error


def choose(view: Answer, rng: Random) -> Answer:
    """The bot's mind: any legal move, and a clue that means nothing. Put yours here."""
    move = dict(rng.choice(view["moves"]))
    if "clue" in move:
        move["clue"] = rng.choice(["almost home", "the last guest", "too late"])
    return move


def play(seat: Seat, rng: Random) -> Answer:
    """Play until the game is over; the last view."""
    seen = seat.ask("GET", "/view")
    while seen["phase"] != "over":
        if seen["acts"]:
            now = {"game": seen["game"], "turn": seen["turn"], "phase": seen["phase"]}
            seat.ask("POST", "/moves", {**now, "move": choose(seen["view"], rng)})
            seen = seat.ask("GET", "/view")
        else:
            seen = seat.ask("GET", f"/view?after={seen['revision']}&wait=20")  # answers as soon as there is news
    return seen


@contextmanager
def own_server() -> Iterator[str]:
    """A server on this machine; its address."""
    with tempfile.TemporaryDirectory() as folder:
        serve = [sys.executable, "-m", "dixit_env", "serve", "--port", "0", "--bots", "random"]
        with subprocess.Popen([*serve, "--db", f"{folder}/games.sqlite"], stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            try:
                yield process.stdout.readline().split()[-1].rstrip("/")
            finally:
                process.terminate()


def main() -> None:
    """Play one game."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("server", nargs="?")
    parser.add_argument("table", nargs="?")
    parser.add_argument("--consent", action="store_true", help="the game may be kept for research")
    args = parser.parse_args()
    if args.server:
        end = play(Seat(args.server, args.table, "seat_bot", args.consent), Random())
    else:
        with own_server() as server:
            body, headers = json.dumps({"seats": 4}).encode(), {"Content-Type": "application/json"}
            with urlopen(Request(f"{server}/api/tables", body, headers), timeout=60) as opened:
                table = json.load(opened)["table"]
            seat = Seat(server, table, "seat_bot", consent=True)
            seat.ask("POST", "/start", {})
            end = play(seat, Random(1))
    for player, points in zip(end["players"], end["view"]["scores"], strict=True):
        print(f"{player['name'] or player['kind']:>12}: {points}")


if __name__ == "__main__":
    main()
