"""The tutorials, typed as they stand: what they print is what they say."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

TUTORIALS = Path(__file__).parents[2] / "docs" / "tutorial"
FENCED = r"^```(\w*)\n(.*?)^```$"
INSTALLS = r"^(?:make|pip|python3 -m venv) "  # tests/test_release.py installs the wheel


@pytest.fixture(autouse=True)
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A person at an empty folder, whose hooks leave no process behind."""
    for name in [name for name in os.environ if name.startswith("HARDWON_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    monkeypatch.setenv("HARDWON_HOOKS_WAKE", "off")
    monkeypatch.setenv("HARDWON_HOOKS_DAEMON", "off")
    monkeypatch.setenv("HARDWON_HOOKS_LIMIT", "60s")  # time enough for a busy machine
    monkeypatch.setenv("HARDWON_HOOKS_CAPTURE_LIMIT", "60s")
    monkeypatch.chdir(tmp_path)


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines() if line.strip()]


def _blocks(page: str, kind: str = "") -> list[str]:
    """The blocks of a page: what is typed (`sh`), or what is printed."""
    text = (TUTORIALS / page).read_text(encoding="utf-8")
    return [block for name, block in re.findall(FENCED, text, re.M | re.S) if name == kind]


@pytest.mark.parametrize("page", ["first-lesson.md", "team.md"])
def test_a_tutorial_prints_what_it_says(page: str) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    typed = "".join(_blocks(page, "sh")).replace("4180", port)
    script = "\n".join(line for line in typed.splitlines() if not re.match(INSTALLS, line))

    done = subprocess.run(
        ["bash", "-ec", f"trap 'kill $(jobs -p) || true' EXIT\n{script}"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )

    assert done.returncode == 0, f"{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
    printed = _lines(done.stdout)
    assert printed.count("(told nothing)") == (2 if page == "team.md" else 1)
    if page == "team.md":  # what was noted while the server was away has reached it
        assert any("1 note to send" in line for line in printed)
        assert "1 note sent to the server" in printed
        assert any(line.startswith("3 runs") for line in printed)
    for quote in _blocks(page):
        assert set(_lines(quote)) <= set(printed)


def _send(session: str, name: str, **fields: Any) -> dict[str, Any]:
    event = {"hook_event_name": name, "session_id": session, "cwd": os.getcwd(), **fields}
    hook = ["hardwon", "hook", "claude-code"]
    answer = subprocess.check_output(hook, input=json.dumps(event), text=True)
    return json.loads(answer) if answer else {}


def _call(command: str) -> dict[str, Any]:
    return {"tool_name": "Bash", "tool_input": {"command": command}}


def test_the_first_week_looks_as_the_page_says() -> None:
    line, start, denial = _blocks("first-week.md")
    error = "Exit code 127\n/bin/bash: line 1: pytest: command not found"

    assert not _send("1", "SessionStart", source="startup")
    assert not _send("1", "UserPromptSubmit", prompt="run the tests")
    assert not _send("1", "PreToolUse", **_call("pytest -q"))
    assert not _send("1", "PostToolUseFailure", **_call("pytest -q"), error=error)
    output = {"stdout": "12 passed"}
    learnt = _send("1", "PostToolUse", **_call("uv run pytest -q"), tool_response=output)
    _send("1", "Stop", last_assistant_message="All tests pass.")
    _send("1", "SessionEnd")
    subprocess.check_call(["hardwon", "work", "--drain"])  # hooks start it in the background
    begun = _send("2", "SessionStart", source="startup")["hookSpecificOutput"]
    _send("2", "UserPromptSubmit", prompt="check that the tests pass")
    denied = _send("2", "PreToolUse", **_call("pytest -q"))["hookSpecificOutput"]

    assert learnt["systemMessage"] == line.strip()
    assert begun["additionalContext"] == start.strip()
    assert denied["permissionDecision"] == "deny"
    assert denied["permissionDecisionReason"] == denial.strip()
    assert not _send("2", "PreToolUse", **_call("pytest -q"))  # a second try passes
