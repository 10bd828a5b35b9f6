"""The files of runs: which are at work, idle, ended, or gone with their tenant."""

from __future__ import annotations

import json
import os
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hardwon import Scope, Step
from hardwon.core import _files
from hardwon.core.values.report import Place
from hardwon.storage.stores import run_files
from hardwon.storage.stores.runs import FileRun, tenant_mark

API = Scope("acme", "coder", "api")
WEB = Scope("acme", "coder", "web")
WRITER = Scope("acme", "writer")
OTHER = Scope("other", "coder", "api")
STEP = Step("bash", "make", "done")


@pytest.fixture
def home(tmp_path: Path) -> str:
    return str(tmp_path)


def begun(home: str, scope: Scope, task: str, *, at: float = 1000.0) -> FileRun:
    """A run whose last note is of this second."""
    run = FileRun(home, scope, task)
    run.begin(task)
    aged(home, run, at)
    return run


def aged(home: str, run: FileRun, at: float) -> None:
    (path,) = Path(home, "runs").glob(f"*{run.name}*")
    os.utime(path, (at, at))


def tasks(home: str, place: Place) -> list[str]:
    return [past.task for _, _, past in run_files.at_work(home, place)]


def test_nothing_is_found_where_no_run_was_noted(home: str) -> None:
    assert run_files.at_work(home, Place("acme")) == []
    assert list(run_files.idle(home, 2000.0)) == []
    assert list(run_files.put_aside(home)) == []
    run_files.forget(home, "acme")


def test_runs_at_work_are_listed_newest_first_with_their_last_note(home: str) -> None:
    first = begun(home, API, "first", at=1000)
    begun(home, API, "third", at=3000)
    begun(home, API, "second", at=2000)

    found = run_files.at_work(home, Place("acme"))

    assert [past.task for _, _, past in found] == ["third", "second", "first"]
    assert found[-1][:2] == (first.name, datetime.fromtimestamp(1000, UTC))


def test_a_place_lists_only_its_own_runs(home: str) -> None:
    for scope, task in ((API, "api"), (WEB, "web"), (WRITER, "all"), (OTHER, "other")):
        begun(home, scope, task)

    assert sorted(tasks(home, Place("acme"))) == ["all", "api", "web"]
    assert sorted(tasks(home, Place("acme", "coder"))) == ["api", "web"]
    assert tasks(home, Place("acme", None, "web")) == ["web"]
    assert tasks(home, Place("other")) == ["other"]


def test_a_run_without_a_scope_is_listed_only_for_the_whole_tenant(home: str) -> None:
    run = begun(home, API, "old")
    (path,) = Path(home, "runs").glob(f"*{run.name}*")
    path.write_text('{"task": "old"}')

    assert tasks(home, Place("acme")) == ["old"]
    assert tasks(home, Place("acme", "coder")) == []
    assert list(run_files.idle(home, 2000.0)) == []


def test_no_more_than_two_hundred_runs_are_listed(home: str) -> None:
    for number in range(202):
        begun(home, API, f"run {number}", at=1000 + number)

    found = tasks(home, Place("acme"))

    assert (len(found), found[0], found[-1]) == (200, "run 201", "run 2")


def test_a_run_is_idle_without_a_note_since_then(home: str) -> None:
    begun(home, API, "old", at=1000)
    begun(home, WEB, "edge", at=2000)
    begun(home, WEB, "new", at=2001)

    ((scope, run),) = run_files.idle(home, 2000.0)

    assert (scope, run.so_far().task) == (API, "old")


def test_a_settled_run_is_idle_only_after_something_new(home: str) -> None:
    run = begun(home, API, "old")
    run.drop_deliveries()
    aged(home, run, 1000)
    assert list(run_files.idle(home, 2000.0)) == []

    run.record(STEP)
    aged(home, run, 1000)
    assert len(list(run_files.idle(home, 2000.0))) == 1

    run.drop_deliveries()
    run.note_shown([1])
    aged(home, run, 1000)
    assert len(list(run_files.idle(home, 2000.0))) == 1


