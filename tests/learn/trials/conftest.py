"""An agent that tries things, reflections of another program, and a folder for commands."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import hardwon
from tests.learn.trials.commanded import working_place
from tests.learn.trials.exchanged import EXTERNAL_FORM, LOGIN_FORM, SCHEMA_FORM


@pytest.fixture
def hw(tmp_path: Path) -> Iterator[hardwon.Hardwon]:
    with hardwon.open(tmp_path / "home") as opened:
        yield opened


@pytest.fixture
def coder(hw: hardwon.Hardwon) -> hardwon.Agent:
    return hw.agent("coder")


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A project with both kinds of reflections."""
    base = tmp_path / "project" / ".aiwg"
    for name, content in {
        "ralph/reflections/ralph-test-coverage/001.json": json.dumps(SCHEMA_FORM),
        "ralph/reflections/login-loop/002.json": json.dumps(LOGIN_FORM),
        "ralph-external/reflections/reflection-1.json": json.dumps(EXTERNAL_FORM),
        "ralph-external/reflections/reflection-2.json": "{torn",
        "ralph/reflections/index.yaml": "loops: {}",
    }.items():
        (base / name).parent.mkdir(parents=True, exist_ok=True)
        (base / name).write_text(content)
    return base


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return working_place(tmp_path, monkeypatch)
