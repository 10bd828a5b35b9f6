"""A server with something on every page, and one who reads it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.surfaces.serve.pages.stocked import Reader, stocked
from tests.surfaces.serve.served import Served


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Served]:
    with stocked(tmp_path / "home") as found:
        yield found


@pytest.fixture
def reader(server: Served) -> Reader:
    return Reader(server)
