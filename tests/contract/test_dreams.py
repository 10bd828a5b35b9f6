"""What every store must do with dreams."""

from __future__ import annotations

from datetime import timedelta

import pytest

from hardwon import Scope
from hardwon.core.errors import NotFound
from hardwon.core.values.dream import Dream, DreamChange, DreamState
from hardwon.storage.ports import Store
from tests.samples import CODER, LATER, NOW, lesson

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
