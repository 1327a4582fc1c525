"""Listeners that guess the storyteller's card from a clue: by counting, by past clues, by learning, and by sight."""

import importlib.util
from collections.abc import Callable, Mapping, Sequence

from dixit_env.agents.listeners.counting import prior, tfidf, uniform
from dixit_env.agents.listeners.kernel import kernel_listener
from dixit_env.agents.listeners.past_clues import past_clues
from dixit_env.agents.listeners.pictures import picture_listener
from dixit_env.agents.listeners.unknown import with_unknown_cards
from dixit_env.bench.listeners.measure import Floats, Listener, calibrated
from dixit_env.models.sentences import install_command, installed

LEARNED: Mapping[str, tuple[str, ...]] = {
    "past-clues": ("minilm",),
    "trained": ("minilm", "e5"),
    "trained-large": ("minilm", "e5", "mpnet"),
}
"""The sentence encoders that a listener needs."""


def listeners(
    pictures: Callable[[Sequence[str]], Floats] | None = None,
) -> tuple[dict[str, Listener], dict[str, str]]:
    """Every listener that can be had here, by name from the simplest to the best, and what the others lack.

    `pictures` gives cosines of clues and the deck's pictures, (n, deck), and adds the listener "clip".
    """
    named: dict[str, Listener] = {"uniform": uniform, "prior": calibrated(prior)}
    missing: dict[str, str] = {}
    if pictures is not None:
        named["clip"] = calibrated(picture_listener(pictures))
    if importlib.util.find_spec("sklearn") is None:
        missing = dict.fromkeys(("tfidf", *LEARNED), "pip install scikit-learn")
        return named, missing
    named["tfidf"] = calibrated(with_unknown_cards(tfidf))
    for name, encoders in LEARNED.items():
        if lacking := [encoder for encoder in encoders if not installed(encoder)]:
            missing[name] = ", ".join(map(install_command, lacking))
        else:
            named[name] = (
                calibrated(with_unknown_cards(past_clues)) if name == "past-clues" else kernel_listener(encoders)
            )
    return named, missing
