"""A copy of another store's lessons: found as they are found there, whatever came first."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from hardwon.core.values.lesson import PROVISIONAL
from hardwon.knowledge.ranking.query import query
from hardwon.knowledge.reading.guards import forbidden_call
from hardwon.storage.stores.sqlite import SqliteStore
from hardwon.storage.stores.sqlite.mirror import Mirror
from tests.samples import CODER, NOW, lesson

SERVER = "postgresql://there/db"
WORDS = [f"word{number}" for number in range(80)]


@pytest.fixture
def mirror(tmp_path: Path) -> Iterator[Mirror]:
    opened = Mirror(str(tmp_path), SERVER)
    yield opened
    opened.close()


@pytest.fixture
def hook(tmp_path: Path, mirror: Mirror) -> Iterator[SqliteStore]:
    """The copy as a hook sees it."""
    opened = SqliteStore(str(tmp_path), copy_of=SERVER)
    yield opened
    opened.close()


@pytest.mark.parametrize("seed", range(3))
def test_copied_lessons_are_found_as_in_the_original(
    seed: int, tmp_path: Path, mirror: Mirror, hook: SqliteStore
) -> None:
    chance = random.Random(seed)
    (tmp_path / "original").mkdir()
    original = SqliteStore(str(tmp_path / "original"))
    texts = [" ".join(chance.sample(WORDS, 4)) for _ in range(150)]
    made = [original.lessons.add(lesson(text)) for text in texts]
    chance.shuffle(made)
    for start in range(0, len(made), 40):
        mirror.keep(CODER, [(one, 1) for one in made[start : start + 40]], ())
    for one in made[:30]:
        said = one._replace(correction=" ".join(chance.sample(WORDS, 4)))
        original.lessons.update(said)
        mirror.keep(CODER, [(said, 2)], ())
    gone = [one.id for one in made[30:50]]
    for number in gone:
        original.lessons.delete(CODER, number)
    mirror.keep(CODER, (), gone)

    for _ in range(20):
        asked = query("turn", " ".join(chance.sample(WORDS, 3)))
        there = original.lessons.match(CODER, asked, now=NOW, limit=10)
        assert hook.lessons.match(CODER, asked, now=NOW, limit=10) == there
    original.close()


def test_what_is_learnt_here_has_a_number_that_no_server_gives(hook: SqliteStore) -> None:
    assert hook.lessons.add(lesson("learnt here")).id > PROVISIONAL


def test_the_servers_lesson_takes_the_place_of_the_same_learnt_here(
    mirror: Mirror, hook: SqliteStore
) -> None:
    hook.lessons.add(lesson("learnt here", job="mined:1"))

    mirror.keep(CODER, [(lesson("learnt there", job="mined:1", id=7), 1)], ())

    assert [one.id for one in hook.lessons.recent(CODER, status="active", limit=9)] == [7]
    assert mirror.provisional() == []


def test_what_is_changed_here_is_known_to_be(mirror: Mirror, hook: SqliteStore) -> None:
    mirror.keep(CODER, [(lesson("one", id=1), 11), (lesson("two", id=2), 12)], ())
    assert mirror.state(CODER)[1] == {1: 11, 2: 12}

    hook.lessons.update(hook.lessons.get(CODER, 1)._replace(met=5))

    assert mirror.state(CODER)[1] == {2: 12}


def test_a_lesson_that_moved_to_another_scope_moves_here(mirror: Mirror, hook: SqliteStore) -> None:
    everywhere = CODER.everywhere()
    mirror.keep(CODER, [(lesson("one", id=1), 11)], ())

    mirror.keep(everywhere, [(lesson("one", everywhere, id=1), 12)], ())

    assert [one.scope for one in hook.lessons.recent(CODER, status="active", limit=9)] == [
        everywhere
    ]


def test_what_was_learnt_here_is_dropped_when_the_server_knows_it(
    mirror: Mirror, hook: SqliteStore
) -> None:
    hook.lessons.add(lesson("first"))
    before = mirror.provisional()
    later = hook.lessons.add(lesson("second"))

    mirror.drop(before)

    assert mirror.provisional() == [(later.id, CODER)]


def test_a_copied_text_is_found_by_its_letters_and_removed(
    mirror: Mirror, hook: SqliteStore
) -> None:
    hook.lessons.add(lesson("learnt here"))
    mirror.keep(CODER, [(lesson("certificates of the proxy", id=1), 1)], ())
    assert [one.id for one in hook.lessons.search(CODER, "certificates", limit=9)] == [1]

    mirror.keep(CODER, (), [1])

    assert mirror.state(CODER)[1] == {}
    assert hook.lessons.search(CODER, "certificates", limit=9) == []
    assert hook.check() == []


def test_a_copied_guard_is_in_force_for_hooks(tmp_path: Path, mirror: Mirror) -> None:
    call = forbidden_call("bash", "git push --force")
    forbidden = lesson("never", guard=True, calls=(call,), id=3)

    mirror.keep(CODER, [(forbidden, 1)], ())

    assert (tmp_path / "guards").exists()
