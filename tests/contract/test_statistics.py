"""What every store must count, and list of failures."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest

from hardwon import Scope
from hardwon.core.values.report import Deliveries, Exposure, LessonState, OpenFailure, Window
from hardwon.storage.ports import Store
from tests.contract.test_deliveries import delivery
from tests.samples import CODER, LATER, NOW, lesson

DAY = timedelta(days=1)
TODAY = NOW.date()
OWN = Window(CODER, NOW - 10 * DAY)
WHOLE = OWN._replace(is_whole=True)
STRANGER = Scope("other", "coder", "api")
BESIDE = Scope("acme", "coder", "web")
ELSEWHERE = pytest.mark.parametrize("place", [STRANGER, BESIDE, CODER.everywhere()])


def meet(store: Store, kind: str, *days_ago: int, scope: Scope = CODER) -> None:
    for days in days_ago:
        store.failures.count(scope, kind, f"bash: {kind}", NOW - days * DAY)


def day(days_ago: int) -> date:
    return TODAY - timedelta(days=days_ago)


def test_failures_are_counted_by_day(store: Store) -> None:
    meet(store, "a", 3, 3, 0)
    meet(store, "b", 3)
    meet(store, "a", 11)

    assert store.statistics.failures_by_day(OWN) == [(day(3), 3), (day(0), 1)]


def test_the_commonest_kinds_come_first_with_their_days(store: Store) -> None:
    meet(store, "a", 12, 2)
    meet(store, "b", 2, 2, 1)

    first, second = store.statistics.failures(OWN, limit=9)

    assert (first.kind, first.text, first.met) == ("b", "bash: b", 3)
    assert first.days == ((day(2), 2), (day(1), 1))
    assert (second.met, second.first, second.last) == (1, NOW - 12 * DAY, NOW - 2 * DAY)
    assert [one.kind for one in store.statistics.failures(OWN, limit=1)] == ["b"]


def test_a_failure_that_has_not_come_back_has_stopped(store: Store) -> None:
    meet(store, "stopped", 20, 8)
    meet(store, "once", 8)
    meet(store, "alive", 8, 1)
    meet(store, "long gone", 20, 19)

    found = store.statistics.stopped_failures(OWN, before=NOW - 7 * DAY, limit=9)

    assert [(one.kind, one.met, one.last) for one in found] == [("stopped", 2, NOW - 8 * DAY)]


@ELSEWHERE
def test_failures_of_another_place_are_not_counted(store: Store, place: Scope) -> None:
    meet(store, "a", 9, 8, scope=place)

    assert store.statistics.failures_by_day(OWN) == []
    assert store.statistics.failures(OWN, limit=9) == []
    assert store.statistics.stopped_failures(OWN, before=NOW, limit=9) == []
    assert bool(store.statistics.failures_by_day(WHOLE)) == (place.tenant == CODER.tenant)


def test_one_kind_in_two_projects_is_one_kind_of_the_tenant(store: Store) -> None:
    meet(store, "a", 5, 4)
    meet(store, "a", 3, scope=BESIDE)
    meet(store, "a", 2, scope=STRANGER)

    (found,) = store.statistics.failures(WHOLE, limit=9)

    assert (found.met, found.first, found.last) == (3, NOW - 5 * DAY, NOW - 3 * DAY)
    assert len(found.days) == 3


def test_deliveries_are_added_up_by_door_outcome_and_day(store: Store) -> None:
    others: list[dict[str, Any]] = [{"door": "action"}, {"at": NOW - DAY}, {"at": NOW - 11 * DAY}]
    for number, more in enumerate([{}, {}, *others]):
        store.deliveries.log(delivery(f"d{number}", (), **more))
    store.deliveries.settle(CODER, [("d1", "repeated")])

    assert store.statistics.deliveries(OWN) == [
        Deliveries("turn", "", day(1), 1, 40),
        Deliveries("action", "", day(0), 1, 40),
        Deliveries("turn", "", day(0), 1, 40),
        Deliveries("turn", "repeated", day(0), 1, 40),
    ]


@ELSEWHERE
def test_deliveries_of_another_place_are_not_counted(store: Store, place: Scope) -> None:
    store.deliveries.log(delivery("d1", (), scope=place))

    assert store.statistics.deliveries(OWN) == []
    assert bool(store.statistics.deliveries(WHOLE)) == (place.tenant == CODER.tenant)


def test_lessons_are_counted_by_state_as_they_are_seen(store: Store) -> None:
    for scope in (CODER, CODER.everywhere(), BESIDE, STRANGER):
        store.lessons.add(lesson(scope=scope))
    store.lessons.add(lesson(status="seen", created_at=NOW - 9 * DAY))

    found = store.statistics.lessons(OWN, new=NOW - DAY)

    assert found == [LessonState("proven", 2, 2), LessonState("seen", 1, 0)]
    assert store.statistics.lessons(WHOLE, new=LATER)[0] == LessonState("proven", 3, 0)


def test_failures_without_a_fix_are_listed_when_they_recur(store: Store) -> None:
    def seen(text: str, met: int, **more: Any) -> int:
        return store.lessons.add(lesson(text, **{"status": "seen", "met": met, **more})).id

    few, many = seen("few", 2), seen("many", 5)
    seen("once", 1)
    seen("long ago", 9, updated_at=NOW - 11 * DAY)
    seen("solved", 9, status="candidate")
    seen("elsewhere", 9, scope=STRANGER)

    assert store.statistics.open_failures(OWN, limit=9) == [
        OpenFailure(many, "when: many", 5, NOW),
        OpenFailure(few, "when: few", 2, NOW),
    ]
    assert len(store.statistics.open_failures(OWN, limit=1)) == 1


def test_a_lesson_knows_where_it_was_shown(store: Store) -> None:
    store.deliveries.log(delivery("d1", (7, 12)))
    store.deliveries.log(delivery("d2", (7,), at=LATER, scope=BESIDE))
    store.deliveries.log(delivery("d3", (7,), scope=STRANGER))
    store.deliveries.log(delivery("d4", (1, 12)))
    store.deliveries.log(delivery("d5", (7,), door="error", outcome="overcome"))

    assert store.statistics.exposures(CODER, 7) == [
        Exposure("turn", "", 2, LATER),
        Exposure("error", "overcome", 1, NOW),
    ]


OTHER = Scope("acme", "writer", "api")


def test_failures_are_counted_by_signature(store: Store) -> None:
    for scope, name, text in [
        (CODER, "s1", "bash: boom"),
        (CODER, "s1", "bash: boom"),
        (CODER, "s2", "bash: other"),
        (OTHER, "s1", "bash: boom"),
    ]:
        store.failures.count(scope, name, text, NOW)

    assert store.failures.commonest(CODER, limit=9) == [("bash: boom", 2), ("bash: other", 1)]
    assert store.failures.commonest(OTHER, limit=9) == [("bash: boom", 1)]


def test_the_commonest_come_first_then_by_name_and_as_many_as_are_asked_for(store: Store) -> None:
    for name in ("c", "b", "a", "a"):
        store.failures.count(CODER, name, f"text {name}", NOW)

    assert store.failures.commonest(CODER, limit=2) == [("text a", 2), ("text b", 1)]


def test_what_was_met_everywhere_counts_for_every_project(store: Store) -> None:
    store.failures.count(CODER, "s1", "bash: boom", NOW)
    store.failures.count(CODER.everywhere(), "s1", "bash: boom", NOW)
    store.failures.count(CODER._replace(project="web"), "s1", "bash: boom", NOW)

    assert store.failures.commonest(CODER, limit=9) == [("bash: boom", 2)]
