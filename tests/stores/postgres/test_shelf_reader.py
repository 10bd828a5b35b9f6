"""What a mirror reads of a server: which scopes have changed, and their lessons."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from hardwon.storage.stores.postgres import PostgresStore, ShelfReader
from tests.postgres_server import Place
from tests.samples import CODER, lesson


@pytest.fixture
def store(database: Place, tmp_path: Path) -> Iterator[PostgresStore]:
    with closing(PostgresStore(database.url, str(tmp_path), fresh=0)) as opened:
        yield opened


def test_every_change_of_a_lesson_raises_the_version_of_its_scope(store: PostgresStore) -> None:
    reader = ShelfReader(store.database)

    def version() -> int:
        return reader.states([CODER])[CODER]

    assert reader.states([CODER])[CODER] == 0
    versions = [version()]
    kept = store.lessons.add(lesson())
    versions.append(version())
    store.lessons.update(kept._replace(met=9))  # which no index holds
    versions.append(version())
    store.lessons.update(kept._replace(correction="other words"))
    versions.append(version())
    store.lessons.delete(CODER, kept.id)
    versions.append(version())

    assert versions == sorted(set(versions))


def test_states_are_those_of_the_scopes_that_are_asked_for(store: PostgresStore) -> None:
    reader, other = ShelfReader(store.database), CODER._replace(tenant="other", agent="writer")
    store.lessons.add(lesson())

    states = reader.states([CODER, other, other.everywhere()])

    assert states[CODER] > 0
    assert (states[other], states[other.everywhere()]) == (0, 0)


def test_the_share_of_the_proof_is_told_once_it_is_set(store: PostgresStore) -> None:
    reader = ShelfReader(store.database)
    assert reader.share("acme") is None

    store.units.set_share("acme", 0.25)

    assert (reader.share("acme"), store.units.share("acme")) == (0.25, 0.25)
    assert reader.salt() == store.units.salt() != ""


def test_lessons_are_read_as_they_are_and_marked_anew_with_every_change(
    store: PostgresStore,
) -> None:
    reader = ShelfReader(store.database)
    first, second = (store.lessons.add(lesson(text)) for text in ("one", "two"))
    store.lessons.add(lesson("elsewhere", CODER._replace(project="web")))

    before = reader.marks(CODER)
    store.lessons.update(second._replace(met=9))
    after = reader.marks(CODER)

    assert before.keys() == after.keys() == {first.id, second.id}
    assert [number for number in before if before[number] != after[number]] == [second.id]
    assert reader.lessons(CODER, [first.id, second.id, 999]) == [
        store.lessons.get(CODER, number) for number in (first.id, second.id)
    ]
