"""Models and embedders behind HTTP: Anthropic, OpenAI, and servers with one of their formats."""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import Callable, Sequence
from datetime import timedelta
from math import sqrt
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol
from urllib.parse import urlsplit

from hardwon.core.errors import InvalidInput, MissingExtra, PermanentError, TransientError
from hardwon.core.text.clean import clip, one_line
from hardwon.core.text.redact import redact
from hardwon.core.time_limits import run_sync
from hardwon.models.classify import causes_of, is_passing, of_status
from hardwon.storage.ports import Reply, Request

try:
    import httpx2
except ImportError as error:
    raise MissingExtra("models") from error

if TYPE_CHECKING:
    Assemble = Callable[[list[dict[str, Any]]], dict[str, Any]]

BODY_LIMIT = 4 * 1024 * 1024
_CONNECT = 10.0
_SCHEMA_WORDS = ("response_format", "output_config", "json_schema", "output_format", "schema")
_REFUSED = {"refusal", "content_filter", "safety"}
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


class HttpCall(NamedTuple):
    """One HTTP request to a model."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


class WireFormat(Protocol):
    """The format of one provider."""

    home: str

    def call(self, request: Request, model: str, key: str, *, with_schema: bool) -> HttpCall:
        """The request; with the schema of the answer if the server accepts one."""

    def reply(self, answer: dict[str, Any]) -> Reply:
        """The reply in an answer; raises KeyError, TypeError or IndexError if there is none."""

    def assemble(self, events: list[dict[str, Any]]) -> dict[str, Any]:
        """The answer assembled from a stream of events."""


class Anthropic:
    """The Messages API."""

    home = "https://api.anthropic.com"

    def call(self, request: Request, model: str, key: str, *, with_schema: bool) -> HttpCall:
        body: dict[str, Any] = {
            "model": model,
            "max_tokens": request.max_tokens,
            "system": request.system,
            "messages": [{"role": "user", "content": request.prompt}],
        }
        if with_schema and request.schema:
            body["output_config"] = {"format": {"type": "json_schema", "schema": request.schema}}
        headers = {"anthropic-version": "2023-06-01"} | ({"x-api-key": key} if key else {})
        return HttpCall("/v1/messages", headers, body)

    def reply(self, answer: dict[str, Any]) -> Reply:
        if answer.get("stop_reason") in _REFUSED:
            raise PermanentError("the model refused the content; nothing can be learnt from it")
        text = "".join(part["text"] for part in answer["content"] if part["type"] == "text")
        usage = answer.get("usage") or {}
        cached = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
        spent = sum(_count(usage, name) for name in cached)
        return Reply(text, str(answer.get("model", "")), spent, _count(usage, "output_tokens"))

    def assemble(self, events: list[dict[str, Any]]) -> dict[str, Any]:
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


class OpenAI:
    """Chat completions: OpenAI itself and every server that speaks like it."""

    home = "https://api.openai.com/v1"

    def call(self, request: Request, model: str, key: str, *, with_schema: bool) -> HttpCall:
        body: dict[str, Any] = {
            "model": model,
            "messages": [
                {"role": "system", "content": request.system},
                {"role": "user", "content": request.prompt},
            ],
            "max_completion_tokens" if model.startswith(("gpt-5", "o")) else "max_tokens": (
                request.max_tokens
            ),
        }
        if with_schema and request.schema:
            form = {"name": "answer", "strict": True, "schema": request.schema}
            body["response_format"] = {"type": "json_schema", "json_schema": form}
        # An empty key would make an invalid header: `Bearer `.
        return HttpCall(
            "/chat/completions", {"authorization": f"Bearer {key}"} if key else {}, body
        )

    def reply(self, answer: dict[str, Any]) -> Reply:
        choice = answer["choices"][0]
        message = choice["message"]
        if choice.get("finish_reason") in _REFUSED or message.get("refusal"):
            raise PermanentError("the model refused the content; nothing can be learnt from it")
        usage, text = answer.get("usage") or {}, message["content"]
        if isinstance(text, list):  # of parts
            text = "".join(part.get("text", "") for part in text)
        spent = _count(usage, "prompt_tokens"), _count(usage, "completion_tokens")
        text = text if isinstance(text, str) else ""
        return Reply(text, str(answer.get("model", "")), *spent)

    def assemble(self, events: list[dict[str, Any]]) -> dict[str, Any]:
        answer: dict[str, Any] = {}
        text, finish = "", None
        for event in events:
            answer |= {name: event[name] for name in ("model", "usage") if event.get(name)}
            for choice in event.get("choices") or []:
                text += choice.get("delta", {}).get("content") or ""
                finish = choice.get("finish_reason") or finish
        message = {"message": {"content": text}, "finish_reason": finish}
        return answer | {"choices": [message]}


WIRES: dict[str, WireFormat] = {"anthropic": Anthropic(), "openai": OpenAI()}


def _count(usage: dict[str, Any], name: str) -> int:
    value = usage.get(name)
    return value if isinstance(value, int) and value > 0 else 0


def events(body: str) -> list[dict[str, Any]]:
    """The JSON events of a server-sent stream."""
    lines = (
        line.removeprefix("data:").strip() for line in body.splitlines() if line[:5] == "data:"
    )
    documents = (json.loads(line) for line in lines if line and line != "[DONE]")
    return [event for event in documents if isinstance(event, dict)]


def open(kind: str, name: str, *, key: str, timeout: timedelta) -> Provider:
    """`model` or `model@address`."""
    model, address = split_address(kind, name)
    server = HttpServer(f"{kind}:{model}", address, timeout=timeout)
    return Provider(WIRES[kind], model, server, key=key)


def split_address(kind: str, name: str) -> tuple[str, str]:
    """The model and the address of `model` or `model@address`."""
    model, _, address = name.partition("@http")
    address = f"http{address}" if address else WIRES[kind].home
    if not model:
        raise InvalidInput(f"model {kind}:{name} is not of the form kind:name@http://host/…")
    return model, address


class Provider:
    """One model of one server. Never retries: the queue does."""

    def __init__(self, wire: WireFormat, model: str, server: HttpServer, *, key: str) -> None:
        self.name = server.name
        self._wire = wire
        self._model = model
        self._server = server
        self._key = key
        self._takes_schema = True

    async def complete(self, request: Request) -> Reply:
        asks_schema = self._takes_schema and request.schema is not None
        try:
            answer = await self._ask(request, with_schema=asks_schema)
        except SchemaRefused:
            self._takes_schema = False
            answer = await self._ask(request, with_schema=False)
        return self._read(answer, request)

    async def _ask(self, request: Request, *, with_schema: bool) -> dict[str, Any]:
        call = self._wire.call(request, self._model, self._key, with_schema=with_schema)
        return await self._server.ask(call, assemble=self._wire.assemble, with_schema=with_schema)

    def _read(self, answer: dict[str, Any], request: Request) -> Reply:
        try:
            reply = self._wire.reply(answer)
        except (KeyError, TypeError, IndexError, AttributeError) as error:
            raise PermanentError(f"{self.name} answered with JSON of an unexpected form") from error
        return reply._replace(
            model=self.name,
            tokens_in=reply.tokens_in or (len(request.system) + len(request.prompt)) // 4,
            tokens_out=reply.tokens_out or len(reply.text) // 4,
        )


class HttpServer:
    """One server and its name in messages. Never retries: the queue does."""

    def __init__(self, name: str, address: str, *, timeout: timedelta) -> None:
        try:
            parts = urlsplit(address)
            is_right = parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0
        except ValueError:
            is_right = False
        if not is_right:
            raise InvalidInput(f"model {name}@{address} is not of the form kind:name@http://host/…")
        self.name = name
        self._address = address.rstrip("/")
        self._timeout = timeout.total_seconds()

    async def ask(
        self, call: HttpCall, *, assemble: Assemble | None = None, with_schema: bool = False
    ) -> dict[str, Any]:
        """The JSON object of the answer; `assemble` joins a stream of events, if one comes."""
        try:
            async with asyncio.timeout(self._timeout):
                status, headers, body = await self._send(call)
        except TimeoutError as error:
            raise TransientError(
                f"{self.name} did not answer within {self._timeout:g} s"
            ) from error
        except (httpx2.TransportError, httpx2.InvalidURL, httpx2.DecodingError) as error:
            raise self._connection_error(error) from error
        if status != 200:
            raise self._status_error(status, headers, body, had_schema=with_schema)
        return self._answer(headers, body, assemble)

    async def _send(self, call: HttpCall) -> tuple[int, httpx2.Headers, bytes]:
        limits = httpx2.Timeout(self._timeout, connect=min(_CONNECT, self._timeout))
        # Compressed answers are declined: a few bytes could expand to fill the memory.
        headers = {"accept-encoding": "identity", "user-agent": "hardwon", **call.headers}
        async with (
            httpx2.AsyncClient(timeout=limits, follow_redirects=False) as client,
            client.stream(
                "POST", self._address + call.path, json=call.body, headers=headers
            ) as response,
        ):
            if response.headers.get("content-encoding", "identity") != "identity":
                encoding = response.headers["content-encoding"]
                raise PermanentError(
                    f"{self.name} sent Content-Encoding {encoding!r} though identity was requested"
                )
            body = bytearray()
            async for chunk in response.aiter_raw(64 * 1024):
                body += chunk
                if len(body) > BODY_LIMIT:
                    raise PermanentError(f"{self.name} answered more than {BODY_LIMIT} bytes")
            return response.status_code, response.headers, bytes(body)

    def _answer(
        self, headers: httpx2.Headers, body: bytes, assemble: Assemble | None
    ) -> dict[str, Any]:
        kind = headers.get("content-type", "").split(";")[0]
        try:
            text = body.decode("utf-8")
            is_stream = "event-stream" in kind
            document = assemble(events(text)) if assemble and is_stream else json.loads(text)
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise PermanentError(
                f"{self.name} answered {kind or 'something'} that is not JSON; is {self._address}"
                " the right address?"
            ) from error
        if not isinstance(document, dict):
            raise PermanentError(f"{self.name} answered with JSON of an unexpected form")
        if problem := document.get("error"):  # it came with status 200
            code = problem.get("code") if isinstance(problem, dict) else None
            kind_of_error = (
                TransientError if isinstance(code, int) and is_passing(code) else PermanentError
            )
            raise kind_of_error(f"{self.name}: {redact(one_line(json.dumps(problem), 300))}")
        return document

    def _connection_error(self, error: Exception) -> PermanentError | TransientError:
        if any(isinstance(cause, ssl.SSLCertVerificationError) for cause in causes_of(error)):
            return PermanentError(
                f"{self._address}: its certificate is not trusted on this machine"
            )
        invalid_request = (httpx2.LocalProtocolError, httpx2.UnsupportedProtocol, httpx2.InvalidURL)
        if isinstance(error, invalid_request):
            return PermanentError(f"{self._address}: {error}")
        return TransientError(f"{self._address}: {str(error) or type(error).__name__}")

    def _status_error(
        self, status: int, headers: httpx2.Headers, body: bytes, *, had_schema: bool
    ) -> PermanentError | TransientError:
        words = _words(body)
        if status in {400, 422} and had_schema and any(word in words for word in _SCHEMA_WORDS):
            return SchemaRefused(words)
        problem = (
            f"{self.name} answered {status}: {words}" if words else f"{self.name} answered {status}"
        )
        if is_passing(status):
            return of_status(status, problem, headers=headers)
        if 300 <= status < 400:
            return PermanentError(f"{problem}; it points to {headers.get('location', 'nowhere')!r}")
        return PermanentError(f"{problem}; {_ADVICE.get(status, 'the request cannot work')}")


class SchemaRefused(PermanentError):
    """The server does not accept a schema; the request is sent again without it."""


def _words(body: bytes) -> str:
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


def open_embedder(name: str, *, key: str, timeout: timedelta) -> EmbeddingEndpoint:
    """`model` or `model@address`."""
    model, address = split_address("openai", name)
    server = HttpServer(f"openai:{model}", address, timeout=timeout)
    return EmbeddingEndpoint(model, server, key=key)


class EmbeddingEndpoint:
    """One embedding model of one server. Secrets are removed from texts before sending."""

    def __init__(self, model: str, server: HttpServer, *, key: str) -> None:
        self.name = server.name
        self._model = model
        self._server = server
        self._key = key

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        clean = [clip(redact(text), _LETTERS) or " " for text in texts]
        parts = (clean[at : at + _BATCH] for at in range(0, len(clean), _BATCH))
        return [vector for part in parts for vector in self._request(part)]

    def _request(self, texts: list[str]) -> list[list[float]]:
        headers = {"authorization": f"Bearer {self._key}"} if self._key else {}
        body = {"model": self._model, "input": texts, "encoding_format": "float"}
        answer = run_sync(lambda: self._server.ask(HttpCall("/embeddings", headers, body)))
        try:
            return _vectors(answer, len(texts))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise PermanentError(f"{self.name} did not answer with vectors") from error


def _vectors(answer: dict[str, Any], count: int) -> list[list[float]]:
    """The unit vectors in the order of the texts; raises if one is missing or invalid."""
    rows = sorted(answer["data"], key=lambda row: int(row["index"]))
    vectors = [[float(value) for value in row["embedding"]] for row in rows]
    if [row["index"] for row in rows] != list(range(count)) or len(set(map(len, vectors))) > 1:
        raise ValueError(f"{len(vectors)} vectors for {count} texts")
    lengths = [sqrt(sum(value * value for value in vector)) for vector in vectors]
    if not all(0 < length < float("inf") for length in lengths):
        raise ValueError("a vector without a direction")
    return [
        [value / length for value in vector]
        for vector, length in zip(vectors, lengths, strict=True)
    ]
