"""Personas: manners of playing, one small file each."""

from itertools import islice
from pathlib import Path

import pytest

from dixit_env import ODYSSEY, SpecError, play
from dixit_env.agents.clip.agent import CLUES_PER_CARD, ClipAgent
from dixit_env.agents.clip.personas import PERSONAS, Persona, clip_options, load_persona, personas
from dixit_env.agents.clues.bank import load_bank
from dixit_env.agents.registry import make_agent, make_agents
from dixit_env.languages import LANGUAGES
from dixit_env.models.sight import Sight
from dixit_env.table.play import TurnEnded

IDA = (PERSONAS / "ida.toml").read_text(encoding="utf-8")


def write(folder: Path, old: str = "", new: str = "") -> Path:
    """A folder whose only persona is Ida with a change in her file."""
    assert old in IDA
    (folder / "ida.toml").write_text(IDA.replace(old, new, 1), encoding="utf-8")
    return folder


@pytest.mark.parametrize("persona", personas(), ids=lambda persona: persona.name)
def test_each_is_an_agent_with_a_face(sight: Sight, persona: Persona) -> None:
    agent = make_agent(persona.spec, sight)
    assert isinstance(agent, ClipAgent)
    assert agent.options == persona.options
    assert persona.name.istitle()
    assert not persona.face.isascii()
    assert all(persona.manner[lang].endswith(".") for lang in LANGUAGES)


def test_no_two_are_alike() -> None:
    for shown in ("name", "face", "manner"):
        assert len({str(getattr(persona, shown)) for persona in personas()}) == len(personas()) >= 6
    assert len({persona.options.kinds for persona in personas()}) == len(personas())


def test_there_are_enough_clues_for_each_in_every_language() -> None:
    """Later in a game too, when some clues were given before."""
    for lang in LANGUAGES:
        kinds = [clue.kind for clue in load_bank((lang,))]
        for persona in personas():
            assert sum(kinds.count(kind) for kind in persona.options.kinds) > 1.5 * CLUES_PER_CARD, (persona.spec, lang)


@pytest.mark.parametrize("persona", personas(), ids=lambda persona: persona.name)
def test_each_gives_clues_of_its_own_kinds_alone(sight: Sight, persona: Persona) -> None:
    kind = {clue.text: clue.kind for clue in load_bank()}
    agents = make_agents([persona.spec, "random", "random"], sight)
    events = play(agents, ODYSSEY, sight.deck, seed=3, first=0, strict=True)
    turns = islice((event.turn for event in events if isinstance(event, TurnEnded)), 4)
    told = [kind[turn.clue] for turn in turns if turn.storyteller == 0]
    assert len(told) == 2
    assert set(told) <= set(persona.options.kinds)


def test_what_the_spec_says_wins_over_the_persona() -> None:
    ida = load_persona("ida").options
    assert (ida.votes, ida.kinds) == ("points", ("idiom", "proverb"))
    for spec in ("persona=ida,votes=argmax,kinds=mood+title", "votes=argmax,kinds=mood+title,persona=ida"):
        options = clip_options(spec)
        assert (options.votes, options.kinds) == ("argmax", ("mood", "title"))
        assert (options.persona, options.clue) == ("ida", ida.clue)
    # Even where it says what every agent without a persona does.
    assert clip_options("persona=ida,votes=win").votes == "win"


def test_a_file_may_set_any_option_of_the_agent(tmp_path: Path) -> None:
    folder = write(tmp_path, "\n[manner]", 'memory = "off"\nrho = 0.3\n[manner]')
    assert personas(folder)[0].options == clip_options("persona=ida,memory=off,rho=0.3")


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("persona=idda", "no persona is called 'idda' .did you mean ida.*bruno, ida, "),
        ("persona=../personas/ida", "no persona is called"),
        ("kinds=idiom+pun", "'pun'.*concrete, association"),
        ("kinds=", "kind ''"),
        ("who=ida", "persona="),
    ],
)
def test_bad_specs_say_what_there_is(spec: str, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        clip_options(spec)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("votes =", "vote =", "no field is called 'vote': choose from name, .*votes.*rho"),
        ("votes =", "persona =", "no field is called 'persona'"),
        ('"proverb"', '"pun"', "no clues are of the kind 'pun': choose from concrete"),
        ('"idiom", "proverb"', "", "no clues are of the kind ''"),
        ('"points"', '"best"', "votes=best is unknown: choose one of win, points, argmax"),
        ('name = "Ida"', "", "it lacks name"),
        ("da =", "dk =", "a sentence in en, pt, es, da"),
        ('"Ida"', "7", "name and face are texts"),
        ("[manner]", "[manner", "at line"),
    ],
)
def test_a_bad_file_is_one_line_that_names_it(tmp_path: Path, old: str, new: str, message: str) -> None:
    with pytest.raises(SpecError, match=f"^.*ida.toml: .*{message}.*$") as error:
        load_persona("ida", write(tmp_path, old, new))
    assert "\n" not in str(error.value)
