"""Fixtures of these tests."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def base(tmp_path: Path) -> Path:
    return tmp_path / "queue"
