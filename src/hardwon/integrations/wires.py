"""The three wires of plain clients: where a request holds its calls, results and instructions.

A request is the keyword arguments of `create`. Everything here returns a new one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from hardwon.integrations.recorder import beside

Request = Mapping[str, Any]


class Call(NamedTuple):
    """A tool call that a model asks for."""

    id: str
    tool: str
    args: Any


class Result(NamedTuple):
    """What the caller answers to a tool call; `failed` is None if the wire does not say."""

    id: str
    output: str
    failed: bool | None = None


class ChatCompletions:
    """`client.chat.completions.create(messages=[…])`; the other wires have the same methods."""

    path = ("chat", "completions")

    def task(self, request: Request) -> str:
        """The latest message of the user."""
        return _latest(request["messages"])

    def calls(self, request: Request) -> Iterator[Call]:
        """The calls in the history of a request."""
        for message in map(_plain, request["messages"]):
            for call in message.get("tool_calls") or ():
                yield Call(call["id"], *_function(call))

    def results(self, request: Request) -> Iterator[Result]:
        """The results in a request, in order."""
        for message in map(_plain, request["messages"]):
            if message.get("role") == "tool":
                yield Result(message["tool_call_id"], _text(message.get("content")))

    def with_start(self, request: Request, text: str) -> Request:
        """The request with a text behind its system message."""
        messages = list(request["messages"])
        first = _plain(messages[0]) if messages else {}
        if first.get("role") in ("system", "developer"):
            messages[0] = {**first, "content": _behind(first["content"], text)}
        else:
            messages.insert(0, {"role": "system", "content": text})
        return {**request, "messages": messages}

    def with_notes(self, request: Request, notes: Mapping[str, str]) -> Request:
        """The request with notes behind the results of calls, by id."""
        messages = _with_notes(request["messages"], notes, id="tool_call_id", text="content")
        return {**request, "messages": messages}

    def answer(self, response: Any) -> tuple[str, list[Call]]:
        """The text of a response and the calls it asks for."""
        message = _plain(response.choices[0].message)
        calls = [Call(call["id"], *_function(call)) for call in message.get("tool_calls") or ()]
        return message.get("content") or "", calls

    def with_results(self, request: Request, response: Any, results: Mapping[str, str]) -> Request:
        """The request after a response of which only these calls were answered."""
        message = _plain(response.choices[0].message)
        calls = [call for call in message["tool_calls"] if call["id"] in results]
        answers = [
            {"role": "tool", "tool_call_id": name, "content": text}
            for name, text in results.items()
        ]
        message = {**message, "tool_calls": calls}
        return {**request, "messages": [*request["messages"], message, *answers]}

    def question(self, model: str, system: str, prompt: str, *, max_tokens: int) -> Request:
        """A request without tools, for a model that reads a run."""
        messages = [{"role": "system", "content": system}, {"role": "user", "content": prompt}]
        return {"model": model, "messages": messages, "max_completion_tokens": max_tokens}


class Responses:
    """`client.responses.create(input=…)`; with `previous_response_id` calls come from responses."""

    path = ("responses",)

    def task(self, request: Request) -> str:
        items = request.get("input") or ""
        return items if isinstance(items, str) else _latest(items)

    def calls(self, request: Request) -> Iterator[Call]:
        for item in _items(request):
            if item.get("type") == "function_call":
                yield Call(item["call_id"], item["name"], item["arguments"])

    def results(self, request: Request) -> Iterator[Result]:
        for item in _items(request):
            if item.get("type") == "function_call_output":
                yield Result(item["call_id"], _text(item["output"]))

    def with_start(self, request: Request, text: str) -> Request:
        return {**request, "instructions": _behind(request.get("instructions") or "", text)}

    def with_notes(self, request: Request, notes: Mapping[str, str]) -> Request:
        if isinstance(request.get("input"), str):
            return request
        items = _with_notes(request.get("input") or [], notes, id="call_id", text="output")
        return {**request, "input": items}

    def answer(self, response: Any) -> tuple[str, list[Call]]:
        items = [_plain(item) for item in response.output]
        return response.output_text, list(self.calls({"input": items}))

    def with_results(self, request: Request, response: Any, results: Mapping[str, str]) -> Request:
        before = request.get("input") or ""
        turn = [{"role": "user", "content": before}] if isinstance(before, str) else list(before)
        asked = [
            item
            for item in map(_plain, response.output)
            if item["type"] != "function_call" or item["call_id"] in results
        ]
        answers = [
            {"type": "function_call_output", "call_id": name, "output": text}
            for name, text in results.items()
        ]
        return {**request, "input": [*turn, *asked, *answers]}

    def question(self, model: str, system: str, prompt: str, *, max_tokens: int) -> Request:
        limits = {"max_output_tokens": max_tokens, "store": False}
        return {"model": model, "instructions": system, "input": prompt, **limits}


class Messages:
    """`client.messages.create(messages=[…])` of Anthropic."""

    path = ("messages",)

    def task(self, request: Request) -> str:
        return _latest(request["messages"])

    def calls(self, request: Request) -> Iterator[Call]:
        for block in _blocks(request["messages"], "tool_use"):
            yield Call(block["id"], block["name"], block["input"])

    def results(self, request: Request) -> Iterator[Result]:
        for block in _blocks(request["messages"], "tool_result"):
            failed = True if block.get("is_error") else None
            yield Result(block["tool_use_id"], _text(block.get("content")), failed)

    def with_start(self, request: Request, text: str) -> Request:
        return {**request, "system": _behind(request.get("system") or "", text)}

    def with_notes(self, request: Request, notes: Mapping[str, str]) -> Request:
        messages = [
            {**message, "content": _with_notes(content, notes, id="tool_use_id", text="content")}
            if isinstance(content := (message := _plain(given)).get("content"), list)
            else given
            for given in request["messages"]
        ]
        return {**request, "messages": messages}

    def answer(self, response: Any) -> tuple[str, list[Call]]:
        message = {"content": [_plain(block) for block in response.content]}
        return _text(message["content"]), list(self.calls({"messages": [message]}))

    def with_results(self, request: Request, response: Any, results: Mapping[str, str]) -> Request:
        blocks = [_plain(block) for block in response.content]
        asked = [b for b in blocks if b["type"] != "tool_use" or b["id"] in results]
        answers = [
            {"type": "tool_result", "tool_use_id": name, "content": text, "is_error": True}
            for name, text in results.items()
        ]
        turn = [{"role": "assistant", "content": asked}, {"role": "user", "content": answers}]
        return {**request, "messages": [*request["messages"], *turn]}

    def question(self, model: str, system: str, prompt: str, *, max_tokens: int) -> Request:
        messages = [{"role": "user", "content": prompt}]
        return {"model": model, "system": system, "messages": messages, "max_tokens": max_tokens}


Wire = ChatCompletions | Responses | Messages
WIRES: dict[str, tuple[type[Wire], ...]] = {
    "openai": (ChatCompletions, Responses),
    "anthropic": (Messages,),
}


def _plain(value: Any) -> dict[str, Any]:
    """A message as a dict; callers append the client's own objects, too."""
    return value if isinstance(value, dict) else value.model_dump(exclude_none=True)


