"""A home of its own, jobs in it that were given up, and a project with a session."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

import hardwon
from tests.learn.transcripts.transcripts import Claude
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


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with one session, and the working directory in it."""
    folder = tmp_path / "shop"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("HARDWON_HOME", str(tmp_path / "hw"))
    talk = Claude(cwd=str(folder)).says("Add a nightly report")
    talk.run("mkdir out/nightly", "mkdir: cannot create directory 'out/nightly'", failed=True)
    talk.run("mkdir -p out/nightly").agent("The folder is there.")
    talk.says("No, don't use npm here, use pnpm instead.").write(Path(os.environ["HOME"]))
    return folder
