"""Listeners that guess the storyteller's card from a clue: by counting, by past clues, by learning, and by sight."""

from collections.abc import Callable, Mapping, Sequence

from agents.listeners.counting import prior, tfidf, uniform
from agents.listeners.kernel import kernel_listener
from agents.listeners.past_clues import past_clues
from agents.listeners.pictures import picture_listener
from dixit_env.arena.listener_bench import Floats, Listener, calibrated
from models.sentences import installed

LARGE = "trained-large"
"""The best one; it needs the `mpnet` encoder, which not everybody has."""


def listeners(pictures: Callable[[Sequence[str]], Floats] | None = None) -> Mapping[str, Listener]:
    """Every listener by name that can be had here.

    `pictures` gives cosines of clues and the deck's pictures, (n, deck), and adds the listener "clip".
    """
    named = {
        "uniform": uniform,
        "prior": calibrated(prior),
        "tfidf": calibrated(tfidf),
        "past-clues": calibrated(past_clues),
        "trained": kernel_listener(("minilm", "e5")),
    }
    if installed("mpnet"):
        named[LARGE] = kernel_listener(("minilm", "e5", "mpnet"))
    if pictures is not None:
        named["clip"] = calibrated(picture_listener(pictures))
    return named
