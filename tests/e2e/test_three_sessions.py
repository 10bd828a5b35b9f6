"""Six failing commands in three sessions of each real agent: which come back?"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.agents import AGENTS, Driven, Lab
from tests.e2e.tasks import TASKS, prepare, run_task

pytestmark = pytest.mark.e2e

# What got past them is another call, not another form of it: told at the start, never denied.
TOLD_ONLY = {"make test"}


@pytest.mark.parametrize("heeds_start", [True, False], ids=["start", "denials"])
@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: agent.name)
def test_no_failure_comes_back_in_the_third_session(
    agent: Driven, heeds_start: bool, tmp_path: Path
) -> None:
    """The model heeds what it is told before a call: at the start and by denials, or by these."""
    lab = Lab(tmp_path)
    prepare(lab)
    lab.hardwon("install", agent.name, "--yes")

    sessions = [
        {task.fails: run_task(agent, lab, task, heeds_start=heeds_start) for task in TASKS}
        for _ in range(3)
    ]
    for column in ("failed", "denied"):
        counts = [sum(getattr(run, column) for run in runs.values()) for runs in sessions]
        print(f"{agent.name} {'start' if heeds_start else 'denials'} {column}: {counts}")
    came_back = {call for call, run in sessions[2].items() if run.failed}

    assert all(run.failed for run in sessions[0].values())
    assert came_back == (set() if heeds_start else TOLD_ONLY)
    assert heeds_start or all(sessions[2][call].denied for call in sessions[2].keys() - TOLD_ONLY)
    assert not (lab.store / "hook.log").exists()
