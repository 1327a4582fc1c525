"""An OpenAI-compatible endpoint: requests with retries, a rate limit, a cache on disk, and an account of the costs.

Retries with back-off (429, 5xx, lost connections, time-outs) are the `openai` client's own. Endpoints differ in what
they take: where one refuses a JSON schema, a parameter or the system role, it is asked without it (`Dialect`). The API
key is read from an environment variable and goes nowhere but into that client.
"""

import base64
import hashlib
import io
import json
import logging
import os
import re
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from dixit_env.agents.language.prompts import clean
from dixit_env.errors import NoAnswer, SpecError
from dixit_env.paths import cache_dir

if TYPE_CHECKING:
    from PIL.Image import Image  # text-only players need no Pillow

LARGEST_SIDE = 512  # pixels of a picture that is sent: one tile of the usual vision models
PICTURE_TOKENS = 260  # about what such a picture counts for, for estimates
CHARACTERS_PER_TOKEN = 4  # about, for estimates

_THOUGHTS = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL)

log = logging.getLogger(__name__)

Message = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Answer:
    """What the endpoint said, and what it took."""

    text: str
    finish: str  # "stop", or why the text ends early
    tokens_in: int
    tokens_out: int
    seconds: float = 0.0  # 0 from the cache
    cached: bool = False
    withheld: str = (
        ""  # why there is no text to read, though the endpoint answered: a refusal, a filter, mere reasoning
    )


@dataclass(frozen=True, slots=True)
class Dialect:
    """Which optional parts of the chat API an endpoint takes."""

    form: Literal["json_schema", "json_object", "text"] = "json_schema"
    length: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    sampling: frozenset[str] = frozenset({"temperature", "seed"})
    system: bool = True
    """A message may have the role "system"."""

    def without(self, complaint: str) -> "Dialect | None":
        """What is left when an endpoint refuses a request with these words; None when they name no optional part."""
        words = complaint.lower()
        if "max_tokens" in words and self.length == "max_tokens":
            return replace(self, length="max_completion_tokens")
        if refused := {name for name in self.sampling if name in words}:
            return replace(self, sampling=self.sampling - refused)
        if self.form != "text" and any(name in words for name in ("response_format", "json_schema", "json_object")):
            return replace(self, form="json_object" if self.form == "json_schema" else "text")
        if self.system and "system" in words:
            return replace(self, system=False)
        return None

    def request(
        self, messages: Sequence[Message], schema: Mapping[str, Any], temperature: float, seed: int, max_tokens: int
    ) -> dict[str, Any]:
        """The arguments of a chat completion."""
        forms: dict[str, dict[str, Any]] = {
            "json_schema": {"type": "json_schema", "json_schema": {"name": "move", "strict": True, "schema": schema}},
            "json_object": {"type": "json_object"},
        }
        sampling = {"temperature": temperature, "seed": seed}
        return {
            "messages": list(messages if self.system else _without_system(messages)),
            self.length: max_tokens,
            **{name: value for name, value in sampling.items() if name in self.sampling},
            **({"response_format": forms[self.form]} if self.form in forms else {}),
        }


@dataclass(slots=True)
class Usage:
    """A running account of one agent."""

    requests: int = 0  # answered by the endpoint
    cached: int = 0  # answered from the cache
    failed: int = 0  # replies that were no move, and requests without an answer
    tokens_in: int = 0
    tokens_out: int = 0
    seconds: float = 0.0
    cost: float = 0.0  # in the currency of the prices; what came from the cache is free

    def add(self, answer: Answer, price_in: float, price_out: float) -> float:
        """Count an answer; prices are for a million tokens. Returns its cost."""
        cost = 0.0 if answer.cached else (answer.tokens_in * price_in + answer.tokens_out * price_out) / 1e6
        self.requests += not answer.cached
        self.cached += answer.cached
        self.tokens_in += answer.tokens_in
        self.tokens_out += answer.tokens_out
        self.seconds += answer.seconds
        self.cost += cost
        return cost


