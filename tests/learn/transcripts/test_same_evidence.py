"""Past sessions teach, field by field, what the same runs taught when they were recorded live."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from hardwon.surfaces.cli import run as cli
from tests.learn.past_runs import (
    BEGIN,
    SOURCES,
    PastRun,
    evidence,
    record_live,
    runs_of,
    trial_projects,
    trial_runs,
)
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


@pytest.mark.parametrize("name", trial_projects())
def test_a_run_begins_with_the_same_words_after_past_sessions_and_after_live_training(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is told in the training: what a run was told and followed counts once more."""
    project, runs, at = tmp_path / "project", trial_runs(name), [BEGIN]
    project.mkdir()
    for run in runs:
        write_session(Path(os.environ["HOME"]), project, run)

    options = ("--home", str(tmp_path / "past"), "--agent", "coder")
    assert cli(["session", "learn", *options, "--since", "5000w"]) == 0

    monkeypatch.setenv("HARDWON_PROOF_SHARE", "1")
    with opened(tmp_path / "live", clock=lambda: at[0]) as live:
        for run in runs:
            at[0] = run.begun
            agent = live.agent("coder", project=str(project), run=run.name)
            agent.start()
            agent.before_turn(run.task)
            for call in run.calls:
                agent.before_action(call.tool, call.args)
                agent.after_action(call.tool, call.args, output=call.output, failed=call.failed)
            agent.end_run()
        live.drain()
    monkeypatch.delenv("HARDWON_PROOF_SHARE")
    blocks = []
    for home in ("past", "live"):
        with opened(tmp_path / home, clock=lambda: NOW) as hw:
            blocks.append(hw.agent("coder", project=str(project)).start().text)
    assert len(runs) == 2
    assert blocks[0] == blocks[1]
    assert blocks[0]
