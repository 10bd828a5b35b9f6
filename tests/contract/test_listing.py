"""What every store must list, page by page."""

from __future__ import annotations

from datetime import timedelta

import pytest

from hardwon import Scope
from hardwon.core.errors import NotFound
from hardwon.core.values.report import ListQuery, Order, Place
from hardwon.storage.ports import Store
from tests.contract.test_deliveries import delivery
from tests.samples import CODER, NOW, lesson

DAY = timedelta(days=1)
TESTER = Scope("acme", "tester", "api")
STRANGER = Scope("other", "coder", "api")
ACME = Place("acme")


def meet(store: Store, kind: str, *days_ago: int, scope: Scope = CODER) -> None:
    for days in days_ago:
        store.failures.count(scope, kind, f"bash: {kind} Failed", NOW - days * DAY)


def ids(store: Store, **wanted: object) -> list[int]:
    return [one.id for one in store.listing.lessons(ListQuery(ACME)._replace(**wanted))]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("place", "seen"),
    [
        (ACME, 4),
        (Place("acme", "coder"), 3),
        (Place("acme", None, "api"), 2),
        (Place("acme", "coder", ""), 1),
        (Place("nobody"), 0),
    ],
)
def test_a_place_is_a_tenant_or_a_part_of_it(store: Store, place: Place, seen: int) -> None:
    for scope in (CODER, CODER.everywhere(), CODER._replace(project="web"), TESTER, STRANGER):
        store.lessons.add(lesson(scope=scope))

    assert len(store.listing.lessons(ListQuery(place))) == seen
    assert sum(store.listing.counts(place).values()) == seen