def _items(request: Request) -> Iterator[dict[str, Any]]:
    items = request.get("input") or ""
    return iter(()) if isinstance(items, str) else map(_plain, items)


def _blocks(messages: Any, kind: str) -> Iterator[dict[str, Any]]:
    for message in map(_plain, messages):
        content = message.get("content")
        for block in map(_plain, content) if isinstance(content, list) else ():
            if block.get("type") == kind:
                yield block


def _function(call: Mapping[str, Any]) -> tuple[str, Any]:
    function = call.get("function") or call.get("custom") or {}
    return function.get("name", ""), function.get("arguments", function.get("input", ""))


def _latest(messages: Any) -> str:
    """The latest text of the user."""
    texts = (_text(m.get("content")) for m in map(_plain, messages) if m.get("role") == "user")
    return next((text for text in reversed(list(texts)) if text), "")


def _text(content: Any) -> str:
    """The text of a content: one text, or parts of which some have a text."""
    if content is None or isinstance(content, str):
        return content or ""
    if not isinstance(content, list):
        return json.dumps(content, default=str)
    parts = (part.get("text") if isinstance(part, dict) else str(part) for part in content)
    return "\n".join(part for part in parts if part)


def _behind(content: Any, text: str) -> Any:
    """The instructions with a text behind them; parts get one more part."""
    if isinstance(content, str):
        return f"{content}\n\n{text}".strip()
    return [*content, {"type": "text", "text": text}]


def _with_notes(items: Any, notes: Mapping[str, str], *, id: str, text: str) -> list[Any]:
    """The items with notes behind their results; an item without one is the same object."""

    def note(item: Any) -> Any:
        found = notes.get(str(item.get(id, ""))) if isinstance(item, dict) else None
        if not found:
            return item
        content = item.get(text) or ""
        added = beside(content, found) if isinstance(content, str) else _behind(content, found)
        return {**item, text: added or found}

    return [note(item) for item in items]
