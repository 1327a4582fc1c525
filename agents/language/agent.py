"""Language models as players, at any OpenAI-compatible endpoint: `language:MODEL@URL,lang=pt,vision=on`."""

from dataclasses import dataclass, field
from random import Random
from typing import Any
from urllib.parse import urlsplit

from dixit_env.agents.language.chat import Chat, Usage, estimated_tokens, message, prompt_hash
from dixit_env.agents.language.prompts import FailedReply, Prompt, check_deck, kept, read_reply, render, texts
from dixit_env.agents.options import parse_options
from dixit_env.decks.deck import Deck
from dixit_env.errors import NoAnswer, SpecError
from dixit_env.game.view import View
from dixit_env.languages import LANGUAGES
from dixit_env.table.play import Decision

ASKS = 2  # a reply that is no move is asked for once more


@dataclass(frozen=True, slots=True)
class LanguageOptions:
    """How a language model plays. Raises `SpecError` for values that can't be."""

    lang: str = "en"
    """The language of its clues; the prompts are in English."""
    vision: bool = False
    """It sees the pictures. Off: it reads the deck's captions."""
    think: bool = True
    """It writes a sentence of reasoning before it chooses."""
    prompts: str = "v2"
    """The version of the prompts (agents/language)."""
    temperature: float = 0.7
    max_tokens: int = 400
    timeout: float = 60.0
    """Seconds for one request."""
    retries: int = 3
    """Of a request without an answer, with growing pauses."""
    rpm: float = 0.0
    """Most requests a minute to this endpoint, 0 for no limit."""
    price_in: float = 0.0
    """Of a million tokens read."""
    price_out: float = 0.0
    """Of a million tokens written."""
    key: str = "OPENAI_API_KEY"
    """The environment variable that holds the API key."""
    dry: bool = False
    """Ask nobody: play at random, and show each prompt with its estimated tokens and cost in `why`."""

    def __post_init__(self) -> None:
        if self.lang not in LANGUAGES:
            raise SpecError(f"lang={self.lang} is not known: choose from {', '.join(LANGUAGES)}")
        texts(self.prompts)
        for name, least in (("max_tokens", 1), ("timeout", 0.001), ("retries", 0), ("rpm", 0), ("temperature", 0)):
            if getattr(self, name) < least:
                raise SpecError(f"{name} is at least {least:g}, not {getattr(self, name):g}")


@dataclass
class LanguageAgent:
    """A language model in a seat. `usage` counts over all its games."""

    chat: Chat
    deck: Deck
    options: LanguageOptions = LanguageOptions()
    name: str = "language"
    usage: Usage = field(default_factory=Usage)

    def begin(self, seat: int, rng: Random) -> None:
        """A game starts; `rng` seeds the model's sampling, so that clones differ and a replay is answered from disk."""
        self.rng = rng

    def act(self, view: View) -> Decision:
        """Ask the model.

        A reply that is no legal move is asked for once more, but not one that was refused or filtered: it would be
        refused again.
        Raises `FailedReply` when no legal move comes of it, `NoAnswer` when the endpoint can't be asked.
        """
        options = self.options
        prompt = self.prompt(view)
        seed = self.rng.randrange(2**31)
        if options.dry:
            return Decision(self.rng.choice(view.moves), self.estimate(prompt))
        messages = [message("system", [prompt.system]), message("user", prompt.parts)]
        about = {**self._asked(), "prompt_hash": prompt_hash(messages)}
        faults: list[str] = []
        total = Usage()
        text = ""
        for _ in range(ASKS):
            try:
                answer = self.chat.ask(
                    messages,
                    prompt.schema,
                    temperature=options.temperature,
                    seed=seed,
                    max_tokens=options.max_tokens,
                )
            except NoAnswer:
                self.usage.failed += 1
                raise
            text = answer.text
            for account in (self.usage, total):
                account.add(answer, options.price_in, options.price_out)
            if answer.withheld:
                faults.append(answer.withheld)
                break
            try:
                if answer.finish == "length":
                    raise FailedReply(f"it is longer than {options.max_tokens} tokens")
                reply = read_reply(text, prompt)
            except FailedReply as error:
                faults.append(str(error))
                again = prompt.again.substitute(fault=error, example=prompt.example)
                messages += [message("assistant", [text[:1000]]), message("user", [again])]
            else:
                self.usage.failed += len(faults)
                thought = {"thought": reply.thought, "reply": kept(text)}
                return Decision(reply.move, {**about, **thought, **_account(total, faults)})
        self.usage.failed += len(faults)
        raise FailedReply(
            f"{len(faults)} failed replies of {self.chat.model}: {'; '.join(faults)}",
            {**about, "reply": kept(text), **_account(total, faults)},
        )

    def prompt(self, view: View) -> Prompt:
        """What the model is asked in this view."""
        options = self.options
        return render(
            view,
            self.deck,
            version=options.prompts,
            lang=options.lang,
            vision=options.vision,
            think=options.think,
        )

    def estimate(self, prompt: Prompt) -> dict[str, Any]:
        """A prompt in full, and about what it would cost, as JSON values."""
        options = self.options
        tokens_in = estimated_tokens([prompt.system, *prompt.parts])
        tokens_out = estimated_tokens([prompt.example])
        pieces = [part if isinstance(part, str) else f" [{part.name}]" for part in prompt.parts]
        return {
            **self._asked(),
            "prompt": f"{prompt.system}\n\n{''.join(pieces)}",
            "tokens_in": tokens_in,
            "tokens_out": tokens_out,
            "cost": (tokens_in * options.price_in + tokens_out * options.price_out) / 1e6,
        }

    def _asked(self) -> dict[str, Any]:
        sees = "pictures" if self.options.vision else "captions"
        return {"model": self.chat.model, "sees": sees, "prompts": self.options.prompts}


def _account(total: Usage, faults: list[str]) -> dict[str, Any]:
    return {
        "failed": faults,
        "tokens_in": total.tokens_in,
        "tokens_out": total.tokens_out,
        "seconds": round(total.seconds, 3),
        "cost": total.cost,
        "cached": total.cached > 0,
    }


def language_agent(rest: str, deck: Deck) -> LanguageAgent:
    """The agent of a spec's rest, `MODEL@URL` with options after commas (`LanguageOptions`).

    Raises `SpecError` when it can't be understood, `DeckError` when the deck has no captions (or pictures) to show.
    """
    chat, options = endpoint(rest)
    check_deck(deck, options.vision)
    return LanguageAgent(chat, deck, options)


def endpoint(rest: str) -> tuple[Chat, LanguageOptions]:
    """The model behind `MODEL@URL` with options after commas; raises `SpecError` when that can't be understood."""
    named, _, settings = rest.partition(",")
    model, at, address = named.partition("@http")
    url = f"http{address}"
    parts = urlsplit(url)
    if not model or not at or parts.scheme not in ("http", "https") or not parts.hostname:
        raise SpecError("a language model is named by model and endpoint: language:MODEL@http://127.0.0.1:8080/v1")
    if parts.username or parts.password or parts.query:
        raise SpecError("keys don't belong into an endpoint's address: put yours into an environment variable")
    options: LanguageOptions = parse_options(settings, LanguageOptions)
    chat = Chat(model, url, key=options.key, timeout=options.timeout, retries=options.retries, per_minute=options.rpm)
    return chat, options
