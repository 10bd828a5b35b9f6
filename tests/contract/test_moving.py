"""What every store must do when the folder of a project is confirmed."""

from __future__ import annotations

from datetime import timedelta

from hardwon import Delivery, Reflection, Scope
from hardwon.core.values.delivery import Unit
from hardwon.core.values.report import Window
from hardwon.knowledge.proof.effect import Arms
from hardwon.storage.ports import Store
from tests.samples import CODER, LATER, NOW, lesson

APART = CODER._replace(project="api@apart-0123456789abcdef")


def fill(store: Store, scope: Scope, *, name: str = "own") -> None:
    """Leave something of a scope in every part of a store."""
    store.failures.count(scope, "same", "the same failure", NOW)
    store.failures.count(scope, f"only {name}", f"a failure of {name}", LATER)
    reflection = Reflection(scope, f"goal {name}", f"insight of {name}", NOW)
    store.reflections.save(reflection)
    store.runs.save(reflection)
    store.deliveries.log(Delivery(f"d-{name}", scope, "turn", "asked", (), (), 0, 0, NOW))
    store.units.log(Unit(scope, f"r-{name}", "k", "turn", False, 0.1, NOW))


def test_counts_are_added_up(store: Store) -> None:
    fill(store, CODER)
    fill(store, APART, name="apart")

    store.move(APART, CODER)

    met = dict(store.failures.commonest(CODER, limit=9))
    assert met == {"the same failure": 2, "a failure of own": 1, "a failure of apart": 1}


def test_what_was_kept_goes_along(store: Store) -> None:
    fill(store, APART, name="apart")

    store.move(APART, CODER)

    for part in (store.reflections, store.runs):
        assert [one.subject for one in part.about(CODER, "goal apart")] == ["goal apart"]
        alike = part.alike(CODER, ["insight", "apart"], now=NOW, limit=9)
        assert [one.reflection.scope for one in alike] == [CODER]
    assert [one.id for one in store.deliveries.recent(CODER, limit=9)] == ["d-apart"]
    window = Window(CODER, NOW - timedelta(days=1))
    assert store.units.arms(window) == [Arms(unknown=1)]
    assert sum(met for _, met in store.statistics.failures_by_day(window)) == 2


def test_nothing_is_left_behind(store: Store) -> None:
    fill(store, APART, name="apart")
    assert store.scopes("acme", APART.project or "") == [APART]

    store.move(APART, CODER)

    assert store.scopes("acme", APART.project or "") == []


def test_a_lesson_is_not_lost_with_its_scope(store: Store) -> None:
    kept = store.lessons.add(lesson("canary", APART))

    store.move(APART, CODER)

    assert store.lessons.get(APART, kept.id) == kept


def test_all_agents_of_the_tenant_and_nobody_else_are_named(store: Store) -> None:
    writer = APART._replace(agent="writer")
    for scope in (APART, writer, APART._replace(tenant="other"), CODER):
        store.lessons.add(lesson("canary", scope))

    assert sorted(store.scopes("acme", APART.project or "")) == [APART, writer]
