"""What becomes of a new lesson beside those that are there: each rule for itself."""

from __future__ import annotations

from typing import Any

import pytest

from hardwon import Lesson
from hardwon.core.values.lesson import MINED, Evidence, Fix, Kind, Status, evidence_of
from hardwon.engine.pipeline.consolidate import agrees, consolidate, likeness
from hardwon.storage.stores.sqlite import MemoryStore
from tests.samples import CODER, LATER, NOW, lesson

KIND, EXACT = "kind-1", "exact-1"
MODEL: dict[str, Any] = {"author": "claude", "origin": "run:test", "confidence": 0.9}


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore()


def known(store: MemoryStore, text: str = "call bin/test", **more: Any) -> Lesson:
    values = {"kinds": (KIND,), "signatures": (EXACT,), "met": 1, "confidence": 0.9, **more}
    return store.lessons.add(lesson(text, **values))


def new(text: str = "call bin/test", **more: Any) -> Lesson:
    values = {"kinds": (KIND,), "signatures": (EXACT,), "met": 1, "job": "j2", **MODEL, **more}
    return lesson(text, evidence=(Evidence(Kind.JOB, "j2"),), **values)


def put(store: MemoryStore, given: Lesson) -> Lesson:
    return consolidate(given, lessons=store.lessons, now=LATER)


def every(store: MemoryStore) -> list[Lesson]:
    lessons = store.lessons.recent(CODER, status=Status.ALL, limit=100)
    return sorted(lessons, key=lambda one: one.id)


def test_one_more_run_is_one_more_meeting_of_the_lesson_that_says_the_same(
    store: MemoryStore,
) -> None:
    first = known(store, **MODEL)

    grown = put(store, new())

    assert (grown.id, grown.met) == (first.id, 2)
    assert len(every(store)) == 1


def test_the_same_evidence_counts_once(store: MemoryStore) -> None:
    known(store, **MODEL)
    grown = put(store, new())

    assert put(store, new("another wording", confidence=0.95)) == grown
    assert len(every(store)) == 1


def test_what_is_no_run_adds_evidence_and_no_meeting(store: MemoryStore) -> None:
    first = known(store, **MODEL)

    grown = put(store, new(job="", origin="session:s1"))

    assert (grown.id, grown.met) == (first.id, 1)
    assert evidence_of(grown, Kind.JOB) == ("j2",)


def test_a_lesson_that_holds_everywhere_takes_nothing_from_a_project(store: MemoryStore) -> None:
    first = known(store, scope=CODER.everywhere(), **MODEL)

    kept = put(store, new())

    assert kept.id != first.id
    assert store.lessons.get(CODER, first.id) == first


def test_a_near_duplicate_of_another_scope_is_left_alone(store: MemoryStore) -> None:
    words: dict[str, Any] = {
        "situation": "when the nightly report folder is made",
        "kinds": (),
        "signatures": (),
    }
    first = known(store, scope=CODER.everywhere(), **words)

    kept = put(store, new(**words))

    assert kept.id != first.id
    assert store.lessons.get(CODER, first.id).met == 1


def test_a_model_words_anew_what_was_only_mined(store: MemoryStore) -> None:
    first = known(store, "rules' words", origin=MINED, author="rules", calls=("= pytest",))

    kept = put(store, new("a model's words", calls=("= other",)))

    assert (kept.correction, kept.met, kept.calls) == ("a model's words", 2, ("= pytest",))
    assert evidence_of(kept, Kind.PARENT) == (str(first.id),)
    assert store.lessons.get(CODER, first.id).status == Status.SUPERSEDED


def test_no_model_rewords_what_a_person_wrote(store: MemoryStore) -> None:
    own = known(store, "a person's words", author="person")

    kept = put(store, new("a model's words"))

    assert store.lessons.get(CODER, own.id).status == own.status
    assert store.lessons.get(CODER, own.id).correction == "a person's words"
    assert kept.id != own.id