def test_a_torn_line_does_not_open_a_settled_run(home: str) -> None:
    run = begun(home, API, "old")
    run.drop_deliveries()
    (path,) = Path(home, "runs").glob(f"*{run.name}*")
    with path.open("a") as file:
        file.write('\n{"task": "to')
    aged(home, run, 1000)

    assert list(run_files.idle(home, 2000.0)) == []


def test_an_ended_run_waits_until_it_is_collected(home: str) -> None:
    run = begun(home, API, "build it")
    run.record(STEP)
    run.end("succeeded", 1234.5)

    (aside,) = run_files.put_aside(home)

    assert (aside.scope, aside.name, aside.past.task) == (API, run.name, "build it")
    assert (aside.ended.timestamp(), aside.outcome) == (1234.5, "succeeded")
    assert aside.past.steps == (STEP,)
    assert tasks(home, Place("acme")) == []

    run_files.remove_aside(aside)
    assert list(run_files.put_aside(home)) == []


def test_ended_runs_are_collected_oldest_first(home: str) -> None:
    for task in ("late", "early"):
        begun(home, API, task).end("failed", 1.0)
    late, early = run_files.put_aside(home)
    os.utime(late.path, (2000, 2000))
    os.utime(early.path, (1000, 1000))

    assert [aside.past.task for aside in run_files.put_aside(home)] == ["early", "late"]


@pytest.mark.parametrize("text", ['{"of": ["acme", "coder", null]}', '{"ended": 1.0}', "[1]"])
def test_an_ended_run_without_scope_or_end_is_removed(home: str, text: str) -> None:
    path = Path(home, "runs", "ended", "a-b-c.jsonl")
    path.parent.mkdir(parents=True)
    path.write_text(text)

    assert list(run_files.put_aside(home)) == []
    assert not path.exists()


def test_an_end_without_an_outcome_is_a_failure(home: str) -> None:
    path = Path(home, "runs", "ended", "a-b-c.jsonl")
    path.parent.mkdir(parents=True)
    path.write_text('{"ended": 7, "of": ["acme", "coder", null]}')

    (aside,) = run_files.put_aside(home)

    assert (aside.name, aside.outcome, aside.ended.timestamp()) == ("b", "failed", 7)
    assert aside.scope == Scope("acme", "coder", None)


def test_a_review_is_due_once_in_a_while_for_each_tenant(home: str) -> None:
    assert run_files.is_due(home, "acme", 1000.0, every=60)
    assert not run_files.is_due(home, "acme", 1059.0, every=60)
    assert run_files.is_due(home, "other", 1059.0, every=60)
    assert run_files.is_due(home, "acme", 1060.0, every=60)


def test_the_runs_of_a_forgotten_tenant_are_gone_and_no_others(home: str) -> None:
    begun(home, API, "over").end("failed", 1.0)
    begun(home, OTHER, "other over").end("failed", 1.0)
    begun(home, API, "at work")
    begun(home, OTHER, "other")

    run_files.forget(home, "acme")

    assert tasks(home, Place("acme")) == []
    assert tasks(home, Place("other")) == ["other"]
    assert [aside.scope for aside in run_files.put_aside(home)] == [OTHER]


def test_what_was_sent_goes_with_its_tenant_unless_a_worker_records_it(home: str) -> None:
    longest = "\N{CRAB}" * 200
    sent = Path(home, "sessions", "sent")
    sent.mkdir(parents=True)
    for name, tenant in (("a", longest), ("b", "other")):
        (sent / name).write_text(json.dumps([[tenant, "coder", "api"], ["claude"], [], []]))
    with _files.Lock(str(sent / run_files.LOCK)):  # as a worker that records
        run_files.forget_marked(home, tenant_mark(longest), before=time.time() + 60)
        assert (sent / "a").exists()

    run_files.forget_marked(home, tenant_mark("another"), before=time.time() + 60)
    assert (sent / "a").exists()
    run_files.forget_marked(home, tenant_mark(longest), before=time.time() + 60)

    assert not (sent / "a").exists()
    assert (sent / "b").exists()
