"""A home of its own, and jobs in it that were given up."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import hardwon
from tests.surfaces.cli.dead_jobs import Refusing


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HARDWON_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def dead(home: Path) -> Iterator[list[str]]:
    """Three jobs that were given up."""
    with hardwon.open(home, model=Refusing()) as hw:
        for task in ("build it", "test it", "ship it"):
            hw.agent("coder").after_run(task=task, error=f"cannot {task}")
        hw.drain()
        yield [job.id for job in hw.queue.dead()]
