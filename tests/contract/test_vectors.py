"""What every store of vectors must do."""

from __future__ import annotations

import pytest

from hardwon import Scope
from hardwon.core.values.lesson import Evidence, Lesson, Status, Wording
from hardwon.storage.ports import Store
from tests.contract.test_lessons import STRANGERS
from tests.samples import CODER, lesson

NORTH, EAST = [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]
BETWEEN = [0.8, 0.6, 0.0]


def wording(kept: Lesson) -> Wording:
    return Wording(kept.id, kept.situation, kept.mistake, kept.correction)


def save(store: Store, text: str, vector: list[float], scope: Scope = CODER) -> int:
    kept = store.lessons.add(lesson(text, scope))
    store.vectors.save("e", [(wording(kept), vector)])
    return kept.id


def nearest(store: Store, vector: list[float], scope: Scope = CODER, by: str = "e") -> list[int]:
    return [found[0] for found in store.vectors.nearest(scope, by, vector, limit=9)]


def lacking(store: Store, by: str = "e") -> list[int]:
    return [one.lesson for one in store.vectors.lacking(by, limit=9)]


def test_the_nearest_come_first_with_their_cosines(store: Store) -> None:
    far, near = save(store, "far", EAST), save(store, "near", BETWEEN)

    found = store.vectors.nearest(CODER, "e", NORTH, limit=9)

    assert [one[0] for one in found] == [near, far]
    assert found[0][1] == pytest.approx(0.8, abs=0.01)
    assert found[1][1] == pytest.approx(0.0, abs=0.01)
    assert store.vectors.nearest(CODER, "e", NORTH, limit=1)[0][0] == near


def test_what_all_lessons_share_does_not_count(store: Store) -> None:
    for number in range(60):
        save(store, f"common {number}", [1.0, 0.0, 0.1])
    odd = save(store, "odd", [1.0, 0.4, 0.0])

    found = store.vectors.nearest(CODER, "e", [1.0, 0.3, 0.0], limit=3)

    (best, cosine, meaning), (_, next_cosine, next_meaning) = found[:2]
    assert best == odd
    assert meaning - next_meaning > 2 * (cosine - next_cosine)


@pytest.mark.parametrize("stranger", STRANGERS, ids=str)
def test_no_other_scope_finds_it(store: Store, stranger: Scope) -> None:
    save(store, "canary", NORTH)

    assert nearest(store, NORTH, stranger) == []


def test_what_holds_everywhere_is_found_from_every_project(store: Store) -> None:
    own, everywhere = save(store, "own", EAST), save(store, "all", NORTH, CODER.everywhere())

    assert nearest(store, NORTH) == [everywhere, own]


def test_a_lesson_lacks_a_vector_until_it_is_saved(store: Store) -> None:
    first, second = store.lessons.add(lesson("one")), store.lessons.add(lesson("two"))
    assert lacking(store) == [first.id, second.id]
    assert [one.lesson for one in store.vectors.lacking("e", after=first.id, limit=9)] == [
        second.id
    ]

    store.vectors.save("e", [(wording(first), NORTH)])

    assert lacking(store) == [second.id]
    assert store.vectors.counts("e") == (1, 2)


def test_a_lesson_that_says_something_else_loses_its_vector(store: Store) -> None:
    kept = store.lessons.add(lesson("one"))
    store.vectors.save("e", [(wording(kept), NORTH)])
    assert lacking(store) == []

    store.lessons.update(kept._replace(correction="another"))

    assert nearest(store, NORTH) == []
    assert lacking(store) == [kept.id]


def test_a_lesson_that_was_met_again_keeps_its_vector(store: Store) -> None:
    kept = store.lessons.add(lesson("one"))
    store.vectors.save("e", [(wording(kept), NORTH)])

    store.lessons.update(kept._replace(met=7, evidence=(Evidence("note", "again"),)))

    assert nearest(store, NORTH) == [kept.id]


def test_a_vector_of_older_words_is_not_kept(store: Store) -> None:
    kept = store.lessons.add(lesson("one"))
    before = wording(kept)
    store.lessons.update(kept._replace(mistake="new words"))

    store.vectors.save("e", [(before, NORTH)])

    assert nearest(store, NORTH) == []
    assert lacking(store) == [kept.id]


def test_vectors_of_two_embedders_are_never_mixed(store: Store) -> None:
    first, second = save(store, "one", NORTH), save(store, "two", NORTH)
    words = store.vectors.lacking("other", limit=9)
    assert [one.lesson for one in words] == [first, second]

    store.vectors.save("other", [(words[0], EAST)])

    assert nearest(store, NORTH) == [second]
    assert nearest(store, NORTH, by="other") == [first]


def test_a_vector_of_another_length_is_not_compared(store: Store) -> None:
    save(store, "one", NORTH)

    assert nearest(store, [1.0, 0.0]) == []


@pytest.mark.parametrize("status", [Status.QUARANTINED, Status.RETIRED, Status.SUPERSEDED])
def test_only_active_lessons_are_found(store: Store, status: str) -> None:
    kept = store.lessons.add(lesson("one"))
    store.vectors.save("e", [(wording(kept), NORTH)])

    store.lessons.update(kept._replace(status=status))

    assert nearest(store, NORTH) == []
    assert lacking(store) == []
    assert store.vectors.counts("e") == (0, 0)


def test_what_is_deleted_or_forgotten_is_not_found(store: Store) -> None:
    gone, kept = save(store, "gone", NORTH), save(store, "kept", EAST)
    assert nearest(store, NORTH) == [gone, kept]

    store.lessons.delete(CODER, gone)
    assert nearest(store, NORTH) == [kept]

    store.forget(CODER.tenant)
    assert nearest(store, NORTH) == []


def test_what_is_stored_after_a_search_is_found_by_the_next(store: Store) -> None:
    first = save(store, "one", NORTH)
    assert nearest(store, NORTH) == [first]

    later = [save(store, f"later {number}", BETWEEN) for number in range(300)]

    assert nearest(store, NORTH)[0] == first
    assert set(nearest(store, BETWEEN)) <= set(later)


def test_many_that_are_gone_do_not_hide_the_rest(store: Store) -> None:
    gone = [save(store, f"gone {number}", NORTH) for number in range(300)]
    kept = [save(store, f"kept {number}", [-1.0, 0.0, 0.0]) for number in range(3)]
    assert len(nearest(store, NORTH)) == 9
    for number in gone:
        store.lessons.delete(CODER, number)

    assert sorted(nearest(store, NORTH)) == kept
