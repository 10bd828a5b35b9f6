"""What every store must do with records that wait in a file until they are folded in."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from hardwon.core.values.delivery import Unit
from hardwon.storage.sql import journal
from hardwon.storage.stores.postgres import PostgresStore
from hardwon.storage.stores.sqlite import SqliteStore
from tests.contract.conftest import STORES
from tests.samples import CODER, NOW

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
