"""Curves for a terminal."""

from __future__ import annotations

from hardwon.surfaces.cli.loop_report import plot, spark


def test_curves_are_drawn() -> None:
    assert spark([0, 0.5, 1], high=1) == "▁▅█"
    assert spark([], high=1) == ""
    drawn = plot([0.0, 0.5, 1.0], height=2, high=1.0)
    assert [line.count("●") for line in drawn] == [1, 1, 1, 0]
    assert drawn[-1].split() == ["1", "2", "3"]
