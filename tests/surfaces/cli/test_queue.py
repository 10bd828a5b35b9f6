"""`hardwon queue`."""

from __future__ import annotations

import json

import pytest

from hardwon.surfaces.cli import run
from tests.surfaces.cli.printing import Capture, out
from tests.surfaces.cli.test_output import Screen

pytestmark = pytest.mark.usefixtures("home")


def test_top_shows_depth_and_retries(capsys: Capture, dead: list[str]) -> None:
    said = out(capsys, "queue", "top", "--once")

    assert "no worker is running" in said
    assert "waiting 0   given up 3" in said
    assert json.loads(out(capsys, "queue", "top", "--json"))["counts"]["dead"] == 3


def test_ctrl_c_is_the_way_to_leave_top(monkeypatch: pytest.MonkeyPatch) -> None:
    def pressed(_: float) -> None:
        raise KeyboardInterrupt

    screen = Screen()
    monkeypatch.setattr("sys.stdout", screen)
    monkeypatch.setattr("time.sleep", pressed)

    assert run(["queue", "top"]) == 0
    assert "waiting 0   given up 0   damaged 0   repeated 0" in screen.getvalue()
