"""Two walls between tenants: with either one taken away the other holds; without both none does."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hardwon import Scope
from hardwon.core.errors import HardwonError
from hardwon.core.values.delivery import Delivery
from hardwon.core.values.dream import Dream
from hardwon.core.values.lesson import Change, Status
from hardwon.core.values.reflection import Reflection
from hardwon.core.values.report import ListQuery, Place, Window
from hardwon.knowledge.ranking.query import query
from hardwon.storage.ports import Store
from hardwon.storage.postgres.database import Database
from hardwon.storage.sql.dialect import Statement
from hardwon.storage.stores.postgres import PostgresStore
from tests.postgres_server import PostgresServer
from tests.samples import NOW, lesson

OWN, FOREIGN = Scope("acme", "coder", "api"), Scope("other", "coder", "api")
CANARY = "canary of another tenant"


@pytest.fixture
def store(postgres: PostgresServer, tmp_path: Path) -> Iterator[PostgresStore]:
    opened = PostgresStore(postgres.database().url, str(tmp_path))
    keep_canaries(opened)
    yield opened
    opened.close()


def keep_canaries(store: Store) -> None:
    """Everything that a tenant can have, in two scopes that differ by their tenant alone."""
    for scope, text in ((OWN, "own"), (FOREIGN, CANARY)):
        kept = store.lessons.add(lesson(text, scope, guard=True, met=3, signatures=("s",)))
        store.deliveries.log(Delivery(text, scope, "turn", text, (kept.id,), (1.0,), 1, 1, NOW))
        store.failures.count(scope, text, text, NOW)
        store.reflections.save(Reflection(scope, "goal", text, NOW, title=text))
        store.history.note(Change(kept, "edit", NOW))
        store.dreams.save(Dream(text, scope, NOW))


def shown(store: Store) -> str:
    """All that the own tenant is shown, as one text; what a wall refuses is nothing."""
    asked = query("turn", CANARY, signature="s")
    place, window = Place(OWN.tenant), Window(OWN, NOW, is_whole=True)
    looks: list[Callable[[], Any]] = [
        lambda: store.lessons.match(OWN, asked, now=NOW, limit=9),
        lambda: store.lessons.recent(OWN, status=Status.ALL, limit=9),
        lambda: store.lessons.search(OWN, "canary", limit=9),
        lambda: store.lessons.guards(OWN),
        lambda: [store.lessons.get(OWN, number) for number in range(1, 9)],
        lambda: store.deliveries.recent(OWN, limit=9),
        lambda: store.failures.commonest(OWN, limit=9),
        lambda: store.reflections.recent(OWN, now=NOW, limit=9),
        lambda: store.reflections.about(OWN, "goal"),
        lambda: store.reflections.alike(OWN, ["canary", "tenant"], now=NOW, limit=9),
        lambda: store.history.of(OWN, None),
        lambda: store.dreams.recent(OWN, limit=9),
        lambda: list(store.dreams.lessons(OWN)),
        lambda: store.listing.lessons(ListQuery(place)),
        lambda: store.listing.deliveries(ListQuery(place)),
        lambda: store.listing.failures(ListQuery(place), NOW),
        lambda: store.statistics.failures(window, limit=9),
        lambda: store.statistics.open_failures(window, limit=9),
    ]
    return "\n".join(map(_look, looks))


def _look(look: Callable[[], Any]) -> str:
    try:
        return repr(look())
    except (HardwonError, KeyError):  # a row of nobody's shelf
        return ""


def without_where(database: Database) -> None:
    """The mutant: no statement names its tenant."""
    ask = database.ask

    def careless(tenant: str, *statements: Statement) -> Any:
        condition = r"(?:\w+\.)?tenant = (?::|\w+\.)tenant"
        bare = [one._replace(sql=re.sub(condition, "TRUE", one.sql)) for one in statements]
        return ask(tenant, *bare)

    database.ask = careless  # type: ignore[method-assign]


def without_policies(postgres: PostgresServer, name: str) -> None:
    """The mutant: row-level security is off."""
    tables = postgres.execute(
        "SELECT relname FROM pg_class WHERE relnamespace = 'hardwon'::regnamespace"
        " AND relrowsecurity",
        name,
    )
    for (table,) in tables:
        postgres.execute(f"ALTER TABLE hardwon.{table} DISABLE ROW LEVEL SECURITY", name)


def test_a_tenant_is_shown_its_own_alone(store: PostgresStore) -> None:
    assert "own" in shown(store)
    assert CANARY not in shown(store)


def test_without_the_where_the_policies_hold(store: PostgresStore) -> None:
    without_where(store.database)

    assert "own" in shown(store)
    assert CANARY not in shown(store)


def test_without_the_policies_the_where_holds(
    store: PostgresStore, postgres: PostgresServer
) -> None:
    without_policies(postgres, store.database.url.rsplit("/", 1)[1])

    assert "own" in shown(store)
    assert CANARY not in shown(store)


def test_without_both_this_test_would_see_it(
    store: PostgresStore, postgres: PostgresServer
) -> None:
    without_where(store.database)
    without_policies(postgres, store.database.url.rsplit("/", 1)[1])

    assert CANARY in shown(store)
