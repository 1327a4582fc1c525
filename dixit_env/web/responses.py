"""What a server of tables and one of past games answer alike: files of the page, pictures of the deck, and faults."""

from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from dixit_env.web.page import File, Page
from dixit_env.web.pictures import SIZES, Pictures
from dixit_env.web.protocol import Refused

STATUS = {
    "no_token": 401,
    **dict.fromkeys(("origin", "not_seated", "not_host", "removed"), 403),
    **dict.fromkeys(("unknown_table", "unknown_game", "no_study"), 404),
    **dict.fromkeys(("full", "stale", "paused", "reveal", "illegal", "other_deck", "begun"), 409),
    "rate": 429,
    **dict.fromkeys(("busy", "server"), 503),
}
FOR_EVER = {"Cache-Control": "private, max-age=31536000, immutable"}
NOT_KEPT = {"Cache-Control": "no-cache"}


def _refused(_: Request, error: Exception) -> Response:
    assert isinstance(error, Refused)
    body = {"error": {"code": error.code, "message": error.message}}
    return JSONResponse(body, STATUS.get(error.code, 400))


def _http_error(_: Request, error: Exception) -> Response:
    status = getattr(error, "status_code", 500)
    code, message = {
        404: ("unknown_table", "there is no such page"),
        405: ("bad_frame", "not with this method"),
    }.get(status, ("server", "something went wrong on the server; try again"))
    return JSONResponse({"error": {"code": code, "message": message}}, status)


FAULTS: dict[Any, Any] = {Refused: _refused, HTTPException: _http_error, Exception: _http_error}


def page_file(page: Page, request: Request) -> Response:
    """A file of the page; a page that was open while the server changed gets today's, but doesn't keep it."""
    version, name = request.path_params["version"], request.path_params["name"]
    if name not in page.files:
        raise Refused("unknown_table", "there is no such page")
    return static(page.files[name], FOR_EVER if version == page.version else NOT_KEPT, request)


def deck_picture(pictures: Pictures, request: Request) -> Response:
    """A card's picture by its id in the deck: which cards there are is no secret, only who has them."""
    number, size = pictures.numbers.get(request.path_params["card"]), request.path_params["size"]
    if number is None or size not in SIZES:
        raise Refused("unknown_table", "there is no such picture")
    return Response(pictures.webp(number, size), headers=FOR_EVER, media_type="image/webp")


def static(file: File, caching: dict[str, str], request: Request) -> Response:
    """A file, or the word that the browser has it."""
    headers = {**caching, "ETag": file.tag}
    if request.headers.get("if-none-match") == file.tag:
        return Response(status_code=304, headers=headers)
    return Response(file.body, headers=headers, media_type=file.kind)
