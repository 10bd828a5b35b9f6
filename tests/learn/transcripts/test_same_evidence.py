"""Past sessions teach, field by field, what the same runs taught when they were recorded live."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.learn.past_runs import BEGIN, SOURCES, PastRun, evidence, record_live, runs_of
from tests.learn.transcripts.transcripts import Claude
from tests.stored import opened

NOW = datetime(2026, 11, 16, tzinfo=UTC)


def write_session(home: Path, cwd: Path, run: PastRun) -> None:
    """The session of a run as Claude Code leaves it behind."""
    talk = Claude(str(cwd), f"0000{run.name}-2222-4333-8444-555555555555", run.begun)
    talk.says(run.task)
    for call in run.calls:
        talk.act(*call)
    ended = (run.begun + timedelta(minutes=50)).timestamp()
    os.utime(talk.write(home), (ended, ended))


@pytest.mark.parametrize("source", SOURCES)
def test_past_sessions_leave_the_evidence_of_the_same_runs_recorded_live(
    tmp_path: Path, source: str
) -> None:
    project, runs, at = tmp_path / "project", runs_of(source), [BEGIN]
    project.mkdir()
    for run in runs:
        write_session(Path(os.environ["HOME"]), project, run)

    with opened(tmp_path / "past", clock=lambda: NOW) as hw:
        learnt = hw.agent("coder").sessions.learn()
        found = evidence(hw, str(project))

    with opened(tmp_path / "live", clock=lambda: at[0]) as live:
        record_live(live, str(project), runs, at)
        expected = evidence(live, str(project))
    assert len(learnt) == len(runs)
    assert found["lessons"] == expected["lessons"]
    assert found["failures"] == expected["failures"]
    assert found["runs"] == expected["runs"]
    assert expected["lessons"]
