"""`hardwon loop report`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.learn.trials.commanded import Capture, data, out, succeeded

pytestmark = pytest.mark.usefixtures("place")


def test_the_analysis_is_printed_drawn_and_written(capsys: Capture, tmp_path: Path) -> None:
    succeeded(capsys, "one")
    succeeded(capsys, "two")
    page = tmp_path / "page.html"

    said = out(capsys, "analyze", "--html", str(page))
    told = data(capsys, "analyze")

    assert "success rate" in said
    assert "█" in said
    assert (told["loops"], told["succeeded"], told["lesson_reuse_rate"]) == (2, 2, 0.5)
    html = page.read_text()
    assert html.count("<svg") == 2
    assert "<script" not in html
    assert "http://" not in html.replace('http-equiv="', "")
    assert "https://" not in html


def test_nothing_in_a_page_comes_from_a_task_unescaped(capsys: Capture, tmp_path: Path) -> None:
    evil = "<img src=x onerror=alert(1)>"
    data(capsys, "run", evil, "--actor", "true", "--verify", "true")
    page = tmp_path / "page.html"
    out(capsys, "analyze", "--html", str(page))

    assert "<img" not in page.read_text()
    assert "&lt;img" in page.read_text()


def test_an_analysis_of_nothing_is_no_error(capsys: Capture) -> None:
    assert "0 (0 trials)" in out(capsys, "analyze")
