"""`hardwon goal` and `hardwon dream` as a person and a program use them."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import signal
import struct
import subprocess
import sys
import termios
from pathlib import Path
from typing import Any

import pytest

import hardwon
from hardwon.surfaces.cli import run
from tests.stored import stored

Capture = pytest.CaptureFixture[str]
ROOT = Path(__file__).parents[3]
EDIT = "when editing large Go files use Edit, not a full rewrite"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HARDWON_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def out(capsys: Capture, *arguments: str, code: int = 0) -> str:
    assert run(arguments) == code
    return capsys.readouterr().out


def data(capsys: Capture, *arguments: str) -> Any:
    return json.loads(out(capsys, *arguments, "--json"))


def end_a_goal(capsys: Capture) -> None:
    ended = ("goal", "ended", "g1", "Research competitor pricing", "--state", "failed")
    said = out(capsys, *ended, "--task", "search: 12 pages", "--error", "stale data")
    assert said.startswith("queued as ")
    out(capsys, "work", "--once")


def test_an_ended_goal_is_reflected_on_and_shown(capsys: Capture) -> None:
    end_a_goal(capsys)

    assert "It failed: stale data." in out(capsys, "goal", "context", "g1")
    similar = out(capsys, "goal", "context", "--objective", "pricing of a competitor")
    assert similar.startswith("[PAST REFLECTIONS]")
    assert "(nothing fits)" in out(capsys, "goal", "context", "other")
    assert "failed     1.0  [Research competitor pricing]" in out(capsys, "goal", "list")
    assert data(capsys, "goal", "list", "g1")[0]["state"] == "failed"
    assert "(no reflections)" in out(capsys, "goal", "list", "--agent", "other")


def test_a_goal_without_an_id_is_refused(capsys: Capture) -> None:
    assert run(("goal", "ended", " ", "Research")) == 2
    assert capsys.readouterr().err == "hardwon: goal id is empty\n"


def keep_twice(home: Path, agent: str = "default") -> None:
    with hardwon.open(home) as hw:
        lesson = hw.agent(agent).learn(EDIT)
    with stored(home) as store:
        store.lessons.add(lesson._replace(id=0, correction=EDIT.upper()))


def test_a_dream_is_tried_done_listed_shown_and_undone(capsys: Capture, home: Path) -> None:
    keep_twice(home)

    assert "Dry run (nothing was changed)" in out(capsys, "dream", "--dry-run")
    assert "(no dreams)" in out(capsys, "dream", "list")
    told = out(capsys, "dream")
    row = data(capsys, "dream", "list")[0]
    assert row["memories_consolidated"] == 2
    assert out(capsys, "dream", "show", row["id"][:8]) == told
    assert len(data(capsys, "dream", "show", row["id"])["changes"]) == 3
    assert "2 consolidated" in out(capsys, "dream", "list")
    assert "3 changes taken back" in out(capsys, "dream", "undo", row["id"][:8])
    assert len(data(capsys, "lesson", "list")) == 2


def test_a_report_fits_a_narrow_terminal(home: Path) -> None:
    keep_twice(home)
    shown, own = pty.openpty()
    fcntl.ioctl(own, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 40, 0, 0))
    environment = {name: text for name, text in os.environ.items() if name != "COLUMNS"}
    command = [sys.executable, "-m", "hardwon", "dream"]
    subprocess.run(command, stdout=own, env=environment, check=True)
    os.close(own)
    printed = os.read(shown, 65536).decode()
    os.close(shown)

    assert "Merged (1)" in printed
    assert max(len(line) for line in printed.splitlines()) <= 40


def test_an_unknown_dream_is_told(capsys: Capture, home: Path) -> None:
    assert run(("dream", "show", "nix")) == 1
    assert "dream 'nix' not found" in capsys.readouterr().err


def test_options_may_stand_before_the_command(capsys: Capture, home: Path) -> None:
    keep_twice(home, "coder")
    out(capsys, "dream", "--agent", "coder")

    assert len(data(capsys, "dream", "--agent", "coder", "list")) == 1
    assert data(capsys, "dream", "list") == []


def test_a_dream_that_is_not_due_says_why(capsys: Capture, home: Path) -> None:
    keep_twice(home)

    assert "no dream: the agent was active" in out(capsys, "dream", "--if-due")
    assert "active" in data(capsys, "dream", "--if-due")["skipped"]


def test_a_watch_ends_at_a_signal(home: Path) -> None:
    keep_twice(home)
    command = [sys.executable, "-m", "hardwon", "dream", "--watch"]
    environment = {**os.environ, "HARDWON_DREAM_IDLE": "0"}
    with subprocess.Popen(command, stdout=-1, text=True, env=environment) as watch:
        assert watch.stdout
        assert watch.stdout.readline().startswith("Dream ")
        watch.send_signal(signal.SIGTERM)
        assert watch.wait(30) == 0


def test_the_example_of_an_orchestrator_runs() -> None:
    example = ROOT / "examples" / "orchestrator.py"

    printed = subprocess.check_output([sys.executable, str(example)], text=True)

    assert printed.startswith(
        "[PAST REFLECTIONS]\n• [Goal: Compare the prices of rivals] It failed"
    )
