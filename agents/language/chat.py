"""An OpenAI-compatible endpoint: requests with retries, a rate limit, a cache on disk, and an account of the costs.

Retries with back-off (429, 5xx, lost connections, time-outs) are the `openai` client's own. The API key is read from an
environment variable and goes nowhere but into that client.
"""

import base64
import hashlib
import io
import json
import logging
import os
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from dixit_env.agents.language.prompts import FailedReply, clean
from dixit_env.errors import SpecError
from dixit_env.paths import cache_dir

LARGEST_SIDE = 512  # pixels of a picture that is sent: one tile of the usual vision models
PICTURE_TOKENS = 260  # about what such a picture counts for, for estimates
CHARACTERS_PER_TOKEN = 4  # about, for estimates

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
        self.folder = cache_dir() / "language"
        self.client = openai.OpenAI(
            base_url=url, api_key=os.environ.get(key) or "none", timeout=timeout, max_retries=retries
        )

    def ask(
        self, messages: Sequence[Message], schema: Mapping[str, Any], *, temperature: float, seed: int, max_tokens: int
    ) -> Answer:
        """Ask for an answer in the form of a JSON schema.

        The same request (model, messages with pictures, schema, temperature, seed, length) is answered from disk.
        Raises `FailedReply` when no answer comes.
        """
        request = {
            "model": self.model,
            "messages": messages,
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "move", "strict": True, "schema": schema},
            },
            "temperature": temperature,
            "seed": seed,
            "max_tokens": max_tokens,
        }
        key = hashlib.sha256(json.dumps(request, sort_keys=True).encode()).hexdigest()
        path = self.folder / key[:2] / f"{key}.json"
        if answer := _stored(path):
            return answer
        answer = self._request(request)
        _store(path, answer)
        return answer

    def _request(self, request: dict[str, Any]) -> Answer:
        import openai

        self.limit.wait()
        start = time.perf_counter()
        try:
            response = self.client.chat.completions.create(**request)
            choice = response.choices[0]
            text, finish, usage = choice.message.content or "", choice.finish_reason or "stop", response.usage
        except openai.APITimeoutError:
            raise FailedReply("the endpoint took too long") from None
        except openai.APIConnectionError:
            raise FailedReply(f"no connection to {self.client.base_url}") from None
        except openai.APIStatusError as error:
            raise FailedReply(_refusal(error.status_code, error.body)) from None
        except (openai.OpenAIError, ValueError, IndexError, AttributeError, TypeError):
            raise FailedReply("the endpoint's answer is no chat completion") from None
        seconds = time.perf_counter() - start
        tokens_in, tokens_out = (usage.prompt_tokens, usage.completion_tokens) if usage else (0, 0)
        log.debug("%s: %d + %d tokens in %.2f s", self.model, tokens_in, tokens_out, seconds)
        return Answer(text, finish, tokens_in, tokens_out, seconds)


def message(role: str, parts: Sequence[str | Path]) -> Message:
    """A chat message of texts and pictures."""
    if all(isinstance(part, str) for part in parts):
        return {"role": role, "content": "".join(map(str, parts))}
    content = [
        {"type": "text", "text": part}
        if isinstance(part, str)
        else {"type": "image_url", "image_url": {"url": picture_url(part)}}
        for part in parts
    ]
    return {"role": role, "content": content}


@lru_cache(maxsize=512)
def picture_url(path: Path) -> str:
    """A picture as a data URL: JPEG, no larger than it needs to be."""
    from dixit_env.decks.pictures import open_picture

    small, buffer = open_picture(path, LARGEST_SIDE), io.BytesIO()
    small.thumbnail((LARGEST_SIDE, LARGEST_SIDE))
    small.save(buffer, "JPEG", quality=85)
    return f"data:image/jpeg;base64,{base64.b64encode(buffer.getvalue()).decode()}"


def estimated_tokens(parts: Sequence[str | Path]) -> int:
    """About how many tokens texts and pictures count for."""
    return sum(len(part) // CHARACTERS_PER_TOKEN + 1 if isinstance(part, str) else PICTURE_TOKENS for part in parts)


def _refusal(status: int, body: object) -> str:
    """What an endpoint said no with. Where it may quote the API key (401, 403), only the number."""
    said = ""
    if status in (400, 404, 413, 422) and isinstance(body, Mapping):
        said = clean(str(body.get("message", "")))[:200]
    return f"the endpoint answered {status}{f': {said}' if said else ''}"


def _stored(path: Path) -> Answer | None:
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        return Answer(values["text"], values["finish"], values["tokens_in"], values["tokens_out"], cached=True)
    except (OSError, ValueError, KeyError, TypeError):
        return None  # not there, or not whole: ask again


def _store(path: Path, answer: Answer) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(f".{os.getpid()}-{threading.get_ident()}")
    part.write_text(json.dumps(asdict(answer)), encoding="utf-8")
    part.replace(path)