class RateLimit:
    """At most so many requests a minute, evenly spread; 0 is no limit. Shared by threads."""

    def __init__(self, per_minute: float) -> None:
        self.gap = 60 / per_minute if per_minute else 0.0
        self.lock = threading.Lock()
        self.free_at = 0.0

    def wait(self) -> None:
        """Sleep until a request may go."""
        with self.lock:
            now = time.monotonic()
            start = max(now, self.free_at)
            self.free_at = start + self.gap
        time.sleep(start - now)


@lru_cache
def rate_limit(url: str, per_minute: float) -> RateLimit:
    """The limit that all agents of an endpoint share."""
    return RateLimit(per_minute)


class Chat:
    """A model at an endpoint.

    Args:
        model: the model's name there.
        url: base URL, such as http://127.0.0.1:8080/v1.
        key: name of the environment variable that holds the API key; an endpoint of one's own needs none.
        timeout: seconds for one request.
        retries: of a request that was not answered.
        per_minute: most requests a minute, 0 for no limit.
    """

    def __init__(self, model: str, url: str, *, key: str, timeout: float, retries: int, per_minute: float) -> None:
        try:
            import openai
        except ImportError:
            raise SpecError("language models need the `openai` client: pip install 'dixit-env[language]'") from None
        self.model = model
        self.limit = rate_limit(url, per_minute)
        self.dialect = Dialect()
        self.folder = cache_dir() / "language"
        self.client = openai.OpenAI(
            base_url=url, api_key=os.environ.get(key) or "none", timeout=timeout, max_retries=retries
        )

    def ask(
        self, messages: Sequence[Message], schema: Mapping[str, Any], *, temperature: float, seed: int, max_tokens: int
    ) -> Answer:
        """Ask for an answer in the form of a JSON schema.

        The same question (model, messages with pictures, schema, temperature, seed, length) is answered from disk.
        Raises `NoAnswer` when the endpoint can't be reached or refuses the request.
        """
        first = Dialect().request(messages, schema, temperature, seed, max_tokens)
        key = hashlib.sha256(json.dumps({"model": self.model, **first}, sort_keys=True).encode()).hexdigest()
        path = self.folder / key[:2] / f"{key}.json"
        if answer := _stored(path):
            return answer
        while True:
            try:
                answer = self._complete(self.dialect.request(messages, schema, temperature, seed, max_tokens))
            except _BadRequest as error:
                dialect = self.dialect.without(error.said)
                if dialect is None:
                    raise NoAnswer(_refused(error.status, error.said)) from None
                log.info("%s: %s; asking without it", self.model, clean(error.said)[:200])
                self.dialect = dialect
            else:
                _store(path, answer)
                return answer

    def _complete(self, request: dict[str, Any]) -> Answer:
        import openai

        self.limit.wait()
        start = time.perf_counter()
        try:
            response = self.client.chat.completions.create(model=self.model, **request)
            choice = response.choices[0]
            text, withheld = _read(choice)
            usage = {name: getattr(response.usage, name, None) or 0 for name in ("prompt_tokens", "completion_tokens")}
        except openai.APITimeoutError:
            raise NoAnswer("the endpoint took too long") from None
        except openai.APIConnectionError:
            raise NoAnswer(f"no connection to {self.client.base_url}") from None
        except openai.APIStatusError as error:
            said = error.body.get("message") or error.body if isinstance(error.body, Mapping) else error.body
            if error.status_code in (400, 422):
                raise _BadRequest(error.status_code, str(said)) from None
            # Where it may quote the API key (401, 403), only the number.
            raise NoAnswer(_refused(error.status_code, str(said) if error.status_code in (404, 413) else "")) from None
        except (openai.OpenAIError, ValueError, IndexError, AttributeError, TypeError):
            raise NoAnswer("the endpoint's answer is no chat completion") from None
        seconds = time.perf_counter() - start
        log.debug("%s: %s in %.2f s", self.model, usage, seconds)
        finish = choice.finish_reason or "stop"
        return Answer(text, finish, usage["prompt_tokens"], usage["completion_tokens"], seconds, withheld=withheld)


