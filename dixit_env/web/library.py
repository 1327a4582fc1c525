"""A server for games on disk: their list, and the page that steps through each of them. No tables, no database."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from dixit_env.web.connections import Doors
from dixit_env.web.page import load_page
from dixit_env.web.pictures import Pictures
from dixit_env.web.projection import Frame
from dixit_env.web.protocol import Refused
from dixit_env.web.responses import FAULTS, NOT_KEPT, deck_picture, page_file, static
from dixit_env.web.security import Guard, Limits


@dataclass(frozen=True, slots=True)
class StoredGame:
    """A game on disk: what the list tells of it, and how it is opened."""

    file: str
    name: str  # within the file
    seats: tuple[str, ...]  # the agents' names
    scores: tuple[int, ...]  # () where there are none
    winners: tuple[int, ...]
    open: Callable[[], Frame]  # the game as a replay frame


class LibraryServer:
    """Games on disk, served. Runs as `dixit_env.web.server.Server` does.

    Args:
        names: that lead here; requests for other names are refused.
    """

    def __init__(self, games: Sequence[StoredGame], pictures: Pictures, limits: Limits, names: frozenset[str]) -> None:
        self.games = games
        self.pictures = pictures
        self.limits = limits
        self.names = names
        self.doors = Doors(limits.waiting, limits.waiting_of_address)
        self._page_files = load_page()

    def app(self) -> Starlette:
        """The ASGI application."""
        return Starlette(
            routes=[
                Route("/", self._page),
                Route("/games/{number}", self._page),
                Route("/api/games", self._list),
                Route("/api/games/{number}", self._game),
                Route("/cards/{card}/{size}.webp", self._picture),
                Route("/static/{version}/{name}", self._file),
            ],
            middleware=[Middleware(Guard, limits=self.limits, names=self.names)],
            exception_handlers=FAULTS,
        )

    async def _page(self, request: Request) -> Response:
        return static(self._page_files.replay, NOT_KEPT, request)

    async def _file(self, request: Request) -> Response:
        return page_file(self._page_files, request)

    async def _picture(self, request: Request) -> Response:
        return deck_picture(self.pictures, request)

    async def _list(self, _: Request) -> Response:
        entries = [
            {
                "number": number,
                "file": game.file,
                "name": game.name,
                "seats": game.seats,
                "scores": game.scores,
                "winners": game.winners,
            }
            for number, game in enumerate(self.games, 1)
        ]
        return JSONResponse({"games": entries})

    async def _game(self, request: Request) -> Response:
        number = request.path_params["number"]
        place = int(number) if number.isdecimal() and len(number) < 9 else 0
        if not 1 <= place <= len(self.games):
            raise Refused("unknown_game", "there is no game of that number")
        return JSONResponse(await run_in_threadpool(self.games[place - 1].open))
