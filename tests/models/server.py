"""A model server that plays a part: any status, any bytes, any delay, in both wire formats."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

LESSON = (
    "<situation>when it rains</situation><mistake>no umbrella</mistake>"
    "<correction>take an umbrella</correction><tags>rain, umbrella</tags>"
)


class Part(NamedTuple):
    """What the server does with one request."""

    status: int = 200
    body: bytes = b""
    headers: tuple[tuple[str, str], ...] = (("content-type", "application/json"),)
    act: Callable[[BaseHTTPRequestHandler], None] | None = None  # instead of answering


class Stage(NamedTuple):
    """A running server and what it was asked."""

    address: str
    asked: list[dict[str, Any]]


def anthropic(text: str, **more: Any) -> bytes:
    """A message of the Messages API."""
    return json.dumps(
        {
            "model": "claude-x",
            "content": [{"type": "text", "text": text}],
            "stop_reason": "end_turn",
            "usage": {"input_tokens": 11, "output_tokens": 7},
            **more,
        }
    ).encode()


def openai(text: str | None, *, finish: str = "stop", **message: Any) -> bytes:
    """A chat completion."""
    choice = {"message": {"content": text, **message}, "finish_reason": finish}
    usage = {"prompt_tokens": 11, "completion_tokens": 7}
    return json.dumps({"model": "gpt-x", "choices": [choice], "usage": usage}).encode()


def streamed(*events: dict[str, Any]) -> Part:
    """Server-sent events."""
    body = "".join(f"data: {json.dumps(event)}\n\n" for event in events) + "data: [DONE]\n\n"
    return Part(body=body.encode(), headers=(("content-type", "text/event-stream"),))


def endless(handler: BaseHTTPRequestHandler) -> None:
    """Bytes for ever, a few at a time."""
    handler.send_response(200)
    handler.send_header("content-type", "text/event-stream")
    handler.end_headers()
    try:
        for _ in range(400):
            handler.wfile.write(b": still there\n\n")
            handler.wfile.flush()
            time.sleep(0.05)
    except OSError:
        pass


def huge(handler: BaseHTTPRequestHandler) -> None:
    """A hundred megabytes."""
    handler.send_response(200)
    handler.send_header("content-type", "application/json")
    handler.end_headers()
    try:
        for _ in range(1600):
            handler.wfile.write(b"x" * 65536)
    except OSError:
        pass


def silent(handler: BaseHTTPRequestHandler) -> None:
    """Nothing at all, for a while."""
    time.sleep(5)


def torn(handler: BaseHTTPRequestHandler) -> None:
    """Half an answer, then the line goes dead."""
    handler.send_response(200)
    handler.send_header("content-type", "application/json")
    handler.send_header("content-length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"choices": [')
    handler.wfile.flush()
    handler.connection.close()


@contextmanager
def playing(*parts: Part) -> Iterator[Stage]:
    """Plays the parts in order; the last one is played for ever."""
    asked: list[dict[str, Any]] = []
    script = list(parts)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            length = int(self.headers.get("content-length", 0))
            body = json.loads(self.rfile.read(length))
            asked.append({"path": self.path, "headers": dict(self.headers), "body": body})
            self.close_connection = True
            part = script.pop(0) if len(script) > 1 else script[0]
            if part.act:
                part.act(self)
                return
            self.send_response_only(part.status)
            for name, value in part.headers:
                self.send_header(name, value)
            self.send_header("content-length", str(len(part.body)))
            self.end_headers()
            self.wfile.write(part.body)

        def log_message(self, *_: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_: object) -> None:
            pass  # a client that leaves is part of the play

    server = Server(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield Stage(f"http://127.0.0.1:{server.server_port}", asked)
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
