"""Language models as players: what goes wrong at an endpoint, what is asked only once, and what stays secret."""

import json
import logging
import threading
import time
from pathlib import Path
from random import Random
from typing import Any

import pytest
from chat_endpoint import (
    Answers,
    Endpoint,
    clue_view,
    completion,
    painted_deck,
    running_endpoint,
    saying,
    seated,
    sensible,
    status,
    told_deck,
    vote_state,
)

from dixit_env.agents.language.agent import language_agent
from dixit_env.agents.language.chat import RateLimit
from dixit_env.agents.language.prompts import FailedReply, read_reply, render
from dixit_env.decks.deck import Deck
from dixit_env.errors import NoAnswer
from dixit_env.game.engine import new_game
from dixit_env.game.moves import CastVotes, GiveClue
from dixit_env.game.rules import DIXIT, ODYSSEY
from dixit_env.game.view import view
from dixit_env.table.play import Decided, GameEnded, play

endpoint = pytest.fixture(running_endpoint)
deck = pytest.fixture(told_deck, scope="module")
pictures = pytest.fixture(painted_deck)


class TestFaults:
    def test_a_busy_or_broken_endpoint_is_asked_again(self, endpoint: Endpoint, deck: Deck) -> None:
        endpoint.script = [status(429), status(500), status(503)]
        agent = seated(endpoint, deck)
        assert agent.act(clue_view()).why["failed"] == []
        assert len(endpoint.requests) == 4
        assert agent.usage.requests == 1

    def test_retries_are_bounded(self, endpoint: Endpoint, deck: Deck) -> None:
        endpoint.script = [status(500)] * 9
        agent = seated(endpoint, deck, ",retries=2")
        with pytest.raises(NoAnswer, match="the endpoint answered 500"):
            agent.act(clue_view())
        assert len(endpoint.requests) == 3
        assert agent.usage.failed == 1

    def test_a_slow_endpoint_is_not_waited_for(self, endpoint: Endpoint, deck: Deck) -> None:
        asked = threading.Event()

        def slow(request: dict[str, Any]) -> tuple[int, Any]:
            asked.wait(60)
            return sensible(request)

        endpoint.script = [slow]
        with pytest.raises(NoAnswer, match="took too long"):
            seated(endpoint, deck, ",timeout=0.1,retries=0").act(clue_view())
        assert not asked.is_set(), "the endpoint is still thinking"
        asked.set()

    def test_nobody_at_home(self, endpoint: Endpoint, deck: Deck) -> None:
        agent = seated(endpoint, deck, ",retries=0")
        endpoint.close()
        with pytest.raises(NoAnswer, match=r"no connection to http://127\.0\.0\.1"):
            agent.act(clue_view())

    @pytest.mark.parametrize("body", ["{}", "not json", {"choices": []}, {"choices": [{"message": None}]}])
    def test_an_answer_that_is_no_completion(self, endpoint: Endpoint, deck: Deck, body: Any) -> None:
        endpoint.script = [lambda _: (200, body)]
        with pytest.raises(NoAnswer, match="no chat completion"):
            seated(endpoint, deck).act(clue_view())

    def test_a_broken_reply_is_told_so_and_asked_for_once_more(self, endpoint: Endpoint, deck: Deck) -> None:
        endpoint.script = [saying('{"thought": "hm", "card": "2", "clu')]
        agent = seated(endpoint, deck)
        decision = agent.act(clue_view())
        assert decision.why["failed"] == ["it holds no JSON object"]
        assert decision.why["tokens_in"] == 200
        assert agent.usage.failed == 1
        said = endpoint.requests[1]["messages"]
        assert said[2] == {"role": "assistant", "content": '{"thought": "hm", "card": "2", "clu'}
        assert "not a valid answer: it holds no JSON object" in said[3]["content"]

    def test_a_reply_that_was_cut_off_is_a_failed_one_even_if_it_reads_well(
        self, endpoint: Endpoint, deck: Deck
    ) -> None:
        whole = '{"thought": "", "card": "1", "clue": "half a clue"}'
        endpoint.script = [saying(whole, "length")]
        assert seated(endpoint, deck).act(clue_view()).why["failed"] == ["it is longer than 400 tokens"]

    def test_failed_replies_never_become_clues_and_the_game_goes_on(self, endpoint: Endpoint, deck: Deck) -> None:
        endpoint.script = [saying("Sure! My clue is: moonlight")] * 10_000
        agents = [language_agent(f"toy@{endpoint.url}", deck) for _ in range(4)]
        events = list(play(agents, ODYSSEY, deck, seed=2))
        decided = [event for event in events if isinstance(event, Decided)]
        assert isinstance(events[-1], GameEnded)
        assert all(
            event.fault.startswith("FailedReply: 2 failed replies of toy: it holds no JSON object") for event in decided
        )
        assert {event.decision.move.clue for event in decided if isinstance(event.decision.move, GiveClue)} == {"…"}
        assert sum(agent.usage.failed for agent in agents) == 2 * len(decided)

    @pytest.mark.parametrize(
        ("reply", "fault"),
        [
            ("", "no JSON object"),
            ('"3"', "no JSON object"),
            ("[1, 2]", "no JSON object"),
            ("[" * 100_000, "no JSON object"),
            ('{"a": ' * 50_000, "no JSON object"),
            ('{"card": "1"}', "not an object with card and clue"),
            ('{"card": "1", "clue": null}', "card and clue must be texts"),
            ('{"card": true, "clue": "x"}', "card and clue must be texts"),
            ('{"card": "7", "clue": "x"}', "card is none of 1, 2, 3, 4, 5, 6"),
            ('{"card": "1", "clue": " \\n\\t "}', "the clue is empty"),
            (json.dumps({"card": "1", "clue": "x" * 301}), "301 characters"),
            ('{"card": "1", "clue": "Time flies!"}', "an example of the prompt's"),
        ],
    )
    def test_replies_that_are_no_move(self, deck: Deck, reply: str, fault: str) -> None:
        prompt = render(clue_view(), deck, version="v2", lang="en", vision=False, think=False)
        with pytest.raises(FailedReply, match=fault):
            read_reply(reply, prompt)

    def test_a_vote_for_the_own_card_is_no_choice(self, deck: Deck) -> None:
        seen = view(vote_state(DIXIT), 0)
        prompt = render(seen, deck, version="v2", lang="en", vision=False, think=False)
        with pytest.raises(FailedReply, match="votes is none of"):
            read_reply(json.dumps({"votes": str(seen.own_slots[0] + 1)}), prompt)
        other = next(slot for slot in range(4) if slot not in seen.own_slots)
        assert read_reply(json.dumps({"votes": str(other + 1)}), prompt).move == CastVotes((other,))


