"""A picture of the table, made from a view: clue, cards in slots, owners and votes once scored, the score track."""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont, ImageOps

from dixit_env.decks.deck import Deck
from dixit_env.decks.pictures import open_picture
from dixit_env.game.engine import Phase, PlayedTurn
from dixit_env.game.view import View

SIZE = (1200, 760)
# One colour a seat; the first eight are the colour-blind-safe set of Okabe and Ito. Seats carry their number too.
COLOURS = (
    "#e69f00", "#56b4e9", "#009e73", "#f0e442", "#0072b2", "#d55e00",
    "#cc79a7", "#9a9a9a", "#7b4fb3", "#8c6239", "#5d8a2f", "#c23b4e",
)  # fmt: skip
GROUND, PAPER, INK, FAINT = "#241f31", "#f6efe0", "#fbf6ea", "#b9aec8"
TRACK = 110  # pixels of the score track at the bottom
SEATS = 70  # pixels of the seats' names and points above it
CAPTION = 54  # pixels below each card


def table_picture(view: View, deck: Deck, names: Sequence[str] = (), turn: PlayedTurn | None = None) -> Image.Image:
    """The table as this view shows it, RGB, `SIZE` pixels.

    Args:
        view: of a seat or a spectator; nothing is drawn that it doesn't hold.
        deck: gives the cards their pictures; a card without one shows its number.
        names: of the seats.
        turn: a finished turn to show with owners and votes instead of the open one.
    """
    if turn is None and view.phase in (Phase.CLUE, Phase.OVER) and view.history:
        turn = view.history[-1]
    picture = Image.new("RGB", SIZE, GROUND)
    draw = ImageDraw.Draw(picture)
    teller = view.storyteller if turn is None else turn.storyteller
    clue = view.clue if turn is None else turn.clue
    number = view.turn if turn is None else turn.number
    _seat_badge(draw, 46, 44, 22, teller)
    who = names[teller] if names else f"seat {teller + 1}"
    head = f"“{clue}”" if clue else "thinks of a clue …"
    _fitted(draw, (84, 14), head, SIZE[0] - 110, 34, INK)
    draw.text((84, 56), f"Turn {number} · {who} is the storyteller", font=_font(17), fill=FAINT)
    slots = view.slots if turn is None else turn.slots
    _slots(picture, draw, view, deck, slots, turn)
    _seats(draw, view, names, teller)
    _track(draw, view)
    return picture


