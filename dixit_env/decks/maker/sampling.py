"""Drawing what is on a card: a template, things that fit it, a place, a mood and a style, all from one seed."""

from typing import Any

import numpy as np

from dixit_env.errors import DixitError

from .manner import MANNERS
from .moods import MOODS
from .scene import Scene
from .sources import Sources
from .templates import PROPS, TEMPLATES
from .things import Thing


def pick(rng: np.random.Generator, options: list[Any]) -> Any:
    """One of the options, all as likely."""
    return options[int(rng.integers(len(options)))]


def sample_scene(
    sources: Sources, seed: int, exclude: frozenset[str] = frozenset(), template: str | None = None
) -> Scene:
    """A scene drawn from one seed. No thing whose key is in `exclude` appears in it.

    The same arguments give the same scene; scenes of other seeds are independent. Raises `DixitError` for a template
    that isn't known, or that what is left of the catalogue can't fill, and when `exclude` names one of `PROPS`.
    """
    if props := exclude & PROPS:
        raise DixitError(
            f"templates draw these of their own accord, they can't be excluded: {', '.join(sorted(props))}"
        )

    def fitting(roles: frozenset[str], taken: frozenset[str] | set[str]) -> list[Thing]:
        return [thing for thing in sources.with_roles(roles) if thing.key not in taken]

    def can_be_filled(name: str) -> bool:
        slots = (TEMPLATES[name].main, *TEMPLATES[name].small)
        return all(len(fitting(roles, exclude)) >= len(slots) for roles in slots)

    names = [name for name in sorted(TEMPLATES) if template in (None, name) and can_be_filled(name)]
    if not names:
        raise DixitError(f"no template {template or ''} with things left for it: there are {', '.join(TEMPLATES)}")
    rng = np.random.default_rng((seed, 1))
    chosen = TEMPLATES[pick(rng, names)]
    taken = set(exclude)

    def thing(roles: frozenset[str]) -> Thing:
        drawn: Thing = pick(rng, fitting(roles, taken))
        taken.add(drawn.key)
        return drawn

    main = thing(chosen.main)
    small = tuple(thing(roles) for roles in chosen.small)
    places = [view for view in sources.landscapes.values() if not chosen.kinds or view.kind in chosen.kinds]
    landscape = pick(rng, places)
    other = pick(rng, [view for view in sources.landscapes.values() if view.kind != landscape.kind])
    moods = [name for name in MOODS if not chosen.moods or name in chosen.moods]
    weights = np.array([MOODS[name].weight for name in moods])
    mood = str(rng.choice(moods, p=weights / weights.sum()))
    return Scene(seed, chosen.name, main, small, landscape, other, mood, pick(rng, sorted(MANNERS)))
