"""A language model with eyes as a viewer: it is shown a table of numbered cards and a clue, and names a card."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dixit_env.agents.language.agent import ASKS, LanguageOptions, endpoint
from dixit_env.agents.language.chat import Chat, message
from dixit_env.agents.language.prompts import FailedReply, answer_in
from dixit_env.errors import SpecError

if TYPE_CHECKING:
    from PIL.Image import Image

SYSTEM = """\
You look at a table of a party game: a clue above, numbered pictures below. One player gave the clue for one of the \
pictures; it need not describe it. Find out which one. Answer with JSON alone."""


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
        schema = self._schema(cards)
        example = json.dumps(
            {name: "2" if name == "card" else "…" for name in schema["properties"]}, ensure_ascii=False
        )
        asked = f"The clue is {json.dumps(clue, ensure_ascii=False)}. Which of the {cards} pictures is meant? {example}"
        messages = [message("system", [SYSTEM]), message("user", [asked, table])]
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
                chosen = str(answer_in(answer.text, ["card"])["card"])
                if chosen in schema["properties"]["card"]["enum"]:
                    return int(chosen) - 1
                fault = f"card is a number from 1 to {cards}"
            except FailedReply as error:
                fault = str(error)
            again = f"That can't be read: {fault}. Answer like {example}"
            messages += [message("assistant", [answer.text[:1000]]), message("user", [again])]
        return None

    def _schema(self, cards: int) -> Mapping[str, Any]:
        card = {"type": "string", "enum": [str(number) for number in range(1, cards + 1)]}
        properties = {"thought": {"type": "string"}, "card": card} if self.options.think else {"card": card}
        return {
            "type": "object",
            "properties": properties,
            "required": list(properties),
            "additionalProperties": False,
        }
