"""What every store must do with deliveries."""

from __future__ import annotations

from typing import Any

from hardwon import Delivery, Scope
from hardwon.storage.ports import Store
from tests.samples import CODER, LATER, NOW, lesson

OTHER = Scope("acme", "writer", "api")


def delivery(number: str, lessons: tuple[int, ...], **more: Any) -> Delivery:
    made = Delivery(number, CODER, "turn", "query", lessons, (1.5,) * len(lessons), 40, 900, NOW)
    return made._replace(**more)


def test_a_delivery_is_remembered_and_counts_as_a_hit(store: Store) -> None:
    kept = store.lessons.add(lesson())
    first, second = delivery("d1", (kept.id,)), delivery("d2", (kept.id,), at=LATER)
    store.deliveries.log(first)
    store.deliveries.log(second)

    assert store.deliveries.recent(CODER, limit=9) == [second, first]
    assert store.deliveries.recent(OTHER, limit=9) == []
    seen = store.lessons.get(CODER, kept.id)
    assert (seen.hits, seen.last_seen_at) == (2, LATER)


def test_a_delivery_cannot_touch_the_lessons_of_another_agent(store: Store) -> None:
    kept = store.lessons.add(lesson())
    store.deliveries.log(delivery("d1", (kept.id,), scope=OTHER))

    assert len(store.deliveries.recent(OTHER, limit=9)) == 1
    assert store.lessons.get(CODER, kept.id).hits == 0


def test_what_somebody_said_of_a_delivery_is_not_settled_anew(store: Store) -> None:
    for number in ("d1", "d2"):
        store.deliveries.log(delivery(number, ()))
    store.deliveries.report(CODER, "d1", "helped")
    store.deliveries.settle(CODER, [("d1", "repeated")])
    store.deliveries.settle(OTHER, [("d2", "forged")])
    store.deliveries.settle(CODER, [("d2", "not met")])
    store.deliveries.settle(CODER, [("d2", "repeated")])

    known = {one.id: one.outcome for one in store.deliveries.recent(CODER, limit=9)}

    assert known == {"d1": "helped", "d2": "not met"}


def test_an_older_delivery_that_comes_late_sets_no_time_back(store: Store) -> None:
    kept = store.lessons.add(lesson())
    store.deliveries.log(delivery("d1", (kept.id,), at=LATER))
    store.deliveries.log(delivery("d2", (kept.id,), at=NOW))

    store.deliveries.recent(CODER, limit=9)

    assert store.lessons.get(CODER, kept.id).last_seen_at == LATER


def test_an_outcome_from_elsewhere_changes_nothing(store: Store) -> None:
    store.deliveries.log(delivery("d1", ()))
    store.deliveries.log(delivery("d2", (), scope=OTHER))
    store.deliveries.report(CODER, "d1", "helped")

    store.deliveries.report(OTHER, "d1", "forged")

    assert [d.outcome for d in store.deliveries.recent(CODER, limit=9)] == ["helped"]


def test_as_many_deliveries_are_told_as_are_asked_for(store: Store) -> None:
    for number in range(3):
        store.deliveries.log(delivery(f"d{number}", ()))

    assert [one.id for one in store.deliveries.recent(CODER, limit=2)] == ["d2", "d1"]


def test_only_the_delivery_of_that_name_gets_the_outcome(store: Store) -> None:
    store.deliveries.log(delivery("d1", ()))
    store.deliveries.log(delivery("d2", ()))
    store.deliveries.settle(CODER, [("d1", "helped"), ("none", "helped")])

    outcomes = {one.id: one.outcome for one in store.deliveries.recent(CODER, limit=9)}
    assert outcomes == {"d1": "helped", "d2": ""}
