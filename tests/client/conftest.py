"""The same face, here and on a server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.client.faces import Face, here, on_a_server


@pytest.fixture(params=[here, on_a_server], ids=lambda one: one.__name__)
def face(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Face]:
    monkeypatch.setenv("HARDWON_HOOKS_WAKE", "false")
    with request.param(tmp_path) as made:
        yield made
