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
    sources: Sources,
    seed: int,
    exclude: frozenset[str] = frozenset(),
    template: str | None = None,
    moods: frozenset[str] = frozenset(),
    kinds: frozenset[str] = frozenset(),
) -> Scene:
    """A scene drawn from one seed. The same arguments give the same scene; scenes of other seeds are independent.

    Args:
        sources: what there is to draw from.
        seed: not negative.
        exclude: keys of things that don't appear.
        template: its template; drawn when it isn't named.
        moods: its mood is one of these; empty for any.
        kinds: its landscape is of one of these kinds; empty for any.

    Raises:
        DixitError: no template of this name suits these moods and kinds or can be filled with the things left, or
            `exclude` names one of `PROPS`.
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

    names = [name for name in suiting(moods, kinds) if template in (None, name) and can_be_filled(name)]
    if not names:
        raise DixitError(
            f"no template {template or ''} that suits and has things left for it: there are {', '.join(TEMPLATES)}"
        )
    rng = np.random.default_rng((seed, 1))
    chosen = TEMPLATES[pick(rng, names)]
    taken = set(exclude)

    def thing(roles: frozenset[str]) -> Thing:
        drawn: Thing = pick(rng, fitting(roles, taken))
        taken.add(drawn.key)
        return drawn

    main = thing(chosen.main)
    small = tuple(thing(roles) for roles in chosen.small)
    landscape = pick(rng, [view for view in sources.landscapes.values() if both(chosen.kinds, kinds, view.kind)])
    other = pick(rng, [view for view in sources.landscapes.values() if view.kind != landscape.kind])
    choice = [name for name in MOODS if both(chosen.moods, moods, name)]
    weights = np.array([MOODS[name].weight for name in choice])
    mood = str(rng.choice(choice, p=weights / weights.sum()))
    return Scene(seed, chosen.name, main, small, landscape, other, mood, pick(rng, sorted(MANNERS)))


def both(first: frozenset[str], second: frozenset[str], name: str) -> bool:
    """Whether two lists admit a name; an empty one admits all."""
    return (not first or name in first) and (not second or name in second)


def suiting(moods: frozenset[str], kinds: frozenset[str]) -> list[str]:
    """The templates, sorted, that go with one of these moods and one of these kinds of landscape (empty for any)."""
    return [
        name
        for name, template in sorted(TEMPLATES.items())
        if (not moods or not template.moods or moods & template.moods)
        and (not kinds or not template.kinds or kinds & template.kinds)
    ]
