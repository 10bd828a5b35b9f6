"""How an agent calls hardwon: a command that does not depend on PATH, or the daemon."""

from __future__ import annotations

import shlex
from typing import Any

from hardwon.core import _isolation


def command(agent: str, event: str = "", *, home: str = "") -> dict[str, Any]:
    """A hook that starts a process for each event; `home` is passed unless it is the default."""
    place = f"HARDWON_HOME={shlex.quote(home)} " if home else ""
    words = _isolation.command("hook", agent, *filter(None, [event]), site=False)
    return {"type": "command", "command": place + shlex.join(words)}


def http(agent: str, *, port: int, token: str) -> dict[str, Any]:
    """A hook that calls the daemon; only Claude Code supports this."""
    url = f"http://127.0.0.1:{port}/hardwon/hook/{agent}"
    return {"type": "http", "url": url, "headers": {"Authorization": f"Bearer {token}"}}
