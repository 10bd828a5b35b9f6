"""`hardwon queue`."""

from __future__ import annotations

import json

import pytest

from tests.surfaces.cli.printing import Capture, out

pytestmark = pytest.mark.usefixtures("home")


def test_top_shows_depth_and_retries(capsys: Capture, dead: list[str]) -> None:
    said = out(capsys, "queue", "top", "--once")

    assert "no worker is running" in said
    assert "waiting 0   given up 3" in said
    assert json.loads(out(capsys, "queue", "top", "--json"))["counts"]["dead"] == 3
