"""What all tests share: a fixed moment, and a home that nobody else uses."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _no_settings_from_outside(monkeypatch: pytest.MonkeyPatch, tmp_path_factory) -> None:  # type: ignore[no-untyped-def]
    """A developer's own settings, home and agents must not reach a test."""
    import os

    for name in list(os.environ):
        if name.startswith("HARDWON_") and not name.startswith("HARDWON_TEST_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path_factory.mktemp("home")))
