"""A past game as one HTML file, with the pictures of the cards that it shows."""

import base64

from dixit_env.decks.deck import Deck
from dixit_env.web.page import one_file
from dixit_env.web.pictures import shrunk
from dixit_env.web.projection import Frame

PICTURE = (320, 480, 74)  # the box a picture fits into, and the WebP quality; chosen: a whole deck stays below 4 MB


def replay_html(frame: Frame, deck: Deck) -> str:
    """The page that steps through a game (`replay_frame`), with everything that it needs in it."""
    used = {card["id"] for turn in frame["turns"] for cards in (turn["slots"], *turn["hands"]) for card in cards}
    pictures = {
        card.id: f"data:image/webp;base64,{base64.b64encode(shrunk(card, *PICTURE)).decode()}"
        for card in deck.cards
        if card.id in used
    }
    return one_file({"game": frame, "pictures": pictures})
