"""Runs that ended: what is kept of them, who keeps it, and for how long."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

import hardwon
from hardwon import Step
from hardwon.core.errors import NotFound
from hardwon.core.settings import load
from hardwon.core.values.delivery import DOOR
from hardwon.core.values.report import Place
from hardwon.core.values.run import WITHHELD, EndedRun, Failure, RunSoFar, Shown
from hardwon.engine.pipeline.ending import SIZE, archive_run
from hardwon.engine.runtime import utc_now
from tests.samples import CODER, LATER, NOW, Clock

MKDIR, ERROR = "mkdir out/nightly", "mkdir: cannot create directory 'out/nightly'"
KEY = "sk-ant-api03-" + "Ab1" * 31 + "AA"
DAY = timedelta(days=1)


def work(hw: hardwon.Hardwon, *, run: str | None = "r1", project: str = "acme/api") -> None:
    """A run that meets a failure, is told of it and gets over it."""
    coder = hw.agent("coder", project=project, run=run)
    coder.before_turn("Make the folder")
    coder.after_action("bash", MKDIR, output=ERROR, failed=True)
    coder.after_action("bash", "mkdir -p out/nightly", failed=False)
    coder.after_run(task="Make the folder", error=ERROR)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=["disk", "memory"])
def hw(request: pytest.FixtureRequest, tmp_path: Path, clock: Clock) -> hardwon.Hardwon:
    return hardwon.open(tmp_path if request.param == "disk" else "memory:", clock=clock)


@pytest.mark.parametrize("run", ["r1", None])
def test_what_happened_in_a_run_is_kept(hw: hardwon.Hardwon, clock: Clock, run: str | None) -> None:
    work(hw, run=run)
    clock.now = LATER
    work(hw, run=run)

    second, first = hw.agent("coder", project="acme/api").runs.list()
    kept = hw.agent("coder", project="acme/api").runs.get(second.id)

    assert first.id != second.id
    assert kept._replace(steps=(), shown=()) == second
    assert (kept.task, kept.outcome) == ("Make the folder", "recovered")
    assert (kept.made, kept.failed, kept.told) == (2, 1, 2)
    assert [(step.args, step.failed) for step in kept.steps] == [
        (MKDIR, True),
        ("mkdir -p out/nightly", False),
    ]
    assert [(one.door, one.after) for one in kept.shown] == [("turn", 2), ("error", 1)]
    assert len(kept.kinds) == 1
    assert (first.ended, kept.ended) == (NOW, LATER)


@pytest.mark.parametrize(
    ("failed", "error", "outcome"),
    [
        ([False], "", "worked"),
        ([True, False], "", "recovered"),
        ([False, True], "", "failed"),
        ([False], "the tests are red", "failed"),
    ],
)
def test_how_a_run_ended_is_told(
    hw: hardwon.Hardwon, failed: list[bool], error: str, outcome: str
) -> None:
    coder = hw.agent("coder")
    for one in failed:
        coder.after_action("bash", "make", output="error" if one else "", failed=one)
    coder.after_run(task="build", error=error)

    assert [one.outcome for one in coder.runs.list()] == [outcome]


def test_steps_that_are_given_at_the_end_are_kept(hw: hardwon.Hardwon) -> None:
    coder = hw.agent("coder", run="r1")
    coder.after_run(task="build", error=ERROR, steps=[hardwon.Step("bash", MKDIR, ERROR, True)])

    (one,) = coder.runs.list()
    assert coder.runs.get(one.id).steps[0].args == MKDIR
    assert one.task == "build"


def test_a_run_without_a_step_leaves_nothing(hw: hardwon.Hardwon) -> None:
    hw.agent("coder").after_run(task="think")

    assert not hw.agent("coder").runs.list()


def test_only_the_own_runs_are_seen(hw: hardwon.Hardwon) -> None:
    work(hw)

    (one,) = hw.agent("coder", project="acme/api").runs.list()
    for stranger in (hw.agent("coder"), hw.agent("writer", project="acme/api")):
        assert not stranger.runs.list()
        with pytest.raises(NotFound):
            stranger.runs.get(one.id)
    assert [run.id for run in hw.tenant().ended_runs().rows] == [one.id]


def test_a_secret_does_not_get_into_what_is_kept(hw: hardwon.Hardwon, tmp_path: Path) -> None:
    coder = hw.agent("coder", run="r1")
    coder.before_turn(f"Log in with {KEY}")
    coder.after_action("bash", f"login {KEY}", output=f"error: {KEY} is wrong", failed=True)
    coder.after_run(task=f"Log in with {KEY}", error=KEY)

    (one,) = coder.runs.list()
    assert KEY not in str(coder.runs.get(one.id))
    hw.close()
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert not [path for path in files if KEY.encode() in path.read_bytes()]


def test_a_long_run_is_cut_short(hw: hardwon.Hardwon) -> None:
    coder = hw.agent("coder", run="r1")
    for number in range(150):
        coder.after_action("bash", f"make {number} " + "x" * 3000, output="y" * 9000, failed=True)
    coder.end_run()

    (one,) = coder.runs.list()
    kept = coder.runs.get(one.id)
    assert kept.made == 150
    assert kept.steps[-1].args.startswith("make 149 ")
    assert len(str(kept.steps)) < 60_000


def test_a_hook_only_puts_a_run_aside_and_a_worker_keeps_it(tmp_path: Path) -> None:
    with hardwon.open(tmp_path) as hw:
        work(hw)
        assert len(list((tmp_path / "runs" / "ended").iterdir())) == 1
        hw.drain()
        assert not list((tmp_path / "runs" / "ended").iterdir())
        assert len(hw.agent("coder", project="acme/api").runs.list()) == 1


def test_runs_are_kept_for_as_long_as_is_set(tmp_path: Path, clock: Clock) -> None:
    with hardwon.open(tmp_path, clock=clock) as hw:
        work(hw, run="old")
        hw.drain()
        clock.now = NOW + 31 * DAY
        work(hw, run="new")
        hw.drain()

        assert [one.ended for one in hw.tenant().ended_runs().rows] == [clock.now]


def test_nothing_is_kept_where_that_is_set(tmp_path: Path) -> None:
    settings = load(str(tmp_path), {"HARDWON_RUNS_KEEP": "0"})
    with hardwon.open(tmp_path, settings=settings) as hw:
        work(hw)
        hw.drain()

        assert not hw.tenant().ended_runs().rows
        assert not (tmp_path / "runs" / "ended").exists()


def test_a_run_in_which_nothing_happens_for_a_day_is_kept_as_abandoned(
    tmp_path: Path, clock: Clock
) -> None:
    clock.now = utc_now() + 2 * DAY
    with hardwon.open(tmp_path, clock=clock) as hw:
        coder = hw.agent("coder", run="r1")
        coder.after_action("bash", MKDIR, output=ERROR, failed=True)
        hw.drain()
        assert [one.outcome for one in coder.runs.list()] == ["abandoned"]
        first = clock.now
        clock.now += 2 * DAY
        hw.drain()
        assert [one.ended for one in coder.runs.list()] == [first]

        coder.after_action("bash", "mkdir -p out", failed=False)
        coder.end_run()
        assert [(one.outcome, one.made) for one in coder.runs.list()] == [("recovered", 2)]


def test_a_forgotten_tenant_has_no_runs(tmp_path: Path) -> None:
    with hardwon.open(tmp_path) as hw:
        work(hw, run="kept")
        hw.drain()
        work(hw, run="aside")
        hw.forget_tenant("default")

        assert not hw.tenant().ended_runs().rows
        assert not list((tmp_path / "runs" / "ended").iterdir())


def test_runs_at_work_are_told_apart_by_agent_and_project(tmp_path: Path) -> None:
    with hardwon.open(tmp_path) as hw:
        hw.agent("coder", project="api", run="r").after_action("bash", "make", failed=False)
        hw.agent("writer", run="r").after_action("bash", "make", failed=False)

        assert len(hw.tenant().runs()) == 2
        assert len(hw.tenant(agent="coder").runs()) == 1
        assert len(hw.tenant(project="api").runs()) == 1
        assert hw.tenant(project="web").place == Place("default", None, "web")
        assert not hw.tenant(project="web").runs()


def kept_of(*steps: Step, **past: Any) -> EndedRun:
    so_far = RunSoFar("x" * 600, steps, **past)
    return archive_run(so_far, CODER, "r1", ended=NOW, outcome="failed")


def failing(args: int, output: int, text: str = "no rule") -> Step:
    return Step("bash", "a" * args, "o" * output, True, Failure("e", "k", text, text))


@pytest.mark.parametrize(
    ("count", "call", "output"), [(5, 4000, 800), (10, 1000, 500), (30, 300, 300), (90, 120, 120)]
)
def test_the_longest_cut_that_fits_is_taken(count: int, call: int, output: int) -> None:
    steps = kept_of(*[failing(5000, 5000)] * count).steps

    assert len(steps) == count
    assert {(len(step.args), len(step.output)) for step in steps} == {(call, output)}


def test_the_newest_steps_stay_when_even_the_shortest_cut_does_not_fit() -> None:
    steps = [failing(500, 500)._replace(args=f"{number:03}" + "a" * 500) for number in range(300)]

    kept = kept_of(*steps).steps

    assert 0 < len(kept) < 300
    assert [int(step.args[:3]) for step in kept] == list(range(300 - len(kept), 300))
    sizes = [len(json.dumps(step).encode()) + 1 for step in kept]
    assert SIZE - max(sizes) < sum(sizes) <= SIZE


def test_the_record_of_a_run_is_short_and_its_counts_are_complete() -> None:
    shown = tuple(Shown(f"d{n}", "error", ()) for n in range(201))
    withheld, unit = Shown("w", WITHHELD, ()), Shown("u", DOOR, ())
    steps = [failing(1, 1, f"{number} " + "t" * 300) for number in range(60)]

    kept = kept_of(*steps, shown=(*shown, withheld, unit), made=70)

    assert len(kept.task) == 500
    assert (len(kept.kinds), kept.made, kept.failed, kept.told) == (50, 70, 60, 201)
    assert len(kept.shown) == 200
    assert kept.shown[-1] == withheld
    failures = [step.failure for step in kept.steps if step.failure]
    assert {(len(failure.text), len(failure.line)) for failure in failures} == {(200, 200)}
    assert (kept.begun, kept.ended) == (NOW, NOW)


def test_a_run_began_no_later_than_it_ended() -> None:
    later = kept_of(failing(1, 1), begun=LATER.timestamp())
    earlier = kept_of(failing(1, 1), begun=NOW.timestamp() - 60)

    assert later.begun == NOW
    assert earlier.begun == NOW - timedelta(minutes=1)


def test_only_a_failing_step_keeps_its_output() -> None:
    kept = kept_of(Step("bash", "make", "done"), failing(1, 3))

    assert [step.output for step in kept.steps] == ["", "ooo"]


@pytest.mark.parametrize(("more", "is_whole"), [(0, True), (1, False)])
def test_steps_that_fill_the_room_exactly_are_not_cut_further(more: int, is_whole: bool) -> None:
    usual = Step("bash", "a" * 900)
    room = SIZE - 42 * (len(json.dumps(usual).encode()) + 1)
    bare = len(json.dumps(Step("bash", "")).encode()) + 1

    kept = kept_of(*[usual] * 42, Step("bash", "a" * (room - bare + more))).steps

    assert (len(kept[0].args) == 900) is is_whole


def test_as_many_of_the_newest_steps_stay_as_fit() -> None:
    bare = len(json.dumps(Step("bash", "")).encode()) + 1
    equal = Step("bash", "a" * (125 - bare))

    assert len(kept_of(*[equal] * 400).steps) == SIZE // 125
    assert len(kept_of(failing(120, 120), *[equal] * 400).steps) == SIZE // 125
    assert len(kept_of(Step("", ""), *[equal] * 400).steps) == SIZE // 125
