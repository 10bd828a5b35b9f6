"""A laptop with the hooks of Claude Code, as they are installed, while its server is stopped."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import hardwon
from hardwon import Lesson
from tests.postgres_server import Place, PostgresServer, running

FAILING = "mkdir out/nightly"
FIX = "What worked: `mkdir -p out/nightly`"
ERROR = "Exit code 1\nmkdir: cannot create directory 'out/nightly': No such file or directory"


class Laptop:
    """Processes only: the command that was installed for each event, and `hardwon …`."""

    def __init__(self, home: Path, url: str) -> None:
        home.mkdir()
        self._home = home
        self._environ = {
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "HARDWON_HOME": str(home / ".hardwon"),
            "HARDWON_PROJECT": "api",
            "HARDWON_POSTGRES_URL": url,
            "HARDWON_HOOKS_LIMIT": "60s",
            "HARDWON_HOOKS_CAPTURE_LIMIT": "60s",
            "HARDWON_HOOKS_WAKE": "false",  # the test runs the worker when it wants to
            "HARDWON_HOOKS_DAEMON": "false",
        }
        self.run("install", "claude-code", "--yes")
        written = json.loads((home / ".claude" / "settings.json").read_text())
        self._commands = {
            name: shlex.split(groups[0]["hooks"][0]["command"])
            for name, groups in written["hooks"].items()
        }
        self.imported = ""  # what all hooks have imported, as the interpreter lists it

    def run(self, *arguments: str) -> str:
        """What a command says that ends well."""
        command = [sys.executable, "-m", "hardwon", *arguments]
        ran = subprocess.run(command, env=self._environ, capture_output=True, text=True, timeout=90)
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    def tells(self, session: str, name: str, **event: object) -> str:
        """What a hook answers to an event."""
        told = {"hook_event_name": name, "session_id": session, "cwd": str(self._home), **event}
        python, *rest = self._commands[name]
        ran = subprocess.run(
            [python, "-X", "importtime", *rest],
            env=self._environ,
            input=json.dumps(told),
            capture_output=True,
            text=True,
            timeout=90,
        )
        assert ran.returncode == 0
        self.imported += ran.stderr
        return ran.stdout

    def meets(self, session: str) -> str:
        """What is said about a failure; the run then overcomes it, and ends."""
        call = {"tool_name": "Bash", "tool_input": {"command": FAILING}}
        self.tells(session, "SessionStart", source="startup")
        self.tells(session, "UserPromptSubmit", prompt="make the folder of the report")
        said = self.tells(session, "PostToolUseFailure", **call, error=ERROR)
        call["tool_input"] = {"command": FAILING.replace("mkdir", "mkdir -p")}
        self.tells(session, "PostToolUse", **call, tool_response={"stdout": ""})
        self.tells(session, "SessionEnd", reason="other")
        return said

    def waiting(self) -> list[Path]:
        """The jobs that wait on this machine."""
        return list((self._home / ".hardwon" / "queue" / "wal").glob("*.wal"))


@pytest.fixture
def server() -> Iterator[PostgresServer]:
    """One of its own, for it is stopped."""
    with running() as started:
        yield started


def known(place: Place) -> Lesson:
    """The lesson as the server has it."""
    with hardwon.open(place.owner) as hw:
        (lesson,) = hw.agent("default", project="api").lessons.list()
        return lesson


def test_hooks_speak_while_the_server_is_stopped_and_tell_it_afterwards(
    server: PostgresServer, tmp_path: Path
) -> None:
    place = server.database()
    colleague = Laptop(tmp_path / "colleague", place.owner)
    for session in ("one", "two"):
        colleague.meets(session)
    colleague.run("work", "--drain")
    before = known(place)
    laptop = Laptop(tmp_path / "laptop", place.owner)
    laptop.tells("three", "SessionStart", source="startup")
    laptop.run("work", "--drain")

    server.stop()
    said = laptop.meets("four")

    assert FIX in said
    assert f"(#{before.id})" in said
    assert laptop.waiting()
    assert "hardwon.engine.doors" in laptop.imported
    assert "psycopg" not in laptop.imported + colleague.imported

    server.start()
    laptop.run("work", "--drain")

    after = known(place)
    assert not laptop.waiting()
    assert (after.met, after.hits) == (before.met + 1, before.hits + 2)  # start and error
