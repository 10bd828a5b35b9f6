"""A model on a loopback port that follows a script, in the four wire formats agents speak."""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

USAGE = {"input_tokens": 10, "output_tokens": 5}


class Call(NamedTuple):
    """The model wants this tool to run."""

    tool: str
    args: dict[str, Any]


Move = Call | str


class ScriptedModel:
    """Plays one move a turn and remembers every request; the last move repeats."""

    def __init__(self, port: int, moves: list[Move], *, is_text: bool = False) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self.moves = moves
        self.is_text = is_text  # calls are asked for in text, so requests have no tools
        self.requests: list[dict[str, Any]] = []
        self._ids = itertools.count(1)

    def seen(self, text: str) -> int:
        """In how many requests the text stands."""
        return sum(text in json.dumps(request, ensure_ascii=False) for request in self.requests)

    def answer(self, path: str, request: dict[str, Any]) -> list[Any] | dict[str, Any]:
        """A list is sent as a stream of events."""
        self.requests.append(request)
        for part, speak in _WIRES.items():
            if part in path:
                answer: list[Any] | dict[str, Any] = speak(self, request)
                return answer
        return {"object": "list", "data": [], "models": []}

    def move(self, turn: int, request: dict[str, Any]) -> Move:
        """Requests without tools are asked for titles and the like."""
        return self.moves[min(turn, len(self.moves) - 1)] if self.has_turn(request) else "{}"

    def has_turn(self, request: dict[str, Any]) -> bool:
        return self.is_text or bool(request.get("tools"))

    def next_id(self) -> str:
        return f"{next(self._ids):06d}"


def texts(value: Any) -> Iterator[str]:
    """Every text in a request, however deep."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from texts(part)


def results(value: Any) -> Iterator[str]:
    """Every text that a tool gave back, in any of the four formats."""
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    if isinstance(value, dict) and (
        value.get("role") == "tool"
        or value.get("type") == "tool_result"
        or str(value.get("type")).endswith("_call_output")
        or ("response" in value and "name" in value)
    ):
        yield from texts(value)
    else:
        for part in parts:
            yield from results(part)


@contextmanager
def scripted(moves: list[Move], *, is_text: bool = False) -> Iterator[ScriptedModel]:
    """The model, listening on a free port of this machine."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    port = server.server_address[1]
    server.model = ScriptedModel(port, moves, is_text=is_text)  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.model  # type: ignore[attr-defined]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None:
        """Silence."""

    def do_HEAD(self) -> None:
        self._send(b"", "text/plain")

    def do_GET(self) -> None:
        self._send(b'{"object": "list", "data": [], "models": []}', "application/json")

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        answer = self.server.model.answer(self.path, json.loads(raw or b"{}"))  # type: ignore[attr-defined]
        if isinstance(answer, list):
            self._send("".join(map(_event, answer)).encode(), "text/event-stream")
        else:
            self._send(json.dumps(answer).encode(), "application/json")

    def _send(self, body: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def _event(event: Any) -> str:
    if isinstance(event, str):
        return f"data: {event}\n\n"
    name = f"event: {event['type']}\n" if "type" in event else ""
    return f"{name}data: {json.dumps(event)}\n\n"


def _messages(model: ScriptedModel, request: dict[str, Any]) -> list[Any] | dict[str, Any]:
    turn = sum(message["role"] == "assistant" for message in request.get("messages", []))
    move, number = model.move(turn, request), model.next_id()
    if isinstance(move, Call):
        block = {"type": "tool_use", "id": f"toolu_{number}", "name": move.tool, "input": move.args}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(move.args)}
        opened, stop = {**block, "input": {}}, "tool_use"
    else:
        block, delta = {"type": "text", "text": move}, {"type": "text_delta", "text": move}
        opened, stop = {"type": "text", "text": ""}, "end_turn"
    message = {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": request.get("model", ""),
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": USAGE,
    }
    if not request.get("stream"):
        return {**message, "content": [block], "stop_reason": stop}
    ended = {"stop_reason": stop, "stop_sequence": None}
    return [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": opened},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": ended, "usage": USAGE},
        {"type": "message_stop"},
    ]


