"""Every test of this folder runs on each database that a server may have."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hardwon.core.settings import Settings, load
from hardwon.storage.service import ServiceDatabase, open_database


@pytest.fixture(params=["sqlite", "postgres"])
def settings(request: pytest.FixtureRequest, tmp_path: Path) -> Settings:
    """The settings of a home with its own file, and of one that shares a database."""
    own = load(str(tmp_path))
    if request.param == "sqlite":
        return own
    return own.on_database(request.getfixturevalue("database").url)


@pytest.fixture
def first(settings: Settings) -> Iterator[ServiceDatabase]:
    database = open_database(settings)
    yield database
    database.close()


@pytest.fixture
def second(settings: Settings) -> Iterator[ServiceDatabase]:
    """What another server opens at the same time."""
    database = open_database(settings)
    yield database
    database.close()
