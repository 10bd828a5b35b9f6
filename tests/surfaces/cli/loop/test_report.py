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
    assert "●" in said
    assert (told["loops"], told["succeeded"], told["lesson_reuse_rate"]) == (2, 2, 0.5)
    html = page.read_text()
    assert html.count("<svg") >= 4
    assert "<script" not in html
    assert "http://" not in html.replace('http-equiv="', "")
    assert "https://" not in html


def test_an_analysis_of_nothing_is_no_error(capsys: Capture) -> None:
    assert "0 (0 trials)" in out(capsys, "analyze")
