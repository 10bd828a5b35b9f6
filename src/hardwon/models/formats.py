"""The two wire formats: how a question is written and how an answer is read."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from hardwon.core.errors import PermanentError
from hardwon.storage.ports import Reply

if TYPE_CHECKING:
    from hardwon.storage.ports import Request

_REFUSED = {"refusal", "content_filter", "safety"}


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

    def gathered(self, events: list[dict[str, Any]]) -> dict[str, Any]:
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

    def gathered(self, events: list[dict[str, Any]]) -> dict[str, Any]:
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
        usage = answer.get("usage") or {}
        spent = _count(usage, "prompt_tokens"), _count(usage, "completion_tokens")
        return Reply(_joined(message["content"]), str(answer.get("model", "")), *spent)

    def gathered(self, events: list[dict[str, Any]]) -> dict[str, Any]:
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


def _joined(content: Any) -> str:
    """The text of a message that may be one string or a list of parts."""
    if isinstance(content, list):
        return "".join(part.get("text", "") for part in content)
    return content if isinstance(content, str) else ""


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
