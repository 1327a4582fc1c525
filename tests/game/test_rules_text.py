"""The rules in words say what the engine does, in every language, and where the rulebooks say so."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from dixit_env import DIXIT, DIXIT_2008, EDITIONS, ODYSSEY, ODYSSEY_2011, Rules, RulesError
from dixit_env.game import rules_text
from dixit_env.game.rules_text import Section, editions_table, rules_prose, rules_sections
from dixit_env.languages import LANGUAGES

ROOT = Path(__file__).parents[2]


def sources(sections: tuple[Section, ...]) -> list[str]:
    found = []
    for section in sections:
        found += [section.source, *(sentence.source for sentence in section.sentences), *sources(section.cases)]
    return [source for source in found if source]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("rules", EDITIONS.values(), ids=EDITIONS.keys())
def test_every_table_has_its_rules_in_every_language(rules: Rules, language: str) -> None:
    for players in range(rules.min_players, rules.max_players + 1):
        prose = rules_prose(rules.seated(players), language)
        assert not re.search(r"[{}|]|None", prose)
        assert len(re.findall("^- ", prose, re.MULTILINE)) == 11
        assert str(rules.target) in prose


def test_the_languages_have_the_same_texts() -> None:
    texts = json.loads(Path(rules_text.__file__).with_suffix(".json").read_text(encoding="utf-8"))
    assert tuple(texts) == LANGUAGES
    for words in texts.values():
        assert list(words) == list(texts["en"])
        for key, text in words.items():
            assert ("{n}" in text) == ("{n}" in texts["en"][key]), key


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"all_points": 9}, "Everyone else: +9"),
        ({"storyteller_points": 8}, "Storyteller: +8"),
        ({"dial_points": 7}, "+7 for each own dial"),
        ({"target": 55}, "reaches 55 points"),
        ({"rounds": 1}, "everybody has been the storyteller once"),
        ({"rounds": 2}, "everybody has been the storyteller 2 times"),
        ({"decoy_cap": 2}, "at most 2 in a turn"),
        ({"may_stack": False}, "two voting dials, for two different cards"),
        ({"all_means": "voters"}, "Everyone voted for"),
        ({"reshuffle": "never"}, "also ends when the last card"),
    ],
)
def test_other_values_are_other_words_and_are_not_cited(changes: dict[str, object], says: str) -> None:
    changed = replace(ODYSSEY, **changes)  # type: ignore[arg-type]
    assert says in rules_prose(changed.seated(6))
    assert says not in rules_prose(ODYSSEY.seated(6))
    readings = ({"all_means": "voters"}, {"rounds": 1}, {"rounds": 2})  # a rulebook's, and what changes the end only
    assert bool(sources(rules_sections(changed, 6))) == (changes in readings)


def test_three_players_give_two_cards_of_seven() -> None:
    assert "one of 7 cards" in rules_prose(DIXIT.seated(3))
    assert "gives the 2 cards" in rules_prose(DIXIT.seated(3))
    assert "if one of their own cards got a vote" in rules_prose(DIXIT.seated(3))
    assert "for each dial on their own card" in rules_prose(DIXIT.seated(4))
    assert "for each dial on either of their own cards" in rules_prose(ODYSSEY.seated(3))


@pytest.mark.parametrize(
    ("rules", "totals"),
    [(ODYSSEY, [3, 6, 3, 8, 0, 1]), (DIXIT, [3, 1, 3, 5, 0, 0]), (replace(ODYSSEY, all_points=9), [3, 6, 3, 8, 0, 1])],
)
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_worked_example_has_the_points_of_the_rule_text(rules: Rules, totals: list[int], language: str) -> None:
    example = rules_sections(rules, 6, language)[-1]
    assert [int(case.title.rpartition(": ")[2]) for case in example.cases] == totals
    for case, total in zip(example.cases[1:], totals[1:], strict=True):
        assert sum(int(sentence.text[1]) for sentence in case.sentences if sentence.text[0] == "+") == total


def test_every_edition_has_advice_and_an_example_that_its_rules_allow() -> None:
    for rules in [*EDITIONS.values(), replace(ODYSSEY, may_stack=False)]:
        *_, advice, example = rules_sections(rules, 5)
        assert "some of the votes" in advice.sentences[1].text
        assert len(example.cases) == 6
    assert rules_sections(replace(ODYSSEY, max_players=5), 5)[-1].title == "Advice for the storyteller"


def test_one_dial_or_two() -> None:
    assert "uses one voting dial, or two on different cards" in rules_prose(ODYSSEY_2011.seated(7))
    assert "has one voting dial" in rules_prose(ODYSSEY_2011.seated(6))
    assert "+1 more for finding it with one dial only" in rules_prose(ODYSSEY_2011.seated(7))
    always = replace(ODYSSEY_2011, single_bonus_when_all=True)
    assert "also when all found it" in rules_prose(always.seated(7))


def test_each_language_cites_its_own_rulebook_where_that_states_the_rule() -> None:
    assert "Dixit Odyssey, English rulebook, l. 65" in sources(rules_sections(ODYSSEY, 6))
    assert "Dixit Odyssey, de danske regler, l. 63" in sources(rules_sections(ODYSSEY, 6, "da"))
    spanish = sources(rules_sections(ODYSSEY, 6, "es"))
    assert "Dixit Odyssey, reglas en inglés, l. 71–75" in spanish  # the Spanish one counts persons, not votes
    assert "Dixit Odyssey, reglas en inglés, l. 137–147" in spanish  # it swaps two players in its example
    assert sum("reglas en español" in source for source in spanish) == len(spanish) - 2
    once = sources(rules_sections(replace(ODYSSEY, three_player_bonus="once"), 3, "da"))
    assert "Dixit Odyssey, de danske regler, l. 168–170" in once
    assert set(re.findall(r"^[^,]*, \w+", "\n".join(sources(rules_sections(DIXIT, 6))), re.MULTILINE)) == {
        "Dixit, Portuguese"
    }
    assert sources(rules_sections(DIXIT_2008, 6)) == []


def test_unknown_tables_and_languages_are_refused() -> None:
    with pytest.raises(RulesError, match="3 to 8 players"):
        rules_sections(DIXIT, 9)
    with pytest.raises(RulesError, match="choose from en, pt, es, da"):
        rules_sections(DIXIT, 6, "fr")


def test_the_table_of_editions_in_the_documentation_is_the_generated_one() -> None:
    table = editions_table()
    head = table.splitlines()[0]
    pages = [path for path in [ROOT / "README.md", *ROOT.glob("docs/*.md")] if head in path.read_text(encoding="utf-8")]
    assert ROOT / "docs" / "rules.md" in pages
    for page in pages:
        assert table in page.read_text(encoding="utf-8"), f"{page.name}: paste what editions_table() gives"