class _BadRequest(Exception):
    """The endpoint refuses the form of the request, in words of its own."""

    def __init__(self, status: int, said: str) -> None:
        super().__init__(said)
        self.status = status
        self.said = said


def _read(choice: Any) -> tuple[str, str]:
    """The text of a choice without the model's reasoning, and why there is none to read or ""."""
    said = choice.message
    content = said.content or ""
    if not isinstance(content, str):  # a list of parts: text, thinking, …
        content = "".join(part.get("text") or "" for part in content if part.get("type") in ("text", "output_text"))
    text = _THOUGHTS.sub("", content).strip()
    if refusal := getattr(said, "refusal", None):
        return text, f"the model refused: {clean(str(refusal))[:200]}"
    if choice.finish_reason == "content_filter":
        return text, "the endpoint's content filter stopped the reply"
    reasoning = content or getattr(said, "reasoning_content", None) or getattr(said, "reasoning", None)
    return text, "it holds reasoning and no answer" if reasoning and not text else ""


def _without_system(messages: Sequence[Message]) -> Iterator[Message]:
    """The same messages, what the system says at the head of the first of the user's."""
    system = "".join(entry["content"] for entry in messages if entry["role"] == "system")
    for entry in messages:
        if entry["role"] == "system":
            continue
        content = entry["content"]
        if system:
            head: Any = f"{system}\n\n"
            content = head + content if isinstance(content, str) else [{"type": "text", "text": head}, *content]
            system = ""
        yield {**entry, "content": content}


def message(role: str, parts: Sequence["str | Path | Image"]) -> Message:
    """A chat message of texts and pictures: files, which are made smaller, and images, which are sent as they are."""
    if all(isinstance(part, str) for part in parts):
        return {"role": role, "content": "".join(map(str, parts))}
    content = [
        {"type": "text", "text": part}
        if isinstance(part, str)
        else {
            "type": "image_url",
            "image_url": {"url": picture_url(part) if isinstance(part, Path) else data_url(part)},
        }
        for part in parts
    ]
    return {"role": role, "content": content}


def prompt_hash(messages: Sequence[Message]) -> str:
    """Sixteen hexadecimal digits that stand for what was asked, pictures included."""
    return hashlib.sha256(json.dumps(messages, sort_keys=True).encode()).hexdigest()[:16]


@lru_cache(maxsize=512)
def picture_url(path: Path) -> str:
    """A picture as a data URL: JPEG, no larger than it needs to be."""
    from dixit_env.decks.pictures import open_picture

    small = open_picture(path, LARGEST_SIDE)
    small.thumbnail((LARGEST_SIDE, LARGEST_SIDE))
    return data_url(small)


def data_url(picture: "Image") -> str:
    """An RGB image as a data URL: JPEG."""
    buffer = io.BytesIO()
    picture.save(buffer, "JPEG", quality=85)
    return f"data:image/jpeg;base64,{base64.b64encode(buffer.getvalue()).decode()}"


def estimated_tokens(parts: Sequence[str | Path]) -> int:
    """About how many tokens texts and pictures count for."""
    return sum(len(part) // CHARACTERS_PER_TOKEN + 1 if isinstance(part, str) else PICTURE_TOKENS for part in parts)


def _refused(status: int, said: str) -> str:
    return f"the endpoint answered {status}{f': {clean(said)[:200]}' if said else ''}"


def _stored(path: Path) -> Answer | None:
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        return Answer(**{**values, "seconds": 0.0, "cached": True})
    except (OSError, ValueError, KeyError, TypeError):
        return None  # not there, or not whole: ask again


def _store(path: Path, answer: Answer) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(f".{os.getpid()}-{threading.get_ident()}")
    part.write_text(json.dumps(asdict(answer)), encoding="utf-8")
    part.replace(path)