@pytest.mark.parametrize("order", [Order.USED, Order.MET])
def test_pages_show_every_lesson_once_the_first_in_order_first(store: Store, order: str) -> None:
    for number in range(23):
        more = {"last_seen_at": NOW - (number // 4) * DAY, "met": number % 4 + 1}
        store.lessons.add(lesson(str(number), (CODER, TESTER)[number % 2], **more))

    marks: list[tuple[float, str]] = []
    while page := store.listing.lessons(
        ListQuery(ACME, after=marks[-1] if marks else None, limit=5, order=order)
    ):
        values = [one.met if order == Order.MET else one.last_seen_at.timestamp() for one in page]
        marks += [(float(value), str(one.id)) for value, one in zip(values, page, strict=True)]

    ranks = [(-value, int(number)) for value, number in marks]
    assert ranks == sorted(ranks)
    assert len(set(ranks)) == 23


def test_a_list_holds_only_the_states_that_are_asked_for(store: Store) -> None:
    states = ["seen", "candidate", "proven", "quarantined", "retired", "superseded"]
    for status in states:
        store.lessons.add(lesson(status, status=status))

    assert ids(store, status="quarantined") == [4]
    assert ids(store, status="active") == [2, 3]
    assert ids(store) == [1, 2, 3, 4, 5, 6]
    assert store.listing.counts(ACME) == dict.fromkeys(states, 1)


@pytest.mark.parametrize("text", ["NEEDLE", "ne", "needle in hay", "hay, schön"])
def test_a_list_may_be_of_those_that_contain_a_text(store: Store, text: str) -> None:
    for number in range(400):
        words = "a Needle in hay, Schön" if number % 100 == 7 else "straw, hay, sch"
        at = NOW - timedelta(minutes=number)
        store.lessons.add(lesson(f"{words} {number}", status="retired", last_seen_at=at))

    first = store.listing.lessons(ListQuery(ACME, text=text, limit=3))
    mark = first[-1].last_seen_at.timestamp(), str(first[-1].id)

    assert [one.id for one in first] == [8, 108, 208]
    assert ids(store, text=text, after=mark) == [308]


def test_one_lesson_is_found_wherever_it_is_in_the_place(store: Store) -> None:
    kept = store.lessons.add(lesson(scope=TESTER))

    assert store.listing.lesson(ACME, kept.id) == kept
    for place in (Place("other"), Place("acme", "coder"), Place("acme", None, "web")):
        with pytest.raises(NotFound):
            store.listing.lesson(place, kept.id)


def test_a_list_counts_what_was_shown_just_now(store: Store) -> None:
    kept = [store.lessons.add(lesson(text)) for text in ("one", "two")]
    store.deliveries.log(delivery("d1", (kept[0].id,)))

    assert store.listing.lesson(ACME, kept[0].id).hits == 1

    store.deliveries.log(delivery("d2", (kept[1].id,)))

    assert [one.hits for one in store.listing.lessons(ListQuery(ACME))] == [1, 1]


def test_failures_come_with_their_days_and_the_scope_of_the_last(store: Store) -> None:
    meet(store, "a", 12, 2, 2)
    meet(store, "a", 1, scope=TESTER)
    meet(store, "b", 3)
    meet(store, "b", 0, scope=STRANGER)

    first, second = store.listing.failures(ListQuery(ACME), NOW - 10 * DAY)

    assert (first.kind, first.text, first.met, first.scope) == ("a", "bash: a Failed", 3, TESTER)
    assert (first.first, first.last) == (NOW - 12 * DAY, NOW - DAY)
    assert [count for _, count in first.days] == [2, 1]
    assert (second.kind, second.met, second.scope) == ("b", 1, CODER)


def test_failures_come_in_pages_and_by_text(store: Store) -> None:
    for kind in "edcba":
        meet(store, kind, 1)

    first = store.listing.failures(ListQuery(ACME, limit=3), NOW - 10 * DAY)
    after = (float(first[-1].met), first[-1].kind)
    rest = store.listing.failures(ListQuery(ACME, after=after, limit=3), NOW - 10 * DAY)
    named = store.listing.failures(ListQuery(ACME, text="D FAILED"), NOW - 10 * DAY)

    assert [one.kind for one in (*first, *rest)] == ["a", "b", "c", "d", "e"]
    assert [one.kind for one in named] == ["d"]


def test_deliveries_come_in_pages_newest_first(store: Store) -> None:
    for number in range(7):
        scope = (CODER, TESTER, STRANGER)[number % 3]
        at = NOW - (number // 2) * DAY
        store.deliveries.log(delivery(f"d{number}", (), scope=scope, at=at))

    first = store.listing.deliveries(ListQuery(ACME, limit=3))
    after = first[-1].at.timestamp(), first[-1].id
    rest = store.listing.deliveries(ListQuery(ACME, after=after, limit=3))

    assert [one.id for one in (*first, *rest)] == ["d0", "d1", "d3", "d4", "d6"]


def test_the_scopes_of_a_tenant_are_told(store: Store) -> None:
    store.lessons.add(lesson(scope=TESTER, status="quarantined"))
    meet(store, "a", 1, scope=CODER.everywhere())
    store.lessons.add(lesson(scope=STRANGER))
    store.lessons.add(lesson(scope=CODER._replace(project="web")))
    store.lessons.add(lesson(scope=CODER))

    assert store.listing.scopes("acme") == [
        CODER.everywhere(),
        CODER,
        CODER._replace(project="web"),
        TESTER,
    ]


def test_a_list_may_be_of_those_with_a_tag(store: Store) -> None:
    for tags in (("bash", "rm"), ("bash",), ("rm -r",), (), ("größe",)):
        store.lessons.add(lesson(str(tags), tags=tags))

    assert ids(store, tag="bash") == [1, 2]
    assert ids(store, tag="rm") == [1]
    assert ids(store, tag="bash", text="rm") == [1]
    assert ids(store, tag="b") == []
    assert ids(store, tag="größe") == [5]


def test_one_kind_of_failure_is_found(store: Store) -> None:
    meet(store, "TypeError", 1, 2)
    meet(store, "KeyError", 3)

    (found,) = store.listing.failures(ListQuery(ACME, kind="KeyError"), NOW - 9 * DAY)

    assert (found.kind, found.met, found.scope) == ("KeyError", 1, CODER)
    assert store.listing.failures(ListQuery(ACME, kind="Error"), NOW - 9 * DAY) == []
