"""The index: what was kept is found at once, and moved into the dictionary with others."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hardwon.core.values.lesson import Status
from hardwon.knowledge.ranking import postings
from hardwon.knowledge.ranking.query import query
from hardwon.storage.ports import Store
from hardwon.storage.stores.sqlite import SqliteStore
from tests.contract.test_index import matched
from tests.samples import CODER, NOW, lesson
from tests.stores.plain import PlainStore

WORDS = ("alpha", "bravo", "charlie", "delta", "echo", "foxtrot")
KILLED = """
import os, sys
from hardwon.storage.stores.sqlite import SqliteStore
from tests.samples import lesson
store = SqliteStore(sys.argv[1], fresh=3)
for number in range(int(sys.argv[2])):
    store.lessons.add(lesson(f"zebra {number}"))
with store._db:
    for number in range(9):
        store.lessons.add(lesson(f"yak {number}"))
    os.kill(os.getpid(), 9)
"""


def ids(store: Store, text: str) -> list[int]:
    found = store.lessons.match(CODER, query("turn", text), now=NOW, limit=50)
    return sorted(match.lesson.id for match in found)


def waiting(store: SqliteStore) -> int:
    return int(store._db.rows("SELECT count(*) FROM fresh")[0][0])


def miscounted(store: SqliteStore) -> list[object]:
    """Terms and shelves whose counts are not those of their postings and lessons."""
    terms = store._db.rows(
        "SELECT term, holders FROM terms AS t"
        " WHERE holders <> (SELECT coalesce(sum(length(lessons) / 5), 0) FROM postings"
        " WHERE term = t.id)"
    )
    shelves = store._db.rows(
        "SELECT s.id, active FROM shelves AS s WHERE active <> (SELECT count(*) FROM indexed"
        " JOIN lessons AS l ON l.id = lesson WHERE l.shelf = s.id)"
    )
    return [*terms, *shelves]


@pytest.fixture
def store(tmp_path: Path) -> SqliteStore:
    return SqliteStore(str(tmp_path), fresh=3)


def test_a_lesson_is_found_at_once_and_after_it_was_moved(store: SqliteStore) -> None:
    first = store.lessons.add(lesson("the zebra"))
    assert (ids(store, "zebra"), waiting(store)) == ([first.id], 1)

    for number in range(3):
        store.lessons.add(lesson(f"other {number}"))

    assert (ids(store, "zebra"), waiting(store)) == ([first.id], 0)
    assert miscounted(store) == []


def test_another_process_s_lesson_is_found_while_it_waits(tmp_path: Path) -> None:
    reader, writer = SqliteStore(str(tmp_path)), SqliteStore(str(tmp_path))
    assert ids(reader, "zebra") == []

    kept = writer.lessons.add(lesson("the zebra"))
    assert ids(reader, "zebra") == [kept.id]

    writer.lessons.update(kept._replace(correction="the yak", situation="yak"))
    assert (ids(reader, "zebra"), ids(reader, "yak")) == ([], [kept.id])


def test_what_another_process_has_moved_is_read_anew(tmp_path: Path) -> None:
    home = str(tmp_path)
    reader, writer, mover = SqliteStore(home), SqliteStore(home), SqliteStore(home, fresh=0)
    kept = writer.lessons.add(lesson("the zebra"))
    assert ids(reader, "zebra") == [kept.id]

    mover.lessons.update(kept._replace(correction="the yak", situation="yak"))
    writer.lessons.add(lesson("other"))

    assert (ids(reader, "zebra"), ids(reader, "yak")) == ([], [kept.id])


def test_a_change_of_status_or_counts_writes_no_words(store: SqliteStore) -> None:
    kept = [store.lessons.add(lesson(f"zebra {number}")) for number in range(4)]

    store.lessons.update(kept[0]._replace(met=7, hits=3, confidence=0.9))
    assert waiting(store) == 0

    store.lessons.update(kept[0]._replace(status=Status.RETIRED))
    assert ids(store, "zebra") == [one.id for one in kept[1:]]


@pytest.mark.parametrize("before", [1, 5])
def test_a_killed_process_leaves_an_index_that_is_whole(tmp_path: Path, before: int) -> None:
    command = [sys.executable, "-c", KILLED, str(tmp_path), str(before)]
    assert subprocess.run(command, check=False).returncode == -9

    store = SqliteStore(str(tmp_path), fresh=3)

    assert (len(ids(store, "zebra")), ids(store, "yak")) == (before, [])
    assert miscounted(store) == []
    assert store.check() == []


def test_a_substring_is_found_before_and_after_the_texts_were_moved(store: SqliteStore) -> None:
    kept = store.lessons.add(lesson("use the Flügelhorn"))
    assert [one.id for one in store.lessons.search(CODER, "FLÜGEL", limit=9)] == [kept.id]

    for number in range(4):
        store.lessons.add(lesson(f"other {number}"))
    assert [one.id for one in store.lessons.search(CODER, "FLÜGEL", limit=9)] == [kept.id]

    store.lessons.delete(CODER, kept.id)
    assert store.lessons.search(CODER, "flügel", limit=9) == []
    store._db.rows("INSERT INTO lesson_text (lesson_text) VALUES ('integrity-check')")


def test_a_tenant_is_forgotten_with_what_waits(store: SqliteStore) -> None:
    for number in range(6):
        store.lessons.add(lesson(f"zebra {number}"))

    store.forget(CODER.tenant)

    assert ids(store, "zebra") == []
    assert store.check() == []
    store._db.rows("INSERT INTO lesson_text (lesson_text) VALUES ('integrity-check')")


def told(store: Store, text: str) -> list[tuple[int, float, int]]:
    found = store.lessons.match(CODER, query("turn", text), now=NOW, limit=50)
    return [(match.lesson.id, round(match.words, 6), match.shared) for match in found]


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(kept=st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=9), max_size=90))
def test_a_store_filled_at_once_tells_what_one_filled_singly_tells(
    kept: list[list[str]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    singly = SqliteStore(str(tmp_path_factory.mktemp("singly")), fresh=4)
    at_once = SqliteStore(str(tmp_path_factory.mktemp("at-once")))
    memory = PlainStore()

    for words in kept:
        singly.lessons.add(lesson(" ".join(words)))
        memory.lessons.add(lesson(" ".join(words)))
    with at_once.together():
        for words in kept:
            at_once.lessons.add(lesson(" ".join(words)))
        before = [told(at_once, word) for word in WORDS]

    after = [told(at_once, word) for word in WORDS]
    assert before == after == [told(singly, word) for word in WORDS]
    assert [len(one) for one in after] == [len(told(memory, word)) for word in WORDS]
    assert miscounted(at_once) == miscounted(singly) == []
    singly.close()
    at_once.close()


def test_many_lessons_that_share_a_word_can_be_changed_one_by_one(store: SqliteStore) -> None:
    with store.together():
        kept = [store.lessons.add(lesson(f"zebra {number}")) for number in range(500)]
        store.lessons.update(kept[70]._replace(situation="yak", correction="yak"))
        assert ids(store, "yak") == [kept[70].id]
    for one in kept[100:400:3]:
        store.lessons.update(one._replace(situation="yak", correction="yak"))
    for one in kept[100:400:6]:
        store.lessons.update(one)
    for one in kept[:60]:
        store.lessons.delete(CODER, one.id)

    changed = {70, *range(100, 400, 3)} - set(range(100, 400, 6))
    assert held(store, "yak") == [kept[at].id for at in sorted(changed)]
    rest = sorted(set(range(60, 500)) - changed)
    assert held(store, "zebra") == [kept[at].id for at in rest]
    assert miscounted(store) == []


@pytest.mark.parametrize("words", [["yak"] * 9, ["yak", *WORDS, *WORDS[:3]]])
def test_a_word_counts_as_the_lesson_says_it_now(tmp_path: Path, words: list[str]) -> None:
    for name in ("changed", "new"):
        (tmp_path / name).mkdir()
    changed, new = (SqliteStore(str(tmp_path / name), fresh=0) for name in ("changed", "new"))
    texts = [f"yak {' '.join(WORDS)} {number}" for number in range(4)]
    kept = [changed.lessons.add(lesson(text)) for text in texts]

    changed.lessons.update(kept[1]._replace(situation=" ".join(words), correction="x"))
    for text in (texts[0], "", *texts[2:]):
        one = lesson(text) if text else kept[1]._replace(situation=" ".join(words), correction="x")
        new.lessons.add(one)

    assert told(changed, "yak") == told(new, "yak")
    assert miscounted(changed) == []


def held(store: SqliteStore, word: str) -> list[int]:
    """Everything the dictionary knows to hold a word, in the order of its blocks."""
    with store._db:
        store.lessons.index.settle_all()
    rows = store._db.rows(
        "SELECT lessons FROM postings JOIN terms AS t ON t.id = postings.term"
        " WHERE t.term = ? ORDER BY rank, first",
        (word,),
    )
    found = [number for (block,) in rows for number, _ in postings.pairs(block)]
    assert all(postings.size(block) <= postings.BLOCK for (block,) in rows)
    return sorted(found)


def test_a_search_sees_what_the_open_transaction_has_added(store: SqliteStore) -> None:
    with store.together():
        for number in range(150):
            store.lessons.add(lesson(f"the zebra {number}"))
        assert len(store.lessons.search(CODER, "ZEBRA 14", limit=50)) == 11

    assert len(store.lessons.search(CODER, "zebra 14", limit=50)) == 11
    assert store.lessons.search(CODER, "zebra 414", limit=50) == []
    assert store.lessons.search(CODER, "arbez", limit=50) == []


texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)
acts = st.tuples(
    st.sampled_from(["add", "edit", "retire", "wake", "delete"]), st.integers(0), texts
)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(done=st.lists(acts, max_size=14))
def test_it_finds_what_a_store_without_an_index_finds(
    done: list[tuple[str, int, str]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    home = str(tmp_path_factory.mktemp("home"))
    plain, indexed = PlainStore(), SqliteStore(home, fresh=4)

    for store in (plain, indexed):
        _do(store, done)

    for word in WORDS:
        assert ids(indexed, word) == ids(plain, word)
    assert miscounted(indexed) == []
    indexed.close()


def _do(store: Store, done: list[tuple[str, int, str]]) -> None:
    kept: list[int] = []
    for act, which, text in done:
        if act == "add":
            kept.append(store.lessons.add(lesson(text)).id)
            continue
        if not kept:
            continue
        number = kept[which % len(kept)]
        if act == "delete":
            kept.remove(number)
            store.lessons.delete(CODER, number)
            continue
        changes: dict[str, Any] = {
            "edit": {"situation": text, "correction": text},
            "retire": {"status": Status.RETIRED},
            "wake": {"status": Status.PROVEN},
        }[act]
        store.lessons.update(store.lessons.get(CODER, number)._replace(**changes))


@pytest.mark.parametrize("fresh", [0, 4, 64, 1000])
def test_what_a_long_transaction_adds_counts_as_what_was_written_before(
    tmp_path: Path, fresh: int
) -> None:
    plain, indexed = PlainStore(), SqliteStore(str(tmp_path), fresh=fresh)
    for store in (plain, indexed):
        for number in range(9):
            store.lessons.add(lesson(f"alpha bravo word{number}"))

    def add_many(store: Store) -> None:
        for number in range(90):
            rare = "delta " if number % 30 == 0 else ""
            store.lessons.add(lesson(f"alpha {rare}charlie{number % 7} " + "echo " * (number % 3)))

    asked = ("alpha", "bravo", "delta alpha", "echo", "charlie3 bravo", "word4", "none")
    add_many(plain)
    with indexed.together():
        matched(indexed, "alpha")
        add_many(indexed)
        within = [matched(indexed, text) for text in asked]
    after = [matched(indexed, text) for text in asked]
    indexed.close()
    again = SqliteStore(str(tmp_path), fresh=fresh)
    reopened = [matched(again, text) for text in asked]
    again.close()

    assert within == after == reopened == [matched(plain, text) for text in asked]


def test_the_same_words_are_read_first_within_a_transaction(tmp_path: Path) -> None:
    store = SqliteStore(str(tmp_path), fresh=0)

    def read(word: str) -> list[int]:
        return sorted(number for number, *_ in matched(store, word, reach=65))

    with store.together():
        for word in ("zebra", "apple"):
            for number in range(65):  # as many as move on together
                store.lessons.add(lesson(f"{word} {number}"))
        within = read("zebra apple")

    assert within == read("zebra apple")
    assert min(within) > 65, "of two words that are as rare, the first by its letters"
    store.close()


def test_a_long_transaction_counts_two_shelves_together(tmp_path: Path) -> None:
    plain, indexed = PlainStore(), SqliteStore(str(tmp_path))

    def add_many(store: Store) -> None:
        for number in range(90):
            scope = CODER if number % 3 else CODER.everywhere()
            store.lessons.add(lesson(f"alpha n{number % 7} {'bravo' * (number % 2)}", scope))
            store.lessons.add(lesson("alpha elsewhere", CODER._replace(project="web")))

    asked = ("alpha", "bravo", "n3 alpha", "elsewhere")
    for store in (plain, indexed):
        store.lessons.add(lesson("alpha n3"))
        store.lessons.add(lesson("alpha n3", CODER.everywhere()))
    add_many(plain)
    with indexed.together():
        add_many(indexed)
        within = [matched(indexed, text) for text in asked]

    assert within == [matched(plain, text) for text in asked]
    assert [matched(indexed, text) for text in asked] == within
    assert miscounted(indexed) == []
    indexed.close()


def test_a_transaction_sees_what_others_added_since_the_last_one(tmp_path: Path) -> None:
    reader, writer = SqliteStore(str(tmp_path)), SqliteStore(str(tmp_path))
    with reader.together():
        assert ids(reader, "zebra") == []

    kept = writer.lessons.add(lesson("the zebra"))

    with reader.together():
        assert ids(reader, "zebra") == [kept.id]
        own = reader.lessons.add(lesson("another zebra"))
        assert ids(reader, "zebra") == [kept.id, own.id]
    assert ids(reader, "zebra") == [kept.id, own.id]