def _slots(
    picture: Image.Image,
    draw: ImageDraw.ImageDraw,
    view: View,
    deck: Deck,
    slots: Sequence[int],
    turn: PlayedTurn | None,
) -> None:
    count = len(slots) or view.rules.slots
    top, bottom = 96, SIZE[1] - TRACK - SEATS
    rows = 1 if count <= 6 else 2
    columns = -(-count // rows)
    cell_w, cell_h = SIZE[0] // columns, (bottom - top) // rows
    height = min(cell_h - CAPTION - 12, int((cell_w - 24) * 1.5))
    width = int(height / 1.5)
    for slot in range(count):
        row, column = divmod(slot, columns)
        x = column * cell_w + (cell_w - width) // 2
        y = top + row * cell_h + (cell_h - CAPTION - height) // 2
        box = (x, y, x + width, y + height)
        if not slots:
            draw.rounded_rectangle(box, 10, outline=FAINT, width=2)
            continue
        target = turn is not None and slot == turn.target
        draw.rounded_rectangle((x - 5, y - 5, x + width + 5, y + height + 5), 12, fill="#ffd75e" if target else PAPER)
        _card(picture, draw, deck, slots[slot], box)
        draw.ellipse((x + 6, y + 6, x + 40, y + 40), fill=GROUND)
        draw.text((x + 23, y + 23), str(slot + 1), font=_font(20), fill=INK, anchor="mm")
        if turn is None:
            if slot in view.own_slots:
                draw.text((x + width // 2, y + height + 26), "yours", font=_font(16), fill=FAINT, anchor="mm")
            continue
        owner = turn.owners[slot]
        _seat_badge(draw, x + 17, y + height + 28, 15, owner)
        dials = [seat for seat, vote in enumerate(turn.votes) for voted in vote if voted == slot]
        step = min(24, max(8, (width - 50) // max(1, len(dials))))
        for place, seat in enumerate(dials):
            _dial(draw, x + 52 + place * step, y + height + 28, seat)


def _card(
    picture: Image.Image, draw: ImageDraw.ImageDraw, deck: Deck, card: int, box: tuple[int, int, int, int]
) -> None:
    x, y, right, bottom = box
    path = deck.cards[card].path
    if path is not None:
        picture.paste(_thumbnail(path, right - x, bottom - y), (x, y))
        return
    draw.rectangle(box, fill="#6d6186")
    draw.text(((x + right) // 2, (y + bottom) // 2), str(card), font=_font(30), fill=INK, anchor="mm")


def _seats(draw: ImageDraw.ImageDraw, view: View, names: Sequence[str], teller: int) -> None:
    """Who sits where, with points, in up to two rows of six."""
    top, width = SIZE[1] - TRACK - SEATS, SIZE[0] // min(6, view.players)
    for seat, points in enumerate(view.scores):
        row, column = divmod(seat, 6)
        x, y = column * width + 30, top + 18 + 32 * row
        _seat_badge(draw, x, y, 13, seat)
        name = names[seat] if names else f"seat {seat + 1}"
        _fitted(draw, (x + 20, y - 11), f"{points} · {name}", width - 60, 18, INK if seat != teller else "#ffd75e")


def _track(draw: ImageDraw.ImageDraw, view: View) -> None:
    """The score track: a line to the target, a badge for each seat, seats of equal points in a column."""
    y, left, right = SIZE[1] - 26, 40, SIZE[0] - 40
    target = view.rules.target
    draw.line((left, y, right, y), fill=FAINT, width=3)
    for mark in range(0, target + 1, 5):
        x = left + (right - left) * mark // target
        draw.line((x, y - 5, x, y + 5), fill=FAINT, width=3)
        draw.text((x, y + 15), str(mark), font=_font(13), fill=FAINT, anchor="mm")
    height: dict[int, int] = {}
    for seat, points in enumerate(view.scores):
        place = min(points, target)
        level = height.get(place, 0)
        height[place] = level + 1
        column, row = divmod(level, 4)
        _seat_badge(draw, left + (right - left) * place // target + column * 20, y - 17 - 18 * row, 9, seat)


def _seat_badge(draw: ImageDraw.ImageDraw, x: int, y: int, radius: int, seat: int) -> None:
    draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill=COLOURS[seat], outline=GROUND)
    draw.text((x, y), str(seat + 1), font=_font(max(11, int(radius * 1.1))), fill="#17131f", anchor="mm")


def _dial(draw: ImageDraw.ImageDraw, x: int, y: int, seat: int) -> None:
    draw.rounded_rectangle((x - 10, y - 10, x + 10, y + 10), 4, fill=GROUND, outline=COLOURS[seat], width=3)
    draw.text((x, y), str(seat + 1), font=_font(12), fill=INK, anchor="mm")


def _fitted(draw: ImageDraw.ImageDraw, at: tuple[int, int], text: str, width: int, size: int, fill: str) -> None:
    """Text in one line, smaller and then cut where it would not fit."""
    while size > 18 and draw.textlength(text, font=_font(size)) > width:
        size -= 2
    while len(text) > 1 and draw.textlength(text, font=_font(size)) > width:
        text = text[:-2].rstrip("”…") + "…"
    draw.text(at, text, font=_font(size), fill=fill)


@lru_cache(maxsize=64)
def _font(size: int) -> ImageFont.ImageFont | ImageFont.FreeTypeFont:
    return ImageFont.load_default(size)


@lru_cache(maxsize=512)
def _thumbnail(path: Path, width: int, height: int) -> Image.Image:
    return ImageOps.fit(open_picture(path, max(width, height)), (width, height))
