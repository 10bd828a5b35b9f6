"""Servers on each store that a team may have."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.surfaces.serve.served import Served, served


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Served]:
    with served(tmp_path) as running:
        yield running


@pytest.fixture(params=["sqlite", "postgres"])
def any_server(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Served]:
    """A server on each store that a team may have."""
    is_shared = request.param == "postgres"
    monkeypatch.setenv("HARDWON_POSTGRES_PATIENCE", "60s")  # a slow machine decides no test
    with served(request.getfixturevalue("database").url if is_shared else tmp_path) as running:
        yield running
