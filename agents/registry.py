"""Agents by name: a spec string such as `clip:votes=win,temperature=0.5` becomes a player."""

from collections.abc import Callable, Sequence
from difflib import get_close_matches

from dixit_env.agents.options import parse_options
from dixit_env.errors import SpecError
from dixit_env.models.sight import Sight
from dixit_env.table.play import Agent


def make_agent(spec: str, sight: Sight) -> Agent:
    """The agent that a spec names, for one seat; raises `SpecError` that lists what is known."""
    name, _, rest = spec.strip().partition(":")
    if name not in _MAKERS:
        near = get_close_matches(name, _MAKERS, n=1)
        hint = f" (did you mean {near[0]}?)" if near else ""
        raise SpecError(f"no agent is called {name!r}{hint}: choose one of {', '.join(_MAKERS)}")
    agent = _MAKERS[name](rest, sight)
    agent.name = spec.strip()
    return agent


def make_agents(specs: Sequence[str], sight: Sight) -> list[Agent]:
    """One agent for each seat."""
    return [make_agent(spec, sight) for spec in specs]


def in_language(spec: str, lang: str) -> str:
    """The spec of the same agent, giving its clues in a language; as it is, where it names a language or has no words.

    `clip` becomes `clip:lang=pt`, `learned:default` becomes `learned:default,lang=pt`.
    """
    name, _, rest = spec.strip().partition(":")
    if name not in _SPEAKERS or lang == "en" or "lang=" in rest:
        return spec
    comma = "," if rest or name == "learned" else ""  # what comes first of `learned` is a path
    return f"{name}:{rest}{comma}lang={lang}"


def split_specs(text: str) -> list[str]:
    """Specs from a list with commas. A bare `key=value` belongs to the last: `clip:votes=win,rho=0.2,random` is two."""
    specs: list[str] = []
    for piece in text.split(","):
        continues = specs and "=" in piece and ":" not in piece.partition("=")[0]
        if continues:
            specs[-1] += f",{piece}"
        elif piece.strip():
            specs.append(piece.strip())
    return specs


def _random(rest: str, sight: Sight) -> Agent:
    from dixit_env.agents.scripted import RandomAgent, ScriptedOptions

    return RandomAgent(parse_options(rest, ScriptedOptions))


def _greedy(rest: str, sight: Sight) -> Agent:
    from dixit_env.agents.scripted import GreedyAgent, ScriptedOptions

    return GreedyAgent(sight, parse_options(rest, ScriptedOptions))


def _clip(rest: str, sight: Sight) -> Agent:
    from dixit_env.agents.clip.agent import ClipAgent
    from dixit_env.agents.clip.personas import clip_options

    return ClipAgent.through(sight, clip_options(rest))


def _learned(rest: str, sight: Sight) -> Agent:
    from dixit_env.agents.learned.agent import learned_agent

    return learned_agent(rest, sight)


def _language(rest: str, sight: Sight) -> Agent:
    from dixit_env.agents.language.agent import language_agent

    return language_agent(rest, sight.deck)


def _human(rest: str, sight: Sight) -> Agent:
    from dixit_env.agents.human import HumanAgent

    if rest:
        raise SpecError(f"human takes no options, not {rest!r}")
    return HumanAgent(sight.deck)


_MAKERS: dict[str, Callable[[str, Sight], Agent]] = {
    "random": _random,
    "greedy": _greedy,
    "clip": _clip,
    "learned": _learned,
    "language": _language,
    "human": _human,
}
_SPEAKERS = ("random", "greedy", "clip", "learned", "language")  # agents that know `lang`
