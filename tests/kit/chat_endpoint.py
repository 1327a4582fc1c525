"""A chat endpoint on this machine that answers from a script, and games to ask it about."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from random import Random
from typing import Any

import pytest
from PIL import Image

from dixit_env.agents.language.agent import LanguageAgent, language_agent
from dixit_env.decks.deck import Card, Deck
from dixit_env.game.engine import GameState, apply, new_game, waiting_for
from dixit_env.game.moves import GiveClue, PlayCards
from dixit_env.game.rules import ODYSSEY, Rules
from dixit_env.game.view import View, view

Answers = Callable[[dict[str, Any]], tuple[int, Any]]
CLUE = "a sea of stars"


class Endpoint:
    """A chat endpoint that answers with a script's next entry, then sensibly; it keeps what it was asked."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.script: list[Answers] = []
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                endpoint.requests.append(request)
                endpoint.keys.append(self.headers["Authorization"])
                status, body = (endpoint.script.pop(0) if endpoint.script else sensible)(request)
                data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.send_header("Retry-After-Ms", "10")
                self.end_headers()
                with suppress(BrokenPipeError):  # the client didn't wait
                    self.wfile.write(data)

            def log_message(self, *_: object) -> None: ...

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


def completion(text: str, finish: str = "stop") -> tuple[int, Any]:
    choice = {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text}}
    usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
    return 200, {
        "id": "1",
        "object": "chat.completion",
        "created": 0,
        "model": "m",
        "choices": [choice],
        "usage": usage,
    }


def sensible(request: dict[str, Any]) -> tuple[int, Any]:
    """The last legal choice, and the same clue every time."""
    properties = request["response_format"]["json_schema"]["schema"]["properties"]
    answer = {name: value["enum"][-1] if "enum" in value else CLUE for name, value in properties.items()}
    return completion(json.dumps(answer))


def saying(text: str, finish: str = "stop") -> Answers:
    return lambda _: completion(text, finish)


def status(code: int, message: str = "no") -> Answers:
    return lambda _: (code, {"error": {"message": message}})


def running_endpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    """An endpoint, an empty cache and no API key."""
    monkeypatch.setenv("DIXIT_ENV_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    server = Endpoint()
    yield server
    server.close()


def told_deck() -> Deck:
    """84 cards with captions."""
    return Deck("told", tuple(Card(f"{n:016x}", f"told/{n}", captions={"en": f"picture {n}."}) for n in range(84)))


def painted_deck(tmp_path: Path) -> Deck:
    """21 pictures, each redder than the last."""
    folder = tmp_path / "pictures"
    folder.mkdir()
    for number in range(21):
        Image.new("RGB", (800, 600), (number * 10, 90, 120)).save(folder / f"{number:02}.png")
    return Deck.from_folder(folder)


def seated(endpoint: Endpoint, deck: Deck, options: str = "", seed: int = 1) -> LanguageAgent:
    agent = language_agent(f"toy@{endpoint.url}{options}", deck)
    agent.begin(0, Random(seed))
    return agent


def clue_view(rules: Rules = ODYSSEY, players: int = 4) -> View:
    return view(new_game(rules, players, seed=3, first=0), 0)


def vote_state(rules: Rules = ODYSSEY, players: int = 4, clue: str = CLUE) -> GameState:
    """Seat 1 gave the clue; the others have put down the first cards of their hands."""
    state = new_game(rules, players, seed=3, first=1)
    state = apply(state, 1, GiveClue(state.hands[1][0], clue))
    for seat in waiting_for(state):
        state = apply(state, seat, PlayCards(state.hands[seat][: state.rules.gives]))
    return state
