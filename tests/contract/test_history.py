"""What every store must do with the earlier versions of lessons."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from hardwon import Scope
from hardwon.core.values.lesson import Change
from hardwon.storage.ports import Store
from hardwon.storage.postgres.database import Database as Server
from hardwon.storage.sql.reflections import SqlHistory
from hardwon.storage.stores.sqlite import MemoryDatabase
from hardwon.storage.stores.sqlite.database import Database
from tests.samples import CODER, LATER, NOW, lesson

STRANGERS = [Scope("other", "coder", "api"), Scope("acme", "writer", "api"), Scope("acme", "coder")]


def noted(store: Store, *texts: str, scope: Scope = CODER) -> list[Change]:
    """A lesson for each text, with a change of it; the changes as they went in."""
    changes = [Change(store.lessons.add(lesson(text, scope)), "edit", NOW) for text in texts]
    for change in changes:
        store.history.note(change)
    return changes


def seen(store: Store, scope: Scope = CODER, number: int | None = None) -> list[Change]:
    return [change._replace(id=0) for change in store.history.of(scope, number)]


def test_changes_come_back_whole_and_newest_first(store: Store) -> None:
    first, second = noted(store, "alpha", "beta")
    third = Change(first.before._replace(hits=7, guard=True), "guard", LATER)
    store.history.note(third)

    assert seen(store) == [third, second, first]
    assert seen(store, number=first.before.id) == [third, first]
    assert seen(store, number=999) == []


def test_what_holds_everywhere_has_a_history_in_every_project(store: Store) -> None:
    everywhere = noted(store, "alpha", scope=CODER.everywhere())

    assert seen(store) == everywhere


def test_a_forgotten_change_is_gone_and_no_other(store: Store) -> None:
    first, second = noted(store, "alpha", "beta")
    newest = store.history.of(CODER, None)[0]
    store.history.forget(CODER, newest)

    assert newest.before == second.before
    assert seen(store) == [first]


@pytest.mark.parametrize("stranger", STRANGERS, ids=str)
def test_no_other_scope_sees_or_forgets_a_change(store: Store, stranger: Scope) -> None:
    changes = noted(store, "alpha")
    (kept,) = store.history.of(CODER, None)

    assert seen(store, stranger) == []
    store.history.forget(stranger, kept)
    assert seen(store) == changes


@pytest.fixture(params=["memory", "postgres", "sqlite"])
def capped(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SqlHistory]:
    """A history that keeps two changes of a scope."""
    if request.param == "memory":
        yield SqlHistory(MemoryDatabase(":memory:"), 2)
    elif request.param == "sqlite":
        with closing(Database(str(tmp_path / "hardwon.db"))) as file:
            yield SqlHistory(file, 2)
    else:
        with closing(Server(request.getfixturevalue("database").url)) as server:
            yield SqlHistory(server, 2)


def test_the_oldest_changes_of_a_scope_are_dropped(capped: SqlHistory) -> None:
    scopes = [STRANGERS[1], CODER, CODER, CODER]
    for number, scope in enumerate(scopes):
        capped.note(Change(lesson("alpha", scope)._replace(id=number), "edit", NOW))

    assert [change.before.id for change in capped.of(CODER, None)] == [3, 2]
    assert [change.before.id for change in capped.of(STRANGERS[1], None)] == [0]
