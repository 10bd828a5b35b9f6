"""What every store must do when scopes are moved or forgotten, and with what waits."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from hardwon import Delivery, Reflection, Scope
from hardwon.core.errors import NotFound
from hardwon.core.values.delivery import Unit
from hardwon.core.values.dream import Dream
from hardwon.core.values.lesson import Change
from hardwon.core.values.report import ListQuery, Place, Window
from hardwon.core.values.run import EndedRun
from hardwon.knowledge.proof.effect import Arms
from hardwon.knowledge.ranking.query import query
from hardwon.storage.ports import Store
from hardwon.storage.sql import journal
from hardwon.storage.stores.postgres import PostgresStore
from hardwon.storage.stores.sqlite import SqliteStore
from tests.contract.conftest import STORES
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


OTHER = CODER._replace(tenant="other")


@pytest.fixture
def forgotten(store: Store) -> Store:
    """A store in which two tenants left something everywhere, and one of them is forgotten."""
    for scope in (CODER, OTHER):
        name = scope.tenant
        fill(store, scope, name=name)
        kept = store.lessons.add(lesson(scope=scope))
        store.history.note(Change(kept, "edit", NOW))
        store.dreams.save(Dream(f"dream-{name}", scope, NOW))
        store.units.set_share(name, 0.25)
        store.ended_runs.keep(
            EndedRun(
                f"run-{name}", scope, "r", "task", NOW, NOW, "failed", made=1, failed=1, told=0
            )
        )
    store.forget("acme")
    return store


def seen(store: Store, tenant: str) -> list[int]:
    """How much of a tenant there is in every part of a store."""
    scope = CODER._replace(tenant=tenant)
    window = Window(scope, NOW - timedelta(days=1))
    listed = ListQuery(Place(tenant))
    asked = query("turn", "go")
    return [
        len(store.lessons.recent(scope, status="all", limit=9)),
        len(store.lessons.match(scope, asked, now=NOW, limit=9)),
        len(store.failures.commonest(scope, limit=9)),
        *(len(part.about(scope, f"goal {tenant}")) for part in (store.reflections, store.runs)),
        len(store.deliveries.recent(scope, limit=9)),
        len(store.units.arms(window)),
        len(store.dreams.recent(scope, limit=9)),
        len(store.ended_runs.recent(listed)),
        len(store.history.of(scope, None)),
        sum(met for _, met in store.statistics.failures_by_day(window)),
    ]


def test_nothing_of_the_tenant_is_left_in_any_part(forgotten: Store) -> None:
    assert seen(forgotten, "acme") == [0] * 11
    assert forgotten.shelves("acme") == {}
    with pytest.raises(NotFound):
        forgotten.dreams.get(CODER, "dream-acme")


def test_everything_of_another_tenant_stays(forgotten: Store) -> None:
    assert seen(forgotten, "other") == [1, 1, 2, 1, 1, 1, 1, 1, 1, 1, 2]
    assert forgotten.units.share("other") == 0.25
    assert forgotten.check() == []


UNIT = Unit(CODER, "r1", "k", "error", False, 0.5, NOW, 1, "w")
WITH_A_FILE = sorted(set(STORES) - {"memory"})
Kept = PostgresStore | SqliteStore
ACTS: dict[str, Callable[[Kept], object]] = {
    "check": lambda store: store.check(),
    "scopes": lambda store: store.scopes("acme", "api"),
    "tend": lambda store: store.tend(),
}


@pytest.mark.parametrize("act", ACTS)
@pytest.mark.parametrize("store", WITH_A_FILE, indirect=True)
def test_what_waits_is_counted_before_a_look_at_all(store: Kept, act: str) -> None:
    store.units.log(UNIT)
    assert not store._journal.is_empty

    ACTS[act](store)

    assert store._journal.is_empty


@pytest.mark.parametrize("store", WITH_A_FILE, indirect=True)
def test_a_scope_is_listed_as_soon_as_something_of_it_waits(store: Kept) -> None:
    store.units.log(UNIT)

    assert store.scopes("acme", "api") == [CODER]
    assert store.scopes("acme", "web") == []


@pytest.mark.parametrize("kind", ["postgres", "sqlite"])
def test_little_that_waits_is_left_when_a_process_ends_and_much_is_not(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = request.getfixturevalue("database").url if kind == "postgres" else ""
    is_told = []
    for limit in (journal.SPOOL_LIMIT, 0):
        monkeypatch.setattr(journal, "SPOOL_LIMIT", limit)
        with closing(STORES[kind](str(tmp_path), url)) as store:
            store.units.log(UNIT)
        is_told.append(store._journal.is_empty)

    assert is_told == [False, True]
