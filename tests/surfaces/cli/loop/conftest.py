"""A folder for commands."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.learn.trials.commanded import working_place


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return working_place(tmp_path, monkeypatch)
