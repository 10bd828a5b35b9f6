"""A daemon in a process of its own, asked over its socket as the hooks of Claude Code do."""

from __future__ import annotations

import http.client
import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.surfaces.hooks.hooking import Hook
from tests.waiting import until

CWD = "/srv/shop"


class _Connection(http.client.HTTPConnection):
    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(self.host)


class DaemonProcess:
    """The process that answers hooks, asked over its socket."""

    def __init__(self, socket_path: Path) -> None:
        self._path = socket_path

    def tell(self, name: str, session: str, **fields: Any) -> dict[str, Any]:
        """The answer to one event of Claude Code."""
        event = {"hook_event_name": name, "session_id": session, "cwd": CWD, **fields}
        connection = _Connection(str(self._path), timeout=60)
        connection.request("POST", "/hardwon/hook/claude-code", json.dumps(event))
        said = connection.getresponse().read()
        connection.close()
        return dict(json.loads(said)) if said else {}

    def before(self, session: str, command: str) -> dict[str, Any]:
        return self.tell("PreToolUse", session, **call_of(command))

    def fail(self, session: str, command: str, error: str) -> dict[str, Any]:
        failed = f"Exit code 1\n{error}"
        return self.tell("PostToolUseFailure", session, **call_of(command), error=failed)

    def work(self, session: str, command: str) -> dict[str, Any]:
        done = {"stdout": "done"}
        return self.tell("PostToolUse", session, **call_of(command), tool_response=done)


def call_of(command: str) -> dict[str, Any]:
    return {"tool_name": "Bash", "tool_input": {"command": command}}


@contextmanager
def serving(hook: Hook) -> Iterator[DaemonProcess]:
    """A daemon in a process of its own."""
    command = [sys.executable, "-m", "hardwon", "daemon", "--home", str(hook.home)]
    process = subprocess.Popen(command, env=hook.environ, stdout=subprocess.DEVNULL)
    path = hook.home / "hook.sock"
    until(path.exists)
    try:
        yield DaemonProcess(path)
    finally:
        process.terminate()
        process.wait()