def test_a_doubtful_lesson_adds_to_what_is_known_instead_of_standing_beside_it(
    store: MemoryStore,
) -> None:
    own = known(store, "a person's words", author="person")

    kept = put(store, new("something vague", confidence=0.3))

    assert (kept.id, kept.met) == (own.id, 2)


def test_a_doubtful_lesson_agrees_with_everything() -> None:
    assert agrees(lesson("one thing"), lesson("another thing", confidence=0.4))
    assert not agrees(lesson("one thing"), lesson("another thing", confidence=0.5))
    assert agrees(lesson("One  thing"), lesson("one thing", confidence=0.9))


def test_another_cure_of_the_same_situation_is_marked(store: MemoryStore) -> None:
    words: dict[str, Any] = {
        "situation": "when the nightly report folder is made",
        "kinds": (),
        "signatures": (),
    }
    first = known(store, "use mkdir with -p", **words)

    kept = put(store, new("ask the operator for a folder", **words))

    assert kept.id != first.id
    assert evidence_of(kept, Kind.DIFFERS) == (str(first.id),)


def test_the_same_cure_of_the_same_situation_is_one_lesson(store: MemoryStore) -> None:
    words: dict[str, Any] = {
        "situation": "when the nightly report folder is made",
        "kinds": (),
        "signatures": (),
    }
    first = known(store, "use mkdir with -p for the folder", **words)

    grown = put(store, new("use mkdir with -p for the folder", **words))

    assert (grown.id, grown.met) == (first.id, 2)


def test_a_lesson_is_of_now_unless_it_keeps_its_dates(store: MemoryStore) -> None:
    dated = new("kept dates", kinds=(), signatures=(), job="j3")
    kept = consolidate(dated, lessons=store.lessons, now=LATER, keeps_dates=True)

    assert put(store, new()).created_at == LATER
    assert kept.created_at == NOW


def test_a_lesson_that_helped_with_another_failure_is_not_replaced_by_words_for_that(
    store: MemoryStore,
) -> None:
    own, helped = "kind-own", KIND
    first = known(store, "take item_ids from the order", kinds=(own, helped), **MODEL)
    mined = known(store, "take product_id from the order", origin=MINED, author="rules", met=3)

    words = put(store, new("take product_id from get_order_details", kinds=(helped,)))

    kept = {one.id: one for one in every(store)}
    assert (kept[first.id].status, kept[first.id].kinds) == (first.status, (own,))
    assert kept[mined.id].status == Status.SUPERSEDED
    assert (words.kinds, words.met) == ((helped,), 4)


FIX = Fix("call", "Use `bin/test`", "bin/test", call="bin/test")
OTHER_FIX = Fix("call", "Use `make check`", "make check", call="make check")


@pytest.mark.parametrize(
    ("twin", "is_joined"),
    [
        ({}, True),
        ({"fixes": (OTHER_FIX,)}, False),
        ({"origin": "run:another"}, False),
        ({"scope": CODER._replace(project=None)}, False),
        ({"correction": "never start the checks by hand on this machine"}, False),
        ({"correction": "call bin daily nightly"}, True),
        ({"correction": "call bin/test daily nightly weekly monthly yearly"}, False),
    ],
)
def test_kinds_with_the_same_fix_and_the_same_words_become_one_lesson(
    store: MemoryStore, twin: dict[str, Any], is_joined: bool
) -> None:
    worded = {**MODEL, "fixes": (FIX,), "kinds": ("kind-2",), "signatures": ("exact-2",), **twin}
    other = known(store, "call bin/test", **worded)
    mined = known(store, "rules' words", origin=MINED, author="rules", met=3, fixes=(FIX,))

    kept = put(store, new("call bin/test"))

    assert (kept.id == other.id) is is_joined
    assert store.lessons.get(CODER, kept.id) == kept
    assert store.lessons.get(CODER, mined.id).status == Status.SUPERSEDED
    assert KIND in kept.kinds
    assert ("kind-2" in kept.kinds) is is_joined


