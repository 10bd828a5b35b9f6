"""The analysis as a page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hardwon.learn.trials.analytics import analyze
from hardwon.surfaces.cli.loop_report import page_of
from tests.learn.trials.commanded import Capture, data, out
from tests.learn.trials.judged import loop

pytestmark = pytest.mark.usefixtures("place")


def test_the_axes_of_the_page_are_named_and_readable() -> None:
    states = [loop("l1", [0.0, 0.5, 1.0]), loop("l2", [0.1] * 30)]
    many = states[1]._replace(
        trials=tuple(trial._replace(errors=250) for trial in states[1].trials)
    )

    drawn = page_of(analyze([states[0], many]), title="t")

    labels = re.findall(r"<text [^>]*>([^<]*)</text>", drawn)
    assert {"reward", "errors", "trial"} <= set(labels)
    assert "250" in labels
    assert not [label for label in labels if "e+" in label]
    widths = {int(width) for width in re.findall(r'viewBox="0 0 (\d+) ', drawn)}
    small = re.search(r"\.small\{[^}]*minmax\((\d+)px", drawn)
    assert small
    assert min(widths) <= int(small[1])  # so that 12 px of text stay 12 px


def test_nothing_in_a_page_comes_from_a_task_unescaped(capsys: Capture, tmp_path: Path) -> None:
    evil = "<img src=x onerror=alert(1)>"
    data(capsys, "run", evil, "--actor", "true", "--verify", "true")
    page = tmp_path / "page.html"
    out(capsys, "analyze", "--html", str(page))

    assert "<img" not in page.read_text()
    assert "&lt;img" in page.read_text()
