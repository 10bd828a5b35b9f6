"""What every store must do with the earlier versions of lessons, and with dreams."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from hardwon import Scope
from hardwon.core.errors import NotFound
from hardwon.core.values.dream import Dream, DreamChange, DreamState
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


WRITER = Scope("acme", "writer", "api")
ELSEWHERE = Scope("umbrella", "coder", "api")
MERGED = DreamChange(
    "merged", 7, "api", "they say the same", "proven", "superseded", ("go", "größe")
)
ADDED = DreamChange("promoted", 9, None, "met in two projects")


@pytest.fixture
def dreams(store: Store) -> Store:
    """Three dreams of the coder, the ids of two beginning alike."""
    for number, name in enumerate(("ab12", "ab34", "c%_5")):
        store.dreams.save(Dream(name, CODER, NOW + timedelta(minutes=number)))
    return store


def found(store: Store, dream: str, scope: Scope = CODER) -> str:
    return store.dreams.get(scope, dream).id


@pytest.mark.parametrize(
    ("asked", "is_meant"),
    [("ab12", "ab12"), ("ab1", "ab12"), ("ab3", "ab34"), ("c", "c%_5"), ("c%", "c%_5")],
)
def test_a_dream_is_found_by_the_start_of_its_id(dreams: Store, asked: str, is_meant: str) -> None:
    assert found(dreams, asked) == is_meant


@pytest.mark.parametrize("asked", ["ab", "", "b12", "ab123", "AB1", "%", "_", "zz", "größe"])
def test_a_start_that_is_unknown_or_of_several_finds_none(dreams: Store, asked: str) -> None:
    with pytest.raises(NotFound, match="dream"):
        found(dreams, asked)


@pytest.mark.parametrize("scope", [WRITER, ELSEWHERE, Scope("nobody", "nobody", "")])
def test_nobody_else_finds_it(dreams: Store, scope: Scope) -> None:
    with pytest.raises(NotFound):
        found(dreams, "ab12", scope)
    assert dreams.dreams.recent(scope, limit=9) == []


def test_dreams_of_others_make_no_start_ambiguous(dreams: Store) -> None:
    dreams.dreams.save(Dream("ab19", WRITER, NOW))
    dreams.dreams.save(Dream("ab18", ELSEWHERE, NOW))

    assert found(dreams, "ab1") == "ab12"
    assert found(dreams, "ab1", WRITER) == "ab19"
    assert found(dreams, "ab1", ELSEWHERE) == "ab18"


def test_a_dream_is_the_agents_in_every_project(dreams: Store) -> None:
    there = CODER._replace(project="another")

    assert found(dreams, "ab12", there) == "ab12"
    assert dreams.dreams.get(there, "ab12").scope == CODER.everywhere()


def test_the_newest_dream_is_told_first(dreams: Store) -> None:
    assert [one.id for one in dreams.dreams.recent(CODER, limit=9)] == ["c%_5", "ab34", "ab12"]
    assert [one.id for one in dreams.dreams.recent(CODER, limit=1)] == ["c%_5"]


def test_all_of_a_dream_is_kept_and_the_last_save_holds(store: Store) -> None:
    begun = Dream("d1", CODER.everywhere(), NOW)
    ended = begun._replace(
        duration_seconds=1.5,
        memories_consolidated=3,
        reflection="größer",
        improvements=("one", "two"),
        report="# report",
        state=DreamState.DONE,
    )
    store.dreams.save(begun)
    assert store.dreams.get(CODER, "d1") == begun

    store.dreams.save(ended)

    assert store.dreams.get(CODER, "d1") == ended
    assert store.dreams.recent(CODER, limit=9) == [ended]


def test_what_a_dream_changed_is_told_in_its_order(dreams: Store) -> None:
    dreams.dreams.note("ab12", [MERGED, ADDED])
    dreams.dreams.note("ab12", [MERGED._replace(lesson=8)])

    assert dreams.dreams.changes("ab12") == [MERGED, ADDED, MERGED._replace(lesson=8)]
    assert dreams.dreams.changes("ab34") == []
    assert dreams.dreams.changes("never dreamt") == []


def test_a_dream_reads_the_active_lessons_of_all_projects_of_its_agent(store: Store) -> None:
    there = CODER._replace(project="another")
    kept = [
        store.lessons.add(lesson(f"zebra {n}", where)) for n, where in enumerate((CODER, there))
    ]
    store.lessons.add(lesson("of another", WRITER))
    store.lessons.add(lesson("retired", CODER, status="retired", updated_at=LATER))

    assert [one.id for one in store.dreams.lessons(CODER)] == [one.id for one in kept]
    assert set(store.dreams.scopes(CODER)) == {CODER, there}