def reply(text: str, **message: Any) -> Answers:
    """An answer whose message has more, or other, than plain text content."""

    def answer(_: dict[str, Any]) -> tuple[int, Any]:
        code, body = completion(text)
        body["choices"][0]["message"] |= message
        return code, body

    return answer


MOVE = '{"thought": "hm", "card": "2", "clue": "a paper moon"}'


class TestHabits:
    """Endpoints and models differ in the form of what they say, and all of these say the same."""

    @pytest.mark.parametrize(
        "answer",
        [
            reply(MOVE),
            reply("", content=[{"type": "thinking", "thinking": []}, {"type": "text", "text": MOVE}]),
            reply(f'<think>\nThe cards: {{"card": "5"}}, so…\n</think>\n\n{MOVE}'),
            reply(f"```json\n{MOVE}\n```"),
            reply(f"Here is my move: {MOVE} I hope that you like {{it}}."),
            reply('{"card": 2, "clue": "a paper moon"}'),
            reply(MOVE, reasoning_content="let me see"),
        ],
    )
    def test_the_move_is_read_whatever_stands_around_it(self, endpoint: Endpoint, deck: Deck, answer: Answers) -> None:
        endpoint.script = [answer]
        decision = seated(endpoint, deck).act(clue_view())
        assert decision.move == GiveClue(clue_view().hand[1], "a paper moon")
        assert decision.why["failed"] == []

    @pytest.mark.parametrize("usage", [None, {}, {"prompt_tokens": 50}, {"prompt_tokens": None, "total_tokens": None}])
    def test_an_account_may_be_missing_or_partial(self, endpoint: Endpoint, deck: Deck, usage: Any) -> None:
        def answer(_: dict[str, Any]) -> tuple[int, Any]:
            code, body = completion(MOVE)
            return code, {**body, "usage": usage}

        endpoint.script = [answer]
        why = seated(endpoint, deck).act(clue_view()).why
        assert (why["tokens_in"], why["tokens_out"]) == ((usage or {}).get("prompt_tokens") or 0, 0)

    @pytest.mark.parametrize(
        ("answer", "fault"),
        [
            (reply("", refusal="I can't help with that."), "the model refused: I can't help with that."),
            (saying("", "content_filter"), "the endpoint's content filter stopped the reply"),
            (reply("", reasoning_content="let me see"), "it holds reasoning and no answer"),
            (reply("<think>let me see"), "it holds reasoning and no answer"),
        ],
    )
    def test_what_is_withheld_is_named_and_not_asked_for_again(
        self, endpoint: Endpoint, deck: Deck, answer: Answers, fault: str
    ) -> None:
        endpoint.script = [answer]
        with pytest.raises(FailedReply, match=fault):
            seated(endpoint, deck).act(clue_view())
        assert len(endpoint.requests) == 1

    @pytest.mark.parametrize(
        ("part", "complaint"),
        [
            ("response_format", "'response_format.type' must be one of 'text', 'json_object'"),
            ("max_tokens", "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."),
            ("temperature", "Unsupported value: 'temperature' does not support 0.7 with this model."),
            ("seed", "property 'seed' is unsupported"),
            ("system", "System role not supported"),
        ],
    )
    def test_what_an_endpoint_does_not_take_is_left_out_from_then_on(
        self, endpoint: Endpoint, deck: Deck, part: str, complaint: str
    ) -> None:
        def picky(request: dict[str, Any]) -> tuple[int, Any]:
            roles = {entry["role"] for entry in request["messages"]}
            if part in request or part in roles:
                return status(400, complaint)(request)
            return completion(MOVE)

        endpoint.script = [picky] * 9
        agent = seated(endpoint, deck)
        assert agent.act(clue_view()).move == GiveClue(clue_view().hand[1], "a paper moon")
        first = len(endpoint.requests)
        agent.act(clue_view())
        assert len(endpoint.requests) == first + 1

    def test_a_json_object_is_asked_for_before_plain_text(self, endpoint: Endpoint, deck: Deck) -> None:
        complaint = status(400, "response_format json_schema is not supported")
        endpoint.script = [complaint, reply(MOVE)]
        seated(endpoint, deck).act(clue_view())
        assert [asked["response_format"]["type"] for asked in endpoint.requests] == ["json_schema", "json_object"]

    def test_a_refusal_that_names_no_part_is_no_answer(self, endpoint: Endpoint, deck: Deck) -> None:
        endpoint.script = [status(400, "context length exceeded")]
        with pytest.raises(NoAnswer, match="400: context length exceeded"):
            seated(endpoint, deck).act(clue_view())
        assert len(endpoint.requests) == 1

    def test_what_was_said_is_kept_beside_the_move(self, endpoint: Endpoint, deck: Deck) -> None:
        endpoint.script = [saying("no idea"), reply(f"Sure: {MOVE}")]
        why = seated(endpoint, deck).act(clue_view()).why
        assert why["reply"] == f"Sure: {MOVE}"
        assert why["prompt_hash"] == seated(endpoint, deck).act(clue_view()).why["prompt_hash"]
        endpoint.script = [saying("no idea")] * 2
        with pytest.raises(FailedReply) as failed:
            seated(endpoint, deck, seed=2).act(clue_view())
        assert failed.value.why["reply"] == "no idea"