def test_the_words_of_a_model_about_another_run_stand_beside_the_first(store: MemoryStore) -> None:
    worded = known(store, "a model's first words", **MODEL)

    kept = put(store, new("call bin/test"))

    assert kept.id != worded.id
    assert store.lessons.get(CODER, worded.id) == worded


def test_texts_are_alike_by_the_share_of_words_that_they_have_in_common() -> None:
    assert likeness("alpha bravo charlie", "charlie bravo alpha") == 1.0
    assert likeness("alpha bravo charlie", "alpha bravo delta") == 0.5
    assert likeness("alpha", "alpha") == 1.0
    assert likeness("", "") == 0.0


TWENTY = [f"word{letter}" for letter in "abcdefghijklmnopqrst"]


@pytest.mark.parametrize(
    ("situation", "correction", "is_one"),
    [
        ("when the Disk  is full", "empty  the Bin", True),
        ("when the disk is full", "empty the bin first", False),
        ("when the disk is so full", "empty the bin", False),
    ],
)
def test_a_note_is_the_same_if_its_whole_text_is(
    store: MemoryStore, situation: str, correction: str, is_one: bool
) -> None:
    note: dict[str, Any] = {"kinds": (), "signatures": ()}
    first = known(store, "empty the bin", situation="when the disk is full", **note)

    kept = put(store, new(correction, situation=situation, **note))

    assert (kept.id == first.id) is is_one


@pytest.mark.parametrize(("shared", "is_marked"), [(17, True), (16, False)])
def test_a_situation_is_the_same_from_this_share_of_common_words_on(
    store: MemoryStore, shared: int, is_marked: bool
) -> None:
    note: dict[str, Any] = {"kinds": (), "signatures": ()}
    known(store, "use the first way", situation=" ".join(TWENTY), **note)

    kept = put(store, new("try something else", situation=" ".join(TWENTY[:shared]), **note))

    assert bool(evidence_of(kept, Kind.DIFFERS)) is is_marked


def test_a_lesson_out_of_use_is_compared_with_none(store: MemoryStore) -> None:
    first = known(store, **MODEL)

    kept = put(store, new(status=Status.QUARANTINED))

    assert kept.id != first.id


def test_a_new_lesson_was_met_at_least_once(store: MemoryStore) -> None:
    assert put(store, new(met=0)).met == 1
    assert put(store, new("other", met=5, kinds=("k5",), signatures=("e5",), job="j5")).met == 5


@pytest.mark.parametrize(
    "own", [{"author": "person"}, {"author": "rules"}, {"author": "claude", "origin": MINED}]
)
def test_what_is_not_a_models_own_text_keeps_the_kinds_it_helped_with(
    store: MemoryStore, own: dict[str, Any]
) -> None:
    first = known(store, "ask the operator", kinds=("kind-own", KIND), **own)

    put(store, new("take another way", kinds=(KIND,)))

    assert KIND in store.lessons.get(CODER, first.id).kinds


@pytest.mark.parametrize(
    ("more", "is_replaced"),
    [
        ({}, True),
        ({"confidence": 0.5}, True),
        ({"confidence": 0.49}, False),
        ({"author": "rules"}, False),
        ({"author": ""}, False),
    ],
    ids=["a model", "half sure", "unsure", "rules", "nobody"],
)
def test_only_words_that_somebody_vouches_for_replace_what_was_mined(
    store: MemoryStore, more: dict[str, Any], is_replaced: bool
) -> None:
    mined = known(store, "rules' words", origin=MINED, author="rules")

    kept = put(store, new("other words for it", **more))

    assert (store.lessons.get(CODER, mined.id).status == Status.SUPERSEDED) is is_replaced
    assert (kept.id == mined.id) is not is_replaced


def test_another_text_stands_beside_that_of_a_person_or_if_it_is_of_no_run(
    store: MemoryStore,
) -> None:
    of_rules = {"author": "rules", "confidence": 0.9}
    known(store, "a model's words", **MODEL)

    put(store, new("of a run", **of_rules))
    assert len(every(store)) == 1
    put(store, new("of a note", **of_rules)._replace(origin="manual", evidence=()))
    assert len(every(store)) == 2
