"""Running the hook as an agent does: a process, an event on its standard input."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

from tests.waiting import until


class Outcome(NamedTuple):
    """What the agent saw, and what was logged."""

    code: int
    out: str
    err: str
    log: list[str]

    @property
    def answer(self) -> Any:
        return json.loads(self.out)


class Hook:
    """`hardwon hook` in a home of its own, with time enough for a busy machine."""

    def __init__(self, home: Path, **environ: str) -> None:
        self.home = home
        self.environ = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
            "HARDWON_HOME": str(home),
            "HARDWON_HOOKS_LIMIT": "60s",
            "HARDWON_HOOKS_CAPTURE_LIMIT": "60s",
            "HARDWON_HOOKS_WAKE": "false",
            "HARDWON_HOOKS_DAEMON": "false",
            **environ,
        }

    def in_a_hurry(self) -> Hook:
        """The same at the limits that everybody has."""
        limits = {"HARDWON_HOOKS_LIMIT", "HARDWON_HOOKS_CAPTURE_LIMIT"}
        self.environ = {key: self.environ[key] for key in self.environ.keys() - limits}
        return self

    def __call__(self, agent: str, event: object, *more: str) -> Outcome:
        raw = event if isinstance(event, bytes) else json.dumps(event).encode()
        ran = subprocess.run(
            [sys.executable, "-m", "hardwon", "hook", agent, *more],
            input=raw,
            capture_output=True,
            env=self.environ,
            timeout=90,
        )
        return Outcome(ran.returncode, ran.stdout.decode(), ran.stderr.decode(), self.log())

    def log(self) -> list[str]:
        path = self.home / "hook.log"
        return path.read_text().splitlines() if path.exists() else []


def daemons(home: Path) -> list[int]:
    """The processes that serve this home, or are about to."""
    folders = (folder for folder in Path("/proc").iterdir() if folder.name.isdecimal())
    words = {int(folder.name): _words(folder) for folder in folders}
    return [pid for pid in words if {b"daemon", os.fsencode(home)} <= words[pid]]


def end_daemons(home: Path) -> None:
    """Leave nothing running that a hook has started."""
    for pid in daemons(home):
        os.kill(pid, signal.SIGKILL)
    until(lambda: not daemons(home))


def _words(folder: Path) -> set[bytes]:
    try:
        return set((folder / "cmdline").read_bytes().split(b"\0"))
    except OSError:
        return set()
