"""How an agent is told to call us: a command that is found whatever its PATH, or the daemon."""

from __future__ import annotations

import json
import os
import shlex
import sys
from typing import Any

import hardwon

# Without `site` and the user's PYTHON… variables the interpreter starts a tenth faster and the hook
# does not depend on them. Code instead of a script: a script that has gone ends with exit code 2,
# by which agents block what they were about to do; a module that has gone ends with 1.
_START = "import sys; sys.path.append({root}); from hardwon.__main__ import main; main()"


def command(agent: str, event: str = "", *, home: str = "") -> dict[str, Any]:
    """A hook that starts a process for each event; `home` where it is not the usual one."""
    place = f"HARDWON_HOME={shlex.quote(home)} " if home else ""
    words = [*_interpreter(), "hook", agent, *filter(None, [event])]
    return {"type": "command", "command": place + shlex.join(words)}


def _interpreter() -> list[str]:
    root = os.path.dirname(os.path.dirname(hardwon.__file__))
    if not os.path.isdir(root):  # inside an archive
        return [sys.executable, "-m", "hardwon"]
    return [sys.executable, "-I", "-S", "-c", _START.format(root=json.dumps(root))]


def http(agent: str, *, port: int, token: str) -> dict[str, Any]:
    """A hook that asks the daemon; only Claude Code has those."""
    url = f"http://127.0.0.1:{port}/hardwon/hook/{agent}"
    return {"type": "http", "url": url, "headers": {"Authorization": f"Bearer {token}"}}
