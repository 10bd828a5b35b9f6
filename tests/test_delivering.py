"""Lessons reach a run once they fit, are logged, and are noted in the run."""

from __future__ import annotations

from contextlib import nullcontext
from datetime import timedelta
from pathlib import Path

import pytest

from hardwon.core.errors import StorageError, Unavailable
from hardwon.core.settings import Settings, load
from hardwon.core.values.delivery import NOTHING, Injection
from hardwon.core.values.lesson import Lesson
from hardwon.core.values.run import Step
from hardwon.engine.doors import new_id
from hardwon.engine.runtime import MEMORY, Runtime
from hardwon.knowledge.ranking.query import Match, Query
from hardwon.knowledge.ranking.scores import Judged
from hardwon.knowledge.reading.guards import forbidden_call
from hardwon.storage.stores.runs import FileRun
from tests.samples import CODER, NOW, Clock, lesson

BOOM = Step("bash", "make all", "error: boom", failed=True)


class Desk:
    """Doors over a store in memory, with the run that they tell."""

    def __init__(self, home: Path, settings: Settings | None = None) -> None:
        engine = Runtime(settings or load(str(home)), MEMORY, clock=Clock())
        self.troubles: list[BaseException] = []
        engine.trouble = self.troubles.append
        self.store, self.doors = engine.store, engine.doors
        self.run = FileRun(str(home), CODER, "r1")

    def deliver(self, query: Query, *shown: Lesson, **more: object) -> Injection:
        judged = [Judged(Match(one, **more), 0.5) for one in shown]  # type: ignore[arg-type]
        return self.doors.deliver(CODER, query, judged, self.run, started=0)


def _guard(call: str) -> Lesson:
    return lesson()._replace(guard=True, calls=(forbidden_call("bash", call),))


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_a_delivery_is_logged_with_its_scores(desk: Desk) -> None:
    kept = desk.store.lessons.add(lesson())
    told = desk.deliver(Query("turn", "large Go files"), kept)

    (logged,) = desk.store.deliveries.recent(CODER, limit=5)
    assert (told.lessons, told.door, told.id) == ((kept,), "turn", logged.id)
    assert (logged.lessons, logged.scores, logged.at) == ((kept.id,), (0.5,), NOW)
    assert logged.tokens > 0


def test_where_nothing_fits_nothing_is_said_or_logged(desk: Desk) -> None:
    kept = desk.store.lessons.add(lesson())
    hidden = [Judged(Match(kept), 0.5, verdict="too far")]

    assert desk.deliver(Query("turn", "x")) == NOTHING
    assert desk.doors.deliver(CODER, Query("turn", "x"), hidden, desk.run, started=0) == NOTHING
    assert desk.store.deliveries.recent(CODER, limit=5) == []


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"is_same_failure": True}, "same"),
        ({"is_same_kind": True}, "kind"),
        ({}, "PITFALLS"),
    ],
)
def test_at_an_error_the_block_says_how_sure_it_is(
    desk: Desk, more: dict[str, bool], words: str
) -> None:
    told = desk.deliver(Query("error", "x"), desk.store.lessons.add(lesson()), **more)

    assert words.lower() in told.text.lower()


def test_a_denial_is_logged_as_one(desk: Desk) -> None:
    kept = desk.store.lessons.add(_guard("rm -rf /"))
    denial = desk.doors.action(CODER, "bash", "rm -rf /", desk.run)

    (logged,) = desk.store.deliveries.recent(CODER, limit=5)
    assert (denial.denied, denial.lessons, denial.door) == (True, (kept,), "action")
    assert (logged.outcome, logged.query, logged.scores) == ("denied", "rm -rf /", (1.0,))
    assert logged.micros == 0  # nothing was searched


