"""No test of the server leaves a worker behind."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

_WAKE = "HARDWON_HOOKS_WAKE"  # whether a run that ends starts a worker


@pytest.fixture(autouse=True, scope="package")
def _no_worker_of_a_shared_server() -> Iterator[None]:
    """For servers that serve a whole module; `/v1/queue/wake` has a test of its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(_WAKE, "false")
        yield


@pytest.fixture(autouse=True)
def _no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """For servers of one test."""
    monkeypatch.setenv(_WAKE, "false")
