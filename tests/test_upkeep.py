"""The work of a worker besides jobs."""

from __future__ import annotations

import json
import logging
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from bench.internals import opened
from hardwon.core.settings import RunSettings, Settings
from hardwon.core.values.lesson import Evidence, Kind
from hardwon.core.values.run import EndedRun
from tests.postgres_server import Place
from tests.samples import NOW

DAY = timedelta(days=1)
SHORT = RunSettings(keep=10 * DAY, keep_cited=20 * DAY)


def runs_after(home: Path, later: timedelta, settings: RunSettings) -> list[EndedRun]:
    """The runs that are left when a worker has looked after a home so much later."""
    with opened(
        str(home), settings=Settings(home=str(home), runs=settings), clock=lambda: NOW + later
    ) as hw:
        hw.drain()
        agent = hw.agent("coder", project="api")
        return [agent.runs.get(run.id) for run in agent.runs.list()]


@pytest.mark.parametrize("backend", ["sqlite", "postgres"])
def test_the_old_runs_of_every_tenant_go(
    tmp_path: Path, backend: str, request: pytest.FixtureRequest
) -> None:
    settings = Settings(home=str(tmp_path), runs=SHORT)
    if backend == "postgres":
        settings = settings.on_database(request.getfixturevalue("database").url)
    left = {}
    for days in (0, 9, 11):
        now = NOW + days * DAY
        with opened(str(tmp_path), settings=settings, clock=lambda now=now: now) as hw:
            for tenant in ("default", "acme") if not days else ():
                agent = hw.agent("coder", project="api", tenant=tenant, run="old")
                agent.after_action("bash", {"command": "make"}, output="done", failed=False)
                agent.after_run(task="build")
            hw.drain()
            left[days] = [len(hw.tenant(name).ended_runs().rows) for name in ("default", "acme")]

    assert left == {0: [1, 1], 9: [1, 1], 11: [0, 0]}


def record(home: Path, now: datetime) -> None:
    """Two runs of two steps; a lesson cites the second step of the first."""
    with opened(str(home), clock=lambda: now) as hw:
        for name in ("cited", "other"):
            agent = hw.agent("coder", project="api", run=name)
            for command in ("make", "make install"):
                agent.after_action("bash", {"command": command}, output="done", failed=False)
            agent.after_run(task=name)
        hw.drain()
        (run,) = (run for run in agent.runs.list() if run.task == "cited")
        item = agent.learn("to install, make first")
        shown = (*item.evidence, Evidence(Kind.SHOWN_BY, f"{run.id}: 2", now.timestamp()))
        hw.runtime.store.lessons.update(item._replace(evidence=shown))


@pytest.mark.parametrize(
    ("days", "left"),
    [
        (9, {"cited": ["make", "make install"], "other": ["make", "make install"]}),
        (11, {"cited": ["(not kept: no lesson cites this step)", "make install"]}),
        (21, {}),
    ],
)
def test_an_old_run_is_cut_to_what_lessons_cite_and_removed_later(
    tmp_path: Path, days: int, left: dict[str, list[str]]
) -> None:
    record(tmp_path, NOW)

    kept = runs_after(tmp_path, days * DAY, SHORT)

    assert {run.task: [step.args for step in run.steps] for run in kept} == left


def test_a_worker_leaves_what_a_newer_build_noted_to_that_build_and_works_on(
    tmp_path: Path, database: Place, caplog: pytest.LogCaptureFixture
) -> None:
    settings = Settings(home=str(tmp_path)).on_database(database.url)
    with opened(str(tmp_path), settings=settings, clock=lambda: NOW) as hw:
        agent = hw.agent("coder", project="api", run="one")
        agent.after_action("bash", {"command": "make"}, output="done", failed=False)
        agent.after_run(task="build")
        hw.drain()
        (run,) = agent.runs.list()
        hw.runtime.store.ended_runs.keep(run._replace(id="two", run="two", task="install"))
        (spool,) = tmp_path.glob("deliveries-*.spool")
        record = json.loads(spool.read_text())
        spool.write_text(json.dumps([*record, "of a new column"]) + "\n")
        assert agent.after_run(task="test", error="make: *** no rule")

        with caplog.at_level(logging.WARNING, "hardwon"):
            assert hw.drain().done == 1

        assert "of a newer hardwon" in caplog.text
        (waiting,) = tmp_path.glob("deliveries-*.spool.taken")
        assert "of a new column" in waiting.read_text()

        waiting.write_text(json.dumps(record) + "\n")  # as the newer build understands it
        assert {run.task for run in agent.runs.list()} >= {"build", "install"}
