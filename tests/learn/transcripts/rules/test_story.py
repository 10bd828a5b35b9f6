"""The summary of a session."""

from __future__ import annotations

from tests.learn.transcripts.told_sessions import Talk


def test_the_summary_tells_what_was_asked_done_and_failed() -> None:
    summary = (
        Talk()
        .user("Add a report. It must be fast.")
        .ran("make", "make: *** no rule", failed=True)
        .edited("/p/report.py", "a", "b")
        .agent("The report is there.")
        .found()
        .summary
    )

    assert summary.task == "Add a report. It must be fast."
    assert "1 call failed" in summary.text
    assert "report.py" in summary.text
    assert "The report is there" in summary.text
