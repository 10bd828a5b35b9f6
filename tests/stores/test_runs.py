"""The window of a run, in this process and on disk: what was told before which call."""

from __future__ import annotations

from pathlib import Path

import pytest

from hardwon import Scope, Step
from hardwon.ports import Window
from hardwon.stores.runs import FileWindow, MemoryWindow


@pytest.fixture(params=["memory", "disk"])
def window(request: pytest.FixtureRequest, tmp_path: Path) -> Window:
    return MemoryWindow() if request.param == "memory" else FileWindow(str(tmp_path), Scope(), "r")


def test_a_warning_belongs_to_the_very_call_it_was_given_before(window: Window) -> None:
    assert window.past("make all") == ([], {}, False)

    window.tell([1, 2], "make all")

    assert window.past("make all") == ([], {}, True)
    assert window.past("make clean") == ([], {}, False)


def test_a_call_that_was_made_ends_its_warning(window: Window) -> None:
    window.tell([1], "make all")
    window.append(Step("bash", "make all", "x" * 5000))

    assert window.past("make all") == ([Step("bash", "make all", "x" * 5000)], {1: 1}, False)


def test_the_note_of_a_warning_does_not_hold_the_call(tmp_path: Path) -> None:
    FileWindow(str(tmp_path), Scope(), "r").tell([1], "curl -H 'Bearer abc'")

    (file,) = (tmp_path / "runs").iterdir()

    assert "Bearer" not in file.read_text(encoding="utf-8")
