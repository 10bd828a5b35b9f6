"""What every store must do when a tenant is forgotten: nothing of it is left, all else stays."""

from __future__ import annotations

from datetime import timedelta

import pytest

from hardwon.core.errors import NotFound
from hardwon.core.values.dream import Dream
from hardwon.core.values.lesson import Change
from hardwon.core.values.report import ListQuery, Place, Window
from hardwon.core.values.run import EndedRun
from hardwon.storage.ports import Store
from tests.contract.test_moving import fill
from tests.samples import CODER, NOW, lesson

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
    return [
        len(store.lessons.recent(scope, status="all", limit=9)),
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
    assert seen(forgotten, "acme") == [0] * 10
    assert forgotten.shelves("acme") == {}
    with pytest.raises(NotFound):
        forgotten.dreams.get(CODER, "dream-acme")


def test_everything_of_another_tenant_stays(forgotten: Store) -> None:
    assert seen(forgotten, "other") == [1, 2, 1, 1, 1, 1, 1, 1, 1, 2]
    assert forgotten.units.share("other") == 0.25
    assert forgotten.check() == []
