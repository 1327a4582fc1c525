"""Eyes and panels: what listeners see of a deck, and who sits where."""

import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dixit_env.agents.clues.bank import load_bank
from dixit_env.agents.panels import (
    SCRIPTED,
    PanelAgents,
    about_eyes,
    default_panels,
    instructions,
    make_eye,
    missing_readers,
    without_hubs,
)
from dixit_env.bench.clues.panels import GIVER_EYES, Panel, beliefs, eyes_of, listener
from dixit_env.bench.clues.text import reply_fault
from dixit_env.decks.deck import Deck
from dixit_env.errors import DeckError, DixitError, SpecError
from dixit_env.models.sight import Sight, z_scores

READERS = [
    pytest.param(name, marks=[pytest.mark.slow] * (name == "e5"))
    for name in ("captions", "e5")
    if name not in missing_readers()
]


@pytest.fixture(scope="module")
def captions(sight: Sight) -> list[str]:
    return [card.captions["en"] for card in sight.deck.cards[:12]]


class TestEyes:
    @pytest.mark.parametrize("name", ["clip", "words", *READERS])
    def test_every_eye_finds_a_card_by_its_caption(self, sight: Sight, captions: list[str], name: str) -> None:
        z = make_eye(name, sight)(captions)
        assert z.shape == (len(captions), len(sight.deck))
        assert z.mean(1) == pytest.approx(0, abs=1e-6)
        assert z.std(1) == pytest.approx(1)
        found = (z.argmax(1) == np.arange(len(captions))).mean()
        assert found > (0.3 if name == "clip" else 0.9)

    def test_words_that_no_card_knows_leave_all_cards_alike(self, sight: Sight) -> None:
        z = make_eye("words", sight)(["zzz qqq"])
        assert beliefs(["words@3"], {"words": z})[0, 0] == pytest.approx(1 / len(sight.deck))

    def test_another_clip_has_eyes_of_its_own(self, sight: Sight) -> None:
        """Named like the sight's own it sees the same."""
        clues = ["a boat", "night"]
        own = make_eye("clip", sight)(clues)
        assert make_eye("clip=embedded", sight)(clues) == pytest.approx(own, abs=1e-5)
        assert make_eye("clip=embedded+embedded", sight)(clues) == pytest.approx(own, abs=1e-5)
        about = about_eyes(["clip", "clip=embedded", "words"], sight)
        assert about["clip"] == about["clip=embedded"] == sight.clip.fingerprint
        assert about["words"] == "TF-IDF"

    def test_unknown_eyes_and_bare_decks(self, sight: Sight) -> None:
        with pytest.raises(SpecError, match="no eye is called 'nose'"):
            make_eye("nose", sight)
        with pytest.raises(DeckError, match="84 cards have no English caption"):
            make_eye("captions", Sight(Deck.blank(84)))
        for wrong in ("clip", "clip@x", "clip@1~", "clip@1~2"):
            with pytest.raises(DixitError, match="no listener"):
                listener(wrong)

    def test_a_card_that_is_near_to_whatever_is_said_gains_nothing_by_it(self) -> None:
        rng = np.random.default_rng(0)
        told, usual = (rng.normal(size=(clues, 12)).astype(np.float32) for clues in (50, 400))
        hubs = np.arange(12, dtype=np.float32)
        assert z_scores(told + hubs).mean(0).argmax() == 11
        plain = without_hubs(told + hubs, usual + hubs)
        assert plain == pytest.approx(without_hubs(told, usual), abs=1e-4)
        assert without_hubs(usual, usual).mean(0) == pytest.approx(0, abs=1e-5)

    @pytest.mark.parametrize("name", READERS)
    def test_readers_of_captions_have_no_favourite_cards(self, sight: Sight, name: str) -> None:
        """Of the variance over clues and cards, what belongs to cards alone; the clues are others than those that tell
        what is usual."""
        z = make_eye(name, sight)([clue.text for clue in load_bank()[1::40]])
        assert z.mean(0).var() / z.var() < 0.03


class TestPanels:
    def test_the_main_panel_sees_with_other_eyes_than_the_givers(self, sight: Sight) -> None:
        panels = {panel.name: panel for panel in default_panels(sight.deck, ["other"], ["clip", "greedy"])}
        assert list(panels) == ["viewers", "readers", "simulated", "e5", GIVER_EYES, "agents"]
        assert {listener(name).eye for name in panels["viewers"].listeners} == {"clip=lite1+lite2", "captions", "words"}
        eyes = {listener(name).eye for name in panels["readers"].listeners}
        assert eyes == {"captions", "words", "clip=other"}
        assert panels["simulated"].listeners == panels["readers"].listeners
        assert {listener(name).eye for name in panels[GIVER_EYES].listeners} == {"clip"}
        assert panels["agents"].listeners == ("clip", "greedy")

    def test_a_deck_without_captions_is_judged_by_other_clips(self) -> None:
        bare = Deck.blank(84)
        assert default_panels(bare, ["other"])[1] == Panel("readers", ("clip=other@1.5", "clip=other@3"))
        panels = default_panels(bare)
        assert [panel.name for panel in panels] == ["viewers", GIVER_EYES]
        assert {listener(name).eye for name in panels[0].listeners} == {"clip=lite1+lite2"}
        assert eyes_of(panels) == ("clip", "clip=lite1+lite2")

    def test_a_sharper_listener_is_surer(self, sight: Sight, captions: list[str]) -> None:
        z = {"words": make_eye("words", sight)(captions)}
        broad, sharp = beliefs(["words@0.5", "words@6"], z)[:, :].transpose(1, 0, 2)
        assert (sharp.max(1) > broad.max(1)).all()
        assert sharp.sum(1) == pytest.approx(1)

    def test_a_lapse_is_the_share_of_blind_dials(self) -> None:
        z = {"words": np.random.default_rng(0).normal(size=(5, 6))}
        plain, lapsing, blind = beliefs(["words@2", "words@2~0.25", "words@2~1"], z).transpose(1, 0, 2)
        assert lapsing == pytest.approx(0.75 * plain + 0.25 / 6)
        assert blind == pytest.approx(np.full((5, 6), 1 / 6))
        assert str(listener("words@2~0.25")) == "words@2~0.25"
        assert str(listener("words@2")) == "words@2"


class TestPanelAgents:
    def test_it_travels_to_workers_and_knows_the_scripted_clue_givers(self, sight: Sight, tmp_path: Path) -> None:
        source = PanelAgents(("dreams",))
        assert pickle.loads(pickle.dumps(source)) == source
        assert source.deck().hash == sight.deck.hash
        assert {name: type(source.agent(name)).__name__ for name in SCRIPTED} == {
            "literal": "GreedyAgent",
            "random-clue": "RandomAgent",
        }
        with pytest.raises(DeckError):
            replace(source, decks=(str(tmp_path),)).deck()

    def test_a_copied_instruction_is_recognised(self) -> None:
        assert reply_fault("Choose one of your cards and give a clue", instructions()) == "instructions"
        assert reply_fault("the long way home", instructions()) == ""
