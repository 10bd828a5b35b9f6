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
from hardwon.core.errors import InvalidInput, StorageError
from hardwon.surfaces.hooks.daemon import Daemon
from hardwon.surfaces.hooks.watch import last_runs
from tests.surfaces.hooks.hooking import Hook
from tests.surfaces.hooks.test_adapters import recorded

TOKEN = "a-token"
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
        serving = Daemon(hw, port=0, token=TOKEN)
        serving.start()
        yield serving
        serving.close()


class UnixConnection(http.client.HTTPConnection):
    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(self.host)


def ask(daemon: Daemon, way: str, agent: str, event: object, **more: str) -> tuple[int, Any]:
    """Status and answer, over the socket or the port."""
    raw = event if isinstance(event, bytes) else json.dumps(event).encode()
    headers = {"authorization": f"Bearer {TOKEN}", **more.pop("headers", {})}  # type: ignore[dict-item]
    query = f"?event={more['name']}" if more.get("name") else ""
    if way == "socket":
        connection: http.client.HTTPConnection = UnixConnection(daemon.socket_path)
        headers = {"host": "h"}
    else:
        connection = http.client.HTTPConnection("127.0.0.1", daemon.port)
    connection.request("POST", f"/hardwon/hook/{agent}{query}", raw, headers)
    response = connection.getresponse()
    body = response.read()
    connection.close()
    return response.status, json.loads(body)


@pytest.mark.parametrize("agent", ["claude-code", "codex", "gemini", "copilot", "opencode"])
def test_process_socket_and_port_give_the_same_answers(
    agent: str, home: Path, daemon: Daemon
) -> None:
    hook = Hook(home)

    for name, event in recorded(agent)[:3]:
        by_process = hook(agent, event, *([name] if name else [])).out
        expected = json.loads(by_process) if by_process else {}
        for way in ("socket", "port"):
            forget_runs(home)
            assert ask(daemon, way, agent, event, name=name) == (200, expected)
        forget_runs(home)
    assert not hook.log()


def forget_runs(home: Path) -> None:
    """Let the next event be the first of its run: a lesson is told once a run."""
    shutil.rmtree(home / "runs", ignore_errors=True)


def test_a_prompt_is_answered(daemon: Daemon) -> None:
    _, said = ask(daemon, "port", "claude-code", PROMPT)

    assert LESSON in said["hookSpecificOutput"]["additionalContext"]


@pytest.mark.parametrize(
    "event", [b"{oops", b"", b"[1]", b'{"hook_event_name": "Future"}', b"\xff"]
)
def test_bad_events_are_one_line_in_the_log(event: bytes, home: Path, daemon: Daemon) -> None:
    assert ask(daemon, "socket", "claude-code", event) == (200, {})
    assert ask(daemon, "socket", "no-such-agent", PROMPT) == (200, {})

    assert len((home / "hook.log").read_text().splitlines()) == 2


def test_a_long_event_is_answered_as_well(daemon: Daemon) -> None:
    for way in ("socket", "port"):
        event = {**PROMPT, "session_id": way, "transcript": "x " * 5_000_000}
        status, said = ask(daemon, way, "claude-code", event)

        assert status == 200
        assert LESSON in said["hookSpecificOutput"]["additionalContext"]


@pytest.mark.parametrize(
    "headers",
    [
        {"authorization": "Bearer wrong"},
        {"authorization": ""},
        {"host": "evil.example"},
        {"origin": "http://evil.example"},
        {"origin": "null"},
    ],
)
def test_the_port_wants_the_token_and_no_web_page(headers: Any, daemon: Daemon) -> None:
    assert ask(daemon, "port", "claude-code", PROMPT, headers=headers) == (403, {})


def test_only_the_owner_can_open_the_socket(daemon: Daemon) -> None:
    assert stat.S_IMODE(os.stat(daemon.socket_path).st_mode) == 0o600


def test_two_daemons_do_not_share_a_home(home: Path, daemon: Daemon) -> None:
    with hardwon.open(home) as hw, pytest.raises(InvalidInput, match="already"):
        Daemon(hw, port=None, token=TOKEN)


def test_a_home_with_too_long_a_path_is_named(home: Path) -> None:
    long = home / ("long" * 30)
    with hardwon.open(long) as hw, pytest.raises(InvalidInput, match="shorter"):
        Daemon(hw, port=None, token="")


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
        serving = Daemon(hw, port=None, token="")
        serving.start()
        status, _ = ask(serving, "socket", "claude-code", PROMPT)
        serving.close()

    assert (status, serving.port) == (200, None)


def test_a_port_that_is_taken_leaves_no_socket_behind(home: Path, daemon: Daemon) -> None:
    other = home.parent / "other"
    with hardwon.open(other) as hw, pytest.raises(StorageError, match=r"127\.0\.0\.1"):
        Daemon(hw, port=daemon.port, token=TOKEN)

    assert not (other / "hook.sock").exists()


def test_a_request_without_a_length_is_an_empty_event(home: Path, daemon: Daemon) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", daemon.port, timeout=60)
    connection.putrequest("POST", "/hardwon/hook/claude-code")
    connection.putheader("authorization", f"Bearer {TOKEN}")
    connection.endheaders()

    assert connection.getresponse().read() == b"{}"
    connection.close()
    assert len((home / "hook.log").read_text().splitlines()) == 1


def test_a_trouble_is_logged_with_the_agent_and_the_event(home: Path, daemon: Daemon) -> None:
    unknown = b'{"hook_event_name": ""}'
    long = "x" * 50
    ask(daemon, "socket", "claude-code", unknown, name="Future")
    ask(daemon, "socket", "", unknown)
    ask(daemon, "socket", long, unknown, name=long)

    said = [line.split(" ", 1)[1] for line in (home / "hook.log").read_text().splitlines()]
    assert said[0].startswith("claude-code Future ")
    assert said[1].startswith("? ")
    assert said[2].startswith(f"{long[:40]} {long[:40]} ")


def test_the_last_run_of_each_event_is_noted(home: Path, daemon: Daemon) -> None:
    ask(daemon, "socket", "claude-code", PROMPT)

    assert list(last_runs(str(home))) == [("claude-code", "UserPromptSubmit")]
