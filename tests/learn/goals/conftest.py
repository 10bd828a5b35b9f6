"""An agent with goals."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import hardwon
from hardwon import Agent, Hardwon
from tests.samples import Clock


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def hw(tmp_path: Path, clock: Clock) -> Iterator[Hardwon]:
    with hardwon.open(tmp_path, clock=clock) as opened:
        yield opened


@pytest.fixture
def coder(hw: Hardwon) -> Agent:
    return hw.agent("coder", project="acme/api")
