"""Errors that come again, and what is proposed against them."""

from __future__ import annotations

from hardwon import Agent
from tests.learn.maintenance.dreaming import keep
from tests.stored import StoredHardwon


def test_failure_patterns_and_improvements_are_told(hw: StoredHardwon, coder: Agent) -> None:
    for _ in range(3):
        coder.after_action("bash", "make", output="error: no rule to make target", failed=True)
    coder.runs.ended("fetch", tools=["web"], seconds=2, error="TimeoutError: read timed out")
    for _ in range(3):
        coder.runs.ended("parse", tools=["parse"], seconds=40)
    hw.drain()

    row = coder.dreams.run()

    assert "repeated ×3 error: no rule to make target" in row.report
    assert "slow ×3 parse:ok" in row.report
    assert "timeout ×1" in row.report
    assert len(row.improvements) == 3


def test_goals_that_went_well_are_no_pattern(hw: StoredHardwon, coder: Agent) -> None:
    for number in range(5):
        coder.goals.ended(f"g{number}", "Send report", "completed", error="SMTPError: slow")
    hw.drain()

    assert "Failure patterns" not in coder.dreams.run().report


def test_nobody_is_advised_to_delete_a_lesson(hw: StoredHardwon, coder: Agent) -> None:
    keep(hw, coder, "always run the slow migration tests first")
    keep(hw, coder, "never run the slow migration tests first")

    assert "delete" not in coder.dreams.run().report
