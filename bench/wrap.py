"""What `hardwon.wrap` adds to a call: `python -m bench wrap` (needs the package `openai`).

An agent's loop of 150 requests, each with one more call and its result, against a server on this
machine that answers at once; with a bare client and with a wrapped one, in turns. Counted is the
processor time of the loop's thread, recording included.
"""

from __future__ import annotations

import http.server
import json
import os
import tempfile
import threading
import time
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import hardwon
from bench.timing import median, table

_CALLS, _ROUNDS = 150, 3
_ANSWER = {"role": "assistant", "content": "ok"}
_TOOL = {"name": "find", "parameters": {"type": "object", "properties": {"a": {"type": "string"}}}}


class _Answers(http.server.BaseHTTPRequestHandler):
    """Answers every request for a completion with the same words."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        choices = [{"index": 0, "finish_reason": "stop", "message": _ANSWER}]
        head = {"id": "x", "object": "chat.completion", "created": 1, "model": "m"}
        body = json.dumps({**head, "choices": choices}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Print nothing."""


def main() -> None:
    """One row: milliseconds a call, bare and wrapped."""
    if find_spec("openai") is None:
        print("openai is not installed here: .venv/bin/pip install openai")
        return
    openai = import_module("openai")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Answers)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url, bare, wrapped = f"http://127.0.0.1:{server.server_port}/v1", list[float](), list[float]()
    with tempfile.TemporaryDirectory() as home:
        os.environ["HARDWON_HOME"] = home
        for _ in range(_ROUNDS):
            bare += _loop(openai.OpenAI(base_url=url, api_key="none"))
            client = openai.OpenAI(base_url=url, api_key="none")
            wrapped += _loop(hardwon.wrap(client, "coder"))
    server.shutdown()
    more = median(wrapped) - median(bare)
    cells = (f"{1000 * spent:.2f}" for spent in (median(bare), median(wrapped), more))
    table("ms of CPU a call", [("bare", "wrapped", "more"), tuple(cells)])


def _loop(client: Any) -> list[float]:
    """The time of each request of a run."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "find them"}]
    spent: list[float] = []
    for number in range(_CALLS):
        began = time.thread_time()
        client.chat.completions.create(
            model="m", messages=messages, tools=[{"type": "function", "function": _TOOL}]
        )
        spent.append(time.thread_time() - began)
        call = {"name": "find", "arguments": json.dumps({"a": str(number)})}
        made = {"id": f"c{number}", "type": "function", "function": call}
        result = {"role": "tool", "tool_call_id": made["id"], "content": f"found {number}"}
        messages += [{"role": "assistant", "tool_calls": [made]}, result]
    return spent