def _responses(model: ScriptedModel, request: dict[str, Any]) -> list[Any] | dict[str, Any]:
    given = request.get("input", [])
    items = [] if isinstance(given, str) else given
    turn = sum(str(item.get("type", "")).endswith("_call_output") for item in items)
    move, number = model.move(turn, request), model.next_id()
    item: dict[str, Any] = {"id": f"item_{number}", "status": "completed"}
    if isinstance(move, Call):
        item |= {"type": "function_call", "call_id": f"call_{number}", "name": move.tool}
        item["arguments"] = json.dumps(move.args)
    else:
        content = [{"type": "output_text", "text": move, "annotations": []}]
        item |= {"type": "message", "role": "assistant", "content": content}
    response = {
        "id": f"resp_{number}",
        "object": "response",
        "status": "completed",
        "model": request.get("model"),
        "output": [item],
        "usage": {**USAGE, "total_tokens": 15},
    }
    if not request.get("stream"):
        return response
    started = {**response, "status": "in_progress", "output": []}
    return [
        {"type": "response.created", "response": started},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": response},
    ]


def _chat(model: ScriptedModel, request: dict[str, Any]) -> list[Any] | dict[str, Any]:
    # Not every framework shows a failed call to the model again: count what was asked.
    turn = sum(map(model.has_turn, model.requests[:-1]))
    move, number = model.move(turn, request), model.next_id()
    message: dict[str, Any] = {"role": "assistant", "content": None}
    if isinstance(move, Call):
        function = {"name": move.tool, "arguments": json.dumps(move.args)}
        message["tool_calls"] = [{"id": f"call_{number}", "type": "function", "function": function}]
    else:
        message["content"] = move
    end = "tool_calls" if isinstance(move, Call) else "stop"
    usage = {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7}
    frame = {"id": f"c{number}", "created": 1, "model": request["model"]}
    if not request.get("stream"):
        choice = {"index": 0, "message": message, "finish_reason": end}
        return {**frame, "object": "chat.completion", "choices": [choice], "usage": usage}
    delta = {**message, "tool_calls": [{"index": 0, **c} for c in message.get("tool_calls", [])]}
    frame["object"] = "chat.completion.chunk"
    return [
        {**frame, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]},
        {**frame, "choices": [{"index": 0, "delta": {}, "finish_reason": end}], "usage": usage},
        "[DONE]",
    ]


def _gemini(model: ScriptedModel, request: dict[str, Any]) -> list[Any]:
    parts = [part for content in request.get("contents", []) for part in content.get("parts", [])]
    move = model.move(sum("functionResponse" in part for part in parts), request)
    said = {"text": move}
    if isinstance(move, Call):
        said = {"functionCall": {"name": move.tool, "args": move.args}}  # type: ignore[dict-item]
    candidate = {"content": {"role": "model", "parts": [said]}, "finishReason": "STOP", "index": 0}
    usage = {"promptTokenCount": 5, "candidatesTokenCount": 2, "totalTokenCount": 7}
    return [{"candidates": [candidate], "usageMetadata": usage, "modelVersion": "scripted"}]


def _gemini_at_once(model: ScriptedModel, request: dict[str, Any]) -> dict[str, Any]:
    answer: dict[str, Any] = _gemini(model, request)[0]
    return answer


_WIRES: dict[str, Callable[[ScriptedModel, dict[str, Any]], Any]] = {
    "count_tokens": lambda model, request: {"input_tokens": 10},
    "countTokens": lambda model, request: {"totalTokens": 5},
    "/messages": _messages,
    "/responses": _responses,
    "/chat/completions": _chat,
    ":streamGenerateContent": _gemini,
    ":generateContent": _gemini_at_once,
}