class TestCache:
    def test_an_outage_is_not_kept(self, endpoint: Endpoint, deck: Deck) -> None:
        endpoint.script = [status(500)]
        with pytest.raises(NoAnswer):
            seated(endpoint, deck, ",retries=0").act(clue_view())
        seated(endpoint, deck).act(clue_view())
        assert len(endpoint.requests) == 2

    def test_the_same_question_is_asked_once(self, endpoint: Endpoint, deck: Deck) -> None:
        first = seated(endpoint, deck)
        again = seated(endpoint, deck, ",price_in=5")
        assert first.act(clue_view()).move == again.act(clue_view()).move
        assert len(endpoint.requests) == 1
        assert (again.usage.requests, again.usage.cached, again.usage.cost) == (0, 1, 0.0)

    def test_another_model_seed_or_length_is_another_question(self, endpoint: Endpoint, deck: Deck) -> None:
        seated(endpoint, deck).act(clue_view())
        seated(endpoint, deck, seed=2).act(clue_view())
        seated(endpoint, deck, ",max_tokens=50").act(clue_view())
        other = language_agent(f"other@{endpoint.url}", deck)
        other.begin(0, Random(1))
        other.act(clue_view())
        assert len(endpoint.requests) == 4

    def test_other_pictures_are_another_question(self, endpoint: Endpoint, pictures: Deck) -> None:
        seen = view(new_game(DIXIT, 3, len(pictures), seed=1, first=0), 0)
        seated(endpoint, pictures, ",vision=on").act(seen)
        turned = Deck("turned", tuple(reversed(pictures.cards)))
        seated(endpoint, turned, ",vision=on").act(seen)
        assert len(endpoint.requests) == 2

    def test_a_damaged_file_is_asked_for_again(self, endpoint: Endpoint, deck: Deck, tmp_path: Path) -> None:
        seated(endpoint, deck).act(clue_view())
        (file,) = (tmp_path / "cache" / "language").rglob("*.json")
        file.write_text(file.read_text()[:20])
        seated(endpoint, deck).act(clue_view())
        assert len(endpoint.requests) == 2

    def test_a_replayed_game_is_free(self, endpoint: Endpoint, deck: Deck) -> None:
        def moves() -> list[object]:
            agents = [language_agent(f"toy@{endpoint.url}", deck) for _ in range(3)]
            events = play(agents, ODYSSEY, deck, seed=11, strict=True)
            return [event.decision.move for event in events if isinstance(event, Decided)]

        first = moves()
        asked = len(endpoint.requests)
        assert moves() == first
        assert len(endpoint.requests) == asked


