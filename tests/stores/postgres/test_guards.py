"""Guards on a server are read each time, with what others have changed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from hardwon.storage.stores.postgres import PostgresStore
from tests.postgres_server import Place
from tests.samples import CODER, lesson


@pytest.fixture
def store(database: Place, tmp_path: Path) -> Iterator[PostgresStore]:
    with closing(PostgresStore(database.url, str(tmp_path))) as opened:
        yield opened


def test_what_another_machine_has_changed_is_seen_at_once(
    store: PostgresStore, database: Place, tmp_path: Path
) -> None:
    guard = store.lessons.add(lesson(guard=True))
    assert store.lessons.guards(CODER) == [guard]
    with closing(PostgresStore(database.url, str(tmp_path / "other"))) as other:
        other.lessons.update(guard._replace(guard=False))

    assert store.lessons.guards(CODER) == []


def test_what_a_transaction_takes_back_is_not_remembered(store: PostgresStore) -> None:
    store.lessons.add(lesson("no guard"))
    assert store.lessons.guards(CODER) == []
    with suppress(KeyError), store.together():
        added = store.lessons.add(lesson(guard=True))
        assert store.lessons.guards(CODER) == [added]
        raise KeyError

    assert store.lessons.guards(CODER) == []
