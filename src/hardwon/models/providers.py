"""Models and embedders behind HTTP: Anthropic, OpenAI, and servers with one of their formats."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from datetime import timedelta
from math import sqrt
from typing import Any
from urllib.parse import urlsplit

from hardwon.core.errors import InvalidInput, MissingExtra, PermanentError, TransientError
from hardwon.core.text.clean import clip, one_line
from hardwon.core.text.redact import redact
from hardwon.core.time_limits import run_sync
from hardwon.models.classify import classify, is_passing, of_status
from hardwon.storage.ports import Reply, Request

try:
    import httpx2
except ImportError as error:
    raise MissingExtra("models") from error

BODY_LIMIT = 4 * 1024 * 1024
_CONNECT = 10.0
_SCHEMA_WORDS = ("response_format", "output_config", "json_schema", "output_format", "schema")
_REFUSED = {"refusal", "content_filter", "safety"}
_DECLINED = "the model refused the content; nothing can be learnt from it"
_BATCH = 32  # texts that are embedded with one request
_LETTERS = 8000  # characters of such a text; servers refuse more than some thousand tokens
_ADVICE = {
    400: "the server does not take this request",
    401: "check the API key",
    402: "check the account's credit",
    403: "this key may not use this model",
    404: "check the name of the model and the address",
    413: "the request is too large for this server",
    422: "the server does not take this request",
}


class SchemaRefused(PermanentError):
    """The server does not accept a schema; the request is sent again without it."""


class Endpoint:
    """One model of one server, named `model` or `model@address`. Never retries: the queue does."""

    kind = "openai"
    home = "https://api.openai.com/v1"

    def __init__(self, name: str, *, key: str, timeout: timedelta) -> None:
        self.model, _, rest = name.partition("@http")
        address = f"http{rest}" if rest else self.home
        try:
            parts = urlsplit(address)
            is_right = parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0
        except ValueError:
            is_right = False
        if not is_right or not self.model:
            form = "kind:name@http://host/…"
            raise InvalidInput(f"model {self.kind}:{name} is not of the form {form}")
        self.name = f"{self.kind}:{self.model}"
        self._address = address.rstrip("/")
        self._key = key
        self._timeout = timeout.total_seconds()

    def headers(self) -> dict[str, str]:
        """Headers with the key; an empty one would make an invalid header: `Bearer `."""
        return {"authorization": f"Bearer {self._key}"} if self._key else {}

    async def post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """The JSON object of the answer."""
        try:
            async with asyncio.timeout(self._timeout):
                status, headers, answer = await self._send(path, body)
        except TimeoutError as error:
            problem = f"{self.name} did not answer within {self._timeout:g} s"
            raise TransientError(problem) from error
        except httpx2.InvalidURL as error:
            raise PermanentError(f"{self._address}: {error}") from error
        except httpx2.TransportError as error:
            raise classify(error, self._address) from error
        if status != 200:
            raise self._status_error(status, headers, answer)
        return self._document(headers.get("content-type", "").split(";")[0], answer)

    async def _send(self, path: str, body: dict[str, Any]) -> tuple[int, httpx2.Headers, bytes]:
        limits = httpx2.Timeout(self._timeout, connect=min(_CONNECT, self._timeout))
        # Compressed answers are declined: a few bytes could expand to fill the memory.
        headers = {"accept-encoding": "identity", "user-agent": "hardwon", **self.headers()}
        async with (
            httpx2.AsyncClient(timeout=limits, follow_redirects=False) as client,
            client.stream("POST", self._address + path, json=body, headers=headers) as response,
        ):
            encoding = response.headers.get("content-encoding", "identity")
            if encoding != "identity":
                problem = f"sent Content-Encoding {encoding!r} though identity was requested"
                raise PermanentError(f"{self.name} {problem}")
            answer = bytearray()
            async for chunk in response.aiter_raw(64 * 1024):
                answer += chunk
                if len(answer) > BODY_LIMIT:
                    raise PermanentError(f"{self.name} answered more than {BODY_LIMIT} bytes")
            return response.status_code, response.headers, bytes(answer)

    def _document(self, kind: str, body: bytes) -> dict[str, Any]:
        try:
            text = body.decode("utf-8")
            if "event-stream" in kind:
                lines = (line[5:].strip() for line in text.splitlines() if line[:5] == "data:")
                events = [json.loads(line) for line in lines if line and line != "[DONE]"]
                document: Any = self.join([event for event in events if isinstance(event, dict)])
            else:
                document = json.loads(text)
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            received = f"{self.name} answered {kind or 'something'} that is not JSON"
            raise PermanentError(f"{received}; is {self._address} the right address?") from error
        if not isinstance(document, dict):
            raise self.unexpected_form()
        if problem := document.get("error"):  # it came with status 200
            code = problem.get("code") if isinstance(problem, dict) else None
            is_transient = isinstance(code, int) and is_passing(code)
            words = redact(one_line(json.dumps(problem), 300))
            raise (TransientError if is_transient else PermanentError)(f"{self.name}: {words}")
        return document

    def join(self, events: list[dict[str, Any]]) -> dict[str, Any]:
        """The answer of a server that sends a stream of events instead of one document."""
        raise ValueError("a stream")

    def unexpected_form(self) -> PermanentError:
        """The error for JSON that has not the form of an answer."""
        return PermanentError(f"{self.name} answered with JSON of an unexpected form")

    def _status_error(
        self, status: int, headers: httpx2.Headers, body: bytes
    ) -> PermanentError | TransientError:
        words = _error_words(body)
        problem = f"{self.name} answered {status}" + (f": {words}" if words else "")
        if is_passing(status):
            return of_status(status, problem, headers=headers)
        if 300 <= status < 400:
            return PermanentError(f"{problem}; it points to {headers.get('location', 'nowhere')!r}")
        is_schema = status in {400, 422} and any(word in words for word in _SCHEMA_WORDS)
        kind = SchemaRefused if is_schema else PermanentError
        return kind(f"{problem}; {_ADVICE.get(status, 'the request cannot work')}")


class Provider(Endpoint):
    """A model that answers requests; its format is that of a subclass."""

    path: str
    _takes_schema = True

    async def complete(self, request: Request) -> Reply:
        schema = request.schema if self._takes_schema else None
        try:
            answer = await self.post(self.path, self.body(request, schema))
        except SchemaRefused:
            if schema is None:
                raise
            self._takes_schema = False
            answer = await self.post(self.path, self.body(request, None))
        try:
            text, tokens_in, tokens_out = self.read(answer)
        except (KeyError, TypeError, IndexError, AttributeError) as error:
            raise self.unexpected_form() from error
        tokens_in = tokens_in or (len(request.system) + len(request.prompt)) // 4
        return Reply(text, self.name, tokens_in, tokens_out or len(text) // 4)

    def body(self, request: Request, schema: dict[str, Any] | None) -> dict[str, Any]:
        """The body of the request; with the schema of the answer if the server accepts one."""
        raise NotImplementedError

    def read(self, answer: dict[str, Any]) -> tuple[str, int, int]:
        """The text of an answer, its tokens in and out; KeyError or TypeError if there is none."""
        raise NotImplementedError


class Anthropic(Provider):
    """The Messages API."""

    kind = "anthropic"
    home = "https://api.anthropic.com"
    path = "/v1/messages"

    def headers(self) -> dict[str, str]:
        return {"anthropic-version": "2023-06-01"} | ({"x-api-key": self._key} if self._key else {})

    def body(self, request: Request, schema: dict[str, Any] | None) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self.model,
            "max_tokens": request.max_tokens,
            "system": request.system,
            "messages": [{"role": "user", "content": request.prompt}],
        }
        form = {"format": {"type": "json_schema", "schema": schema}}
        return body | ({"output_config": form} if schema else {})

    def read(self, answer: dict[str, Any]) -> tuple[str, int, int]:
        if answer.get("stop_reason") in _REFUSED:
            raise PermanentError(_DECLINED)
        text = "".join(part["text"] for part in answer["content"] if part["type"] == "text")
        usage = answer.get("usage") or {}
        cached = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
        return text, sum(_count(usage, name) for name in cached), _count(usage, "output_tokens")

    def join(self, events: list[dict[str, Any]]) -> dict[str, Any]:
        answer: dict[str, Any] = {}
        text = ""
        for event in events:
            if event.get("type") == "message_start":
                answer = dict(event["message"])
            elif event.get("type") == "content_block_delta":
                text += event["delta"].get("text", "")
            elif event.get("type") == "message_delta":
                answer |= event["delta"]
                answer["usage"] = {**(answer.get("usage") or {}), **(event.get("usage") or {})}
        return answer | {"content": [{"type": "text", "text": text}]}


class OpenAI(Provider):
    """Chat completions: OpenAI itself and every server that speaks like it."""

    path = "/chat/completions"

    def body(self, request: Request, schema: dict[str, Any] | None) -> dict[str, Any]:
        is_new = self.model.startswith(("gpt-5", "o"))
        body: dict[str, Any] = {
            "model": self.model,
            "messages": [
                {"role": "system", "content": request.system},
                {"role": "user", "content": request.prompt},
            ],
            "max_completion_tokens" if is_new else "max_tokens": request.max_tokens,
        }
        form = {"name": "answer", "strict": True, "schema": schema}
        wanted = {"response_format": {"type": "json_schema", "json_schema": form}}
        return body | (wanted if schema else {})

    def read(self, answer: dict[str, Any]) -> tuple[str, int, int]:
        choice = answer["choices"][0]
        message = choice["message"]
        if choice.get("finish_reason") in _REFUSED or message.get("refusal"):
            raise PermanentError(_DECLINED)
        usage, text = answer.get("usage") or {}, message["content"]
        if isinstance(text, list):  # of parts
            text = "".join(part.get("text", "") for part in text)
        text = text if isinstance(text, str) else ""
        return text, _count(usage, "prompt_tokens"), _count(usage, "completion_tokens")

    def join(self, events: list[dict[str, Any]]) -> dict[str, Any]:
        answer: dict[str, Any] = {}
        text, finish = "", None
        for event in events:
            answer |= {name: event[name] for name in ("model", "usage") if event.get(name)}
            for choice in event.get("choices") or []:
                text += choice.get("delta", {}).get("content") or ""
                finish = choice.get("finish_reason") or finish
        return answer | {"choices": [{"message": {"content": text}, "finish_reason": finish}]}


class EmbeddingEndpoint(Endpoint):
    """An embedding model. Secrets are removed from texts before sending."""

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        clean = [clip(redact(text), _LETTERS) or " " for text in texts]
        parts = (clean[at : at + _BATCH] for at in range(0, len(clean), _BATCH))
        return [vector for part in parts for vector in self._vectors(part)]

    def _vectors(self, texts: list[str]) -> list[list[float]]:
        """The unit vectors in the order of the texts; raises if one is missing or invalid."""
        body = {"model": self.model, "input": texts, "encoding_format": "float"}
        answer = run_sync(lambda: self.post("/embeddings", body))
        try:
            rows = sorted(answer["data"], key=lambda row: int(row["index"]))
            vectors = [[float(value) for value in row["embedding"]] for row in rows]
            is_whole = [row["index"] for row in rows] == list(range(len(texts)))
            lengths = [sqrt(sum(value * value for value in vector)) for vector in vectors]
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise PermanentError(f"{self.name} did not answer with vectors") from error
        have_direction = all(0 < length < float("inf") for length in lengths)
        if not is_whole or len(set(map(len, vectors))) > 1 or not have_direction:
            raise PermanentError(f"{self.name} did not answer with vectors")
        pairs = zip(vectors, lengths, strict=True)
        return [[value / length for value in vector] for vector, length in pairs]


_PROVIDERS: dict[str, type[Provider]] = {"anthropic": Anthropic, "openai": OpenAI}


def open(kind: str, name: str, *, key: str, timeout: timedelta) -> Provider:
    """The model `model` or `model@address` of a provider."""
    return _PROVIDERS[kind](name, key=key, timeout=timeout)


def _count(usage: dict[str, Any], name: str) -> int:
    value = usage.get(name)
    return value if isinstance(value, int) and value > 0 else 0


def _error_words(body: bytes) -> str:
    """The server's error message, on one line."""
    text = body[:8192].decode("utf-8", "replace")
    try:
        problem = json.loads(text)["error"]
        if isinstance(problem, dict):
            parts = (problem.get("code") or problem.get("type"), problem.get("message"))
            text = ": ".join(str(part) for part in parts if part)
        else:
            text = str(problem)
    except (ValueError, KeyError, TypeError):
        pass
    return redact(one_line(text, 300))
