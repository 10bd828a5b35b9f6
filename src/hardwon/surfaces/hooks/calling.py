"""How an agent is told to call us: a command that is found whatever its PATH, or the daemon."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from typing import Any


def command(agent: str, event: str = "") -> dict[str, Any]:
    """A hook that starts a process for each event."""
    own = os.path.join(os.path.dirname(sys.executable), "hardwon")
    program = own if os.access(own, os.X_OK) else shutil.which("hardwon")
    start = shlex.quote(program) if program else f"{shlex.quote(sys.executable)} -m hardwon"
    return {"type": "command", "command": f"{start} hook {agent} {event}".rstrip()}


def http(agent: str, *, port: int, token: str) -> dict[str, Any]:
    """A hook that asks the daemon; only Claude Code has those."""
    url = f"http://127.0.0.1:{port}/hardwon/hook/{agent}"
    return {"type": "http", "url": url, "headers": {"Authorization": f"Bearer {token}"}}