def test_a_loop_stands_before_what_is_known_and_is_logged_only_by_itself(desk: Desk) -> None:
    alone = desk.doors.with_loop(CODER, NOTHING, [BOOM, BOOM])
    known = Injection("a lesson", (lesson(),), "d1")
    both = desk.doors.with_loop(CODER, known, [BOOM] * 5)

    assert alone.text.startswith("[LOOP DETECTED]")
    assert (alone.stop, both.stop, both.id) == (False, True, "d1")
    assert both.text.endswith("\na lesson")
    assert [one.door for one in desk.store.deliveries.recent(CODER, limit=5)] == ["loop"]
    assert desk.doors.with_loop(CODER, known, [BOOM]) is known


def test_loops_may_be_exempt_or_off(tmp_path: Path) -> None:
    settings = load(str(tmp_path))
    for recall in (
        settings.recall._replace(loops=False),
        settings.recall._replace(loop_exempt="ls, BASH"),
    ):
        desk = Desk(tmp_path, settings._replace(recall=recall))
        assert desk.doors.with_loop(CODER, NOTHING, [BOOM, BOOM]) is NOTHING


def test_what_is_told_is_noted_in_the_run_by_the_names_of_its_failures(desk: Desk) -> None:
    known = lesson(kinds=("k1", "k2"), signatures=("s1",))._replace(id=7)
    bare = lesson(signatures=tuple(f"s{n}" for n in range(10)))._replace(id=8)
    block = Injection("text", (known, bare), "d1", door="turn")
    assert desk.doors.note_shown(desk.run, block, "call")

    past = desk.run.so_far()
    (shown,) = past.shown
    assert past.told == {7, 8}
    assert (shown.delivery, shown.door) == ("d1", "turn")
    assert shown.kinds == ("k1", "k2", *(f"s{n}" for n in range(2, 10)))
    assert desk.doors.note_shown(desk.run, block._replace(lessons=()))


@pytest.mark.parametrize(
    ("error", "is_suppressed"),
    [
        (StorageError("a.db", "the disk is full", "make room"), True),
        (Unavailable("nobody answers"), True),
        (ValueError("a defect"), False),
    ],
    ids=["full disk", "server away", "defect"],
)
def test_what_storage_cannot_do_costs_the_agent_nothing(
    desk: Desk, error: Exception, *, is_suppressed: bool
) -> None:
    with (
        nullcontext() if is_suppressed else pytest.raises(type(error)),
        desk.doors.best_effort,
    ):
        raise error

    assert desk.troubles == [error] * is_suppressed


def test_what_works_is_no_trouble(desk: Desk) -> None:
    with desk.doors.best_effort:
        desk.run.begin("x")

    assert (desk.run.so_far().task, desk.troubles) == ("x", [])


@pytest.mark.parametrize("is_denied", [True, False])
def test_a_delivery_is_logged_without_secrets(desk: Desk, *, is_denied: bool) -> None:
    secret, kept = "ghp_" + "a1B2c3D4e5" * 4, desk.store.lessons.add(_guard("echo *"))
    asked = f"echo {secret} " + "x" * 600
    if is_denied:
        desk.doors.action(CODER, "bash", asked, desk.run)
    else:
        found = [Judged(Match(kept), 0.5)]
        desk.doors.deliver(CODER, Query("turn", asked), found, desk.run, started=0)

    (logged,) = desk.store.deliveries.recent(CODER, limit=5)
    assert (logged.lessons, logged.at) == ((kept.id,), NOW)
    assert (logged.outcome, logged.door) == (("denied", "action") if is_denied else ("", "turn"))
    assert logged.scores == ((1.0,) if is_denied else (0.5,))
    assert logged.tokens > 0
    assert secret not in logged.query
    assert len(logged.query) <= 500


def test_ids_are_in_the_order_of_time_and_no_two_are_equal() -> None:
    ids = [new_id(NOW + timedelta(milliseconds=n)) for n in range(3)]

    assert ids == sorted(ids)
    assert len({new_id(NOW) for _ in range(20)}) == 20


def test_an_id_is_eleven_digits_of_time_and_ten_of_chance() -> None:
    made = new_id(NOW)

    assert len(made) == 21
    assert int(made[:11], 16) == int(NOW.timestamp() * 1000)
