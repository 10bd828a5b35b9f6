"""The daemon answers what the process answers."""

from __future__ import annotations

import http.client
import json
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import hardwon
from hardwon.core.errors import InvalidInput
from hardwon.surfaces.hooks.daemon import Daemon
from hardwon.surfaces.hooks.watch import last_runs
from tests.surfaces.hooks.hooking import Hook
from tests.surfaces.hooks.test_adapters import recorded

LESSON = "Make the folder for the nightly report with mkdir -p"
PROMPT = {
    "hook_event_name": "UserPromptSubmit",
    "session_id": "s",
    "cwd": "/nowhere",
    "prompt": "Make the folder for the nightly report",
}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    with hardwon.open(tmp_path / "home") as hw:
        hw.agent("default").learn(LESSON)
    return tmp_path / "home"


@pytest.fixture
def daemon(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Daemon]:
    monkeypatch.setenv("HARDWON_HOOKS_WAKE", "false")
    for limit in ("LIMIT", "CAPTURE_LIMIT"):  # time enough for a busy machine
        monkeypatch.setenv(f"HARDWON_HOOKS_{limit}", "60s")
    with hardwon.open(home) as hw:
        serving = Daemon(hw)
        serving.start()
        yield serving
        serving.close()


class UnixConnection(http.client.HTTPConnection):
    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(self.host)


def ask(daemon: Daemon, agent: str, event: object, name: str = "") -> tuple[int, Any]:
    """Status and answer."""
    raw = event if isinstance(event, bytes) else json.dumps(event).encode()
    connection = UnixConnection(daemon.socket_path)
    query = f"?event={name}" if name else ""
    connection.request("POST", f"/hardwon/hook/{agent}{query}", raw, {"host": "h"})
    response = connection.getresponse()
    body = response.read()
    connection.close()
    return response.status, json.loads(body)


@pytest.mark.parametrize("agent", ["claude-code", "codex", "gemini", "copilot", "opencode"])
def test_process_and_daemon_give_the_same_answers(agent: str, home: Path, daemon: Daemon) -> None:
    hook = Hook(home)

    for name, event in recorded(agent)[:3]:
        by_process = hook(agent, event, *([name] if name else [])).out
        expected = json.loads(by_process) if by_process else {}
        shutil.rmtree(home / "runs", ignore_errors=True)  # a lesson is told once a run
        assert ask(daemon, agent, event, name) == (200, expected)
        shutil.rmtree(home / "runs", ignore_errors=True)
    assert not hook.log()


def test_a_prompt_is_answered(daemon: Daemon) -> None:
    _, said = ask(daemon, "claude-code", PROMPT)

    assert LESSON in said["hookSpecificOutput"]["additionalContext"]


@pytest.mark.parametrize(
    "event", [b"{oops", b"", b"[1]", b'{"hook_event_name": "Future"}', b"\xff"]
)
def test_bad_events_are_one_line_in_the_log(event: bytes, home: Path, daemon: Daemon) -> None:
    assert ask(daemon, "claude-code", event) == (200, {})
    assert ask(daemon, "no-such-agent", PROMPT) == (200, {})

    assert len((home / "hook.log").read_text().splitlines()) == 2


def test_a_long_event_is_answered_as_well(daemon: Daemon) -> None:
    event = {**PROMPT, "transcript": "x " * 5_000_000}
    status, said = ask(daemon, "claude-code", event)

    assert status == 200
    assert LESSON in said["hookSpecificOutput"]["additionalContext"]


def test_only_the_owner_can_open_the_socket(daemon: Daemon) -> None:
    assert stat.S_IMODE(os.stat(daemon.socket_path).st_mode) == 0o600


def test_two_daemons_do_not_share_a_home(home: Path, daemon: Daemon) -> None:
    with hardwon.open(home) as hw, pytest.raises(InvalidInput, match="already"):
        Daemon(hw)


def test_a_home_with_too_long_a_path_is_named(home: Path) -> None:
    long = home / ("long" * 30)
    with hardwon.open(long) as hw, pytest.raises(InvalidInput, match="shorter"):
        Daemon(hw)


def test_the_command_serves_until_it_is_told_to_stop(home: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "hardwon", "daemon", "--home", str(home)],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert "hook.sock" in process.stdout.readline()

    process.send_signal(signal.SIGTERM)

    assert process.wait(30) == 0
    process.stdout.close()
    assert not (home / "hook.sock").exists()


def test_a_socket_that_a_killed_daemon_left_is_taken_over(home: Path) -> None:
    left = socket.socket(socket.AF_UNIX)
    left.bind(str(home / "hook.sock"))
    left.close()

    with hardwon.open(home) as hw:
        serving = Daemon(hw)
        serving.start()
        status, _ = ask(serving, "claude-code", PROMPT)
        serving.close()

    assert status == 200


def test_a_request_without_a_length_is_an_empty_event(home: Path, daemon: Daemon) -> None:
    connection = UnixConnection(daemon.socket_path)
    connection.putrequest("POST", "/hardwon/hook/claude-code")
    connection.endheaders()

    assert connection.getresponse().read() == b"{}"
    connection.close()
    assert len((home / "hook.log").read_text().splitlines()) == 1


def test_a_trouble_is_logged_with_the_agent_and_the_event(home: Path, daemon: Daemon) -> None:
    unknown = b'{"hook_event_name": ""}'
    long = "x" * 50
    ask(daemon, "claude-code", unknown, name="Future")
    ask(daemon, "", unknown)
    ask(daemon, long, unknown, name=long)

    said = [line.split(" ", 1)[1] for line in (home / "hook.log").read_text().splitlines()]
    assert said[0].startswith("claude-code Future ")
    assert said[1].startswith("? ")
    assert said[2].startswith(f"{long[:40]} {long[:40]} ")


def test_the_last_run_of_each_event_is_noted(home: Path, daemon: Daemon) -> None:
    ask(daemon, "claude-code", PROMPT)

    assert list(last_runs(str(home))) == [("claude-code", "UserPromptSubmit")]