class TestKeysAndLimits:
    def test_the_key_comes_from_the_environment_and_goes_nowhere_else(
        self,
        endpoint: Endpoint,
        deck: Deck,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        caplog: pytest.LogCaptureFixture,
    ) -> None:
        secret = "sk-very-secret"
        monkeypatch.setenv("TOY_KEY", secret)
        caplog.set_level(logging.DEBUG)
        endpoint.script = [status(401, f"Incorrect API key provided: {secret}")]
        agent = seated(endpoint, deck, ",key=TOY_KEY")
        with pytest.raises(NoAnswer) as refused:
            agent.act(clue_view())
        decision = agent.act(clue_view())
        assert endpoint.keys == [f"Bearer {secret}"] * 2
        cached = [file.read_text() for file in (tmp_path / "cache").rglob("*.json")]
        told = [str(refused.value), str(decision), agent.name, str(agent.usage), repr(agent), caplog.text, *cached]
        assert not any(secret in text for text in told)

    def test_a_refusal_is_passed_on_in_short(self, endpoint: Endpoint, deck: Deck) -> None:
        endpoint.script = [status(404, "model toy not found\n" + "x" * 999)]
        with pytest.raises(NoAnswer, match="the endpoint answered 404: model toy not found x") as refused:
            seated(endpoint, deck).act(clue_view())
        assert len(str(refused.value)) < 300

    def test_requests_are_spread_over_the_minute(self) -> None:
        limit = RateLimit(1200)
        start = time.perf_counter()
        threads = [threading.Thread(target=limit.wait) for _ in range(5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert 0.2 <= time.perf_counter() - start < 0.4
