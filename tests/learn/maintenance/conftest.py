"""Fixtures of these tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hardwon import Agent
from tests.samples import Clock
from tests.stored import StoredHardwon, opened


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=["memory:", "sqlite"])
def hw(request: pytest.FixtureRequest, tmp_path: Path, clock: Clock) -> Iterator[StoredHardwon]:
    home = "memory:" if request.param == "memory:" else str(tmp_path / "home")
    with opened(home, clock=clock) as hw:
        yield hw


@pytest.fixture
def coder(hw: StoredHardwon) -> Agent:
    return hw.agent("coder", project="api")
