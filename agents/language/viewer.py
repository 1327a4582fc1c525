"""A language model with eyes as a viewer: it is shown a table of numbered cards and a clue, and names a card or says
how likely each one is."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from dixit_env.agents.language.agent import ASKS, LanguageOptions, endpoint
from dixit_env.agents.language.chat import Chat, message
from dixit_env.agents.language.prompts import FailedReply, answer_in
from dixit_env.bench.viewers.guesses import BEST_SUIT, GRADES
from dixit_env.errors import SpecError

if TYPE_CHECKING:
    from PIL.Image import Image

Read = TypeVar("Read")

SYSTEM = """\
You look at a table of a party game: a clue above, numbered pictures below. One player gave the clue for one of the \
pictures; it need not describe it. Find out which one. Answer with JSON alone."""


@dataclass(frozen=True)
class Judgement:
    """What a viewer thinks of a table."""

    shares: tuple[int, ...]
    """(cards,) how likely each card is; only their proportions count"""
    suits: int
    """how well the clue suits the likeliest one, as in `bench.viewers.guesses.SUITS`"""


@dataclass(frozen=True)
class LanguageViewer:
    """A vision–language model at an endpoint."""

    chat: Chat
    options: LanguageOptions

    @classmethod
    def named(cls, spec: str) -> "LanguageViewer":
        """The viewer of `MODEL@URL` with options as in an agent's name; raises `SpecError`."""
        chat, options = endpoint(spec)
        if options.dry:
            raise SpecError("dry=on asks nobody, and a viewer has to be asked: leave it out")
        return cls(chat, options)

    def choose(self, table: "Image", clue: str, cards: int, seed: int = 0) -> int | None:
        """The place of the card that the model finds likeliest, or None when its replies name none.

        Args:
            table: the clue and the numbered cards, as `bench.viewers.layout` draws them.
            clue: the same clue as text.
            cards: how many cards there are.
            seed: of the model's sampling.

        Raises `NoAnswer` when the endpoint can't be asked.
        """
        numbers = [str(number) for number in range(1, cards + 1)]

        def place(answer: Mapping[str, Any]) -> int:
            if str(answer["card"]) not in numbers:
                raise FailedReply(f"card is a number from 1 to {cards}")
            return int(answer["card"]) - 1

        asked = f"{_told(clue)} Which of the {cards} pictures is meant?"
        return self._ask(table, asked, {"card": {"type": "string", "enum": numbers}}, {"card": "2"}, place, seed)

    def judge(self, table: "Image", clue: str, cards: int, seed: int = 0) -> Judgement | None:
        """What a viewer answers for a table, or None when the model's replies can't be read; see `choose`."""
        names = [f"picture_{number}" for number in range(1, cards + 1)]

        def judgement(answer: Mapping[str, Any]) -> Judgement:
            try:
                shares, suits = tuple(int(answer[name]) for name in names), int(answer["suits"])
            except ValueError:
                raise FailedReply("likelihoods and suits are whole numbers") from None
            if min(shares) < 0 or not any(shares):
                raise FailedReply("likelihoods are 0 or more, and not all of them 0")
            if not 0 <= suits <= BEST_SUIT:
                raise FailedReply(f"suits is a number from 0 to {BEST_SUIT}")
            return Judgement(shares, suits)

        asked = (
            f"{_told(clue)} How likely is each of the {cards} pictures the one that is meant, in per cent (all sum to"
            f" 100), and how well does the clue suit the likeliest one ({GRADES})?"
        )
        fields: dict[str, Any] = {name: {"type": "integer"} for name in names}
        fields["suits"] = {"type": "string", "enum": [str(value) for value in range(BEST_SUIT + 1)]}
        return self._ask(table, asked, fields, dict.fromkeys(fields, "…"), judgement, seed)

    def _ask(
        self,
        table: "Image",
        asked: str,
        fields: Mapping[str, Any],
        example: Mapping[str, str],
        read: Callable[[Mapping[str, Any]], Read],
        seed: int,
    ) -> Read | None:
        """What is read in the answer to a question; `read` raises `FailedReply` for fields that make no sense."""
        thought = {"thought": {"type": "string"}} if self.options.think else {}
        properties = {**thought, **fields}
        shown = json.dumps({**dict.fromkeys(thought, "…"), **example}, ensure_ascii=False)
        schema = {
            "type": "object",
            "properties": properties,
            "required": list(properties),
            "additionalProperties": False,
        }
        messages = [message("system", [SYSTEM]), message("user", [f"{asked} {shown}", table])]
        for _ in range(ASKS):
            answer = self.chat.ask(
                messages,
                schema,
                temperature=self.options.temperature,
                seed=seed,
                max_tokens=self.options.max_tokens,
            )
            if answer.withheld:
                return None
            try:
                return read(answer_in(answer.text, list(fields)))
            except FailedReply as error:
                again = f"That can't be read: {error}. Answer like {shown}"
                messages += [message("assistant", [answer.text[:1000]]), message("user", [again])]
        return None


def _told(clue: str) -> str:
    return f"The clue is {json.dumps(clue, ensure_ascii=False)}."
