"""Loops from the command line."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from hardwon.surfaces.cli import run
from tests.waiting import until

Capture = pytest.CaptureFixture[str]


HARDWON = [sys.executable, "-m", "hardwon", "loop"]


# Acts by the prompt alone: writes what the prompt says is wanted.
ACTOR = "grep -q 'want yes' && echo yes > answer || echo no > answer"


CHECK = "sh check.sh"


SCRIPT = "grep -qx yes answer || { echo 'error: want yes'; exit 1; }"


def out(capsys: Capture, *arguments: str, code: int = 0) -> str:
    capsys.readouterr()
    assert run(("loop", *arguments)) == code, capsys.readouterr().err
    return capsys.readouterr().out


def data(capsys: Capture, *arguments: str, code: int = 0) -> Any:
    return json.loads(out(capsys, *arguments, "--json", code=code))


def refused(capsys: Capture, *arguments: str, code: int = 2) -> str:
    capsys.readouterr()
    assert run(("loop", *arguments)) == code
    return capsys.readouterr().err


def succeeded(capsys: Capture, name: str = "l") -> Any:
    task = "write the right answer into the file"
    return data(capsys, "run", task, "--actor", ACTOR, "--verify", CHECK, "--id", name)


def read_when_there(path: Path) -> int:
    until(lambda: path.exists() and path.read_text().strip() != "")
    return int(path.read_text())


def working_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory to work in, and a home of its own."""
    monkeypatch.setenv("HARDWON_HOME", str(tmp_path / "home"))
    work = tmp_path / "work"
    work.mkdir()
    (work / "check.sh").write_text(SCRIPT)
    monkeypatch.chdir(work)
    return work
