"""Guards on a server are read once, and again when a lesson has changed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from hardwon.core.time_limits import WaitBudget
from hardwon.core.values.lesson import Status
from hardwon.core.values.scope import Scope
from hardwon.storage.stores.postgres import PostgresStore
from tests.postgres_server import Place
from tests.samples import CODER, lesson


@pytest.fixture
def store(database: Place, tmp_path: Path) -> Iterator[PostgresStore]:
    with closing(PostgresStore(database.url, str(tmp_path))) as opened:
        yield opened


def test_a_later_turn_sees_what_another_machine_has_changed(
    store: PostgresStore, database: Place, tmp_path: Path
) -> None:
    guard = store.lessons.add(lesson(guard=True))
    with WaitBudget(60):
        assert store.lessons.guards(CODER) == [guard]
    with closing(PostgresStore(database.url, str(tmp_path / "other"))) as other:
        other.lessons.update(guard._replace(guard=False))

    with WaitBudget(60):
        store.lessons.recent(CODER, status=Status.ACTIVE, limit=1)  # which reads the versions
        assert store.lessons.guards(CODER) == []


def test_a_turn_that_has_read_the_versions_asks_no_more_for_guards(
    store: PostgresStore, database: Place, tmp_path: Path
) -> None:
    guard = store.lessons.add(lesson(guard=True))
    store.lessons.guards(CODER)

    with WaitBudget(60):
        store.lessons.recent(CODER, status=Status.ACTIVE, limit=1)
        with closing(PostgresStore(database.url, str(tmp_path / "other"))) as other:
            other.lessons.update(guard._replace(guard=False))

        assert store.lessons.guards(CODER) == [guard]
    assert store.lessons.guards(CODER) == []


def test_what_a_transaction_takes_back_is_not_remembered(store: PostgresStore) -> None:
    store.lessons.add(lesson("no guard"))
    with WaitBudget(60):
        assert store.lessons.guards(CODER) == []
        with suppress(KeyError), store.together():
            added = store.lessons.add(lesson(guard=True))
            assert store.lessons.guards(CODER) == [added]
            raise KeyError

        assert store.lessons.guards(CODER) == []


def test_guards_are_remembered_for_the_latest_scopes_only(
    store: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hardwon.storage.stores.postgres._MOST", 3)

    for number in range(5):
        store.lessons.guards(Scope("acme", f"agent {number}"))

    assert [scope.agent for scope in store.lessons._guards] == ["agent 2", "agent 3", "agent 4"]
