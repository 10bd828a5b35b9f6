"""From `fresh` into the dictionary: many lessons at once, each table in its own order."""

from __future__ import annotations

import json
from array import array
from collections import Counter
from typing import TYPE_CHECKING

from hardwon.backends.sqlite import blocks
from hardwon.backends.sqlite.blocks import BLOCK, packed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hardwon.backends.sqlite.database import Database
    from hardwon.backends.sqlite.fresh import Waiting
    from hardwon.backends.sqlite.heap import Heap

    Lessons = dict[int, dict[str, int]]  # the keys of each, with impacts
    Entries = set[tuple[int, int]]  # the term's number and the impact

_TEXT = "situation, mistake, correction, tags"
_AT = "term = ? AND rank = ? AND first"


def settle(db: Database, heap: Heap, waiting: Sequence[Waiting]) -> None:
    """Put new lessons on the heap, write changes of others. Call inside `with database:`."""
    new = {lesson for _, lesson, is_new, _ in waiting if is_new}
    last: dict[int, tuple[Lessons, Lessons]] = {}
    for shelf, lesson, _, entries in waiting:
        last.setdefault(shelf, ({}, {}))[lesson not in new][lesson] = entries
    for shelf, (added, changed) in last.items():
        if changed:
            heap.flush()
            _change(db, heap, shelf, changed)
        _enter(db, heap, shelf, added)


def settle_texts(db: Database) -> None:
    """Let every text be found by its letters. Call inside `with database:`."""
    reach = "(SELECT last FROM lesson_text_reach)"
    db.run(
        f"INSERT INTO lesson_text (rowid, {_TEXT}) SELECT id, {_TEXT} FROM lessons"
        f" WHERE id > {reach} ORDER BY id"
    )
    db.run(
        "UPDATE lesson_text_reach SET last = max(last, coalesce((SELECT max(id) FROM lessons), 0))"
    )


def _enter(db: Database, heap: Heap, shelf: int, lessons: Lessons) -> None:
    numbers = heap.numbers(shelf, {key for entries in lessons.values() for key in entries})
    rows = []
    for lesson, entries in sorted(lessons.items()):
        if entries:
            terms = array("I", [numbers[key] for key in entries])
            impacts = bytes(entries.values())
            heap.add(lesson, terms, impacts)
            rows.append((lesson, packed(terms, impacts)))
    db.run_many("INSERT INTO indexed VALUES (?, ?)", rows)
    _count(db, shelf, len(rows))


def _change(db: Database, heap: Heap, shelf: int, lessons: Lessons) -> None:
    numbers = heap.numbers(shelf, {key for entries in lessons.values() for key in entries})
    heap.flush()
    before = _indexed(db, list(lessons))
    now = {
        lesson: {(numbers[key], impact) for key, impact in entries.items()}
        for lesson, entries in lessons.items()
        if entries
    }
    _write_difference(db, before, now)
    db.run_many("DELETE FROM indexed WHERE lesson = ?", [(lesson,) for lesson in before])
    rows = [
        (lesson, packed(array("I", terms), bytes(impacts)))
        for lesson, entries in now.items()
        for terms, impacts in [zip(*entries, strict=True)]
    ]
    db.run_many("INSERT INTO indexed VALUES (?, ?)", rows)
    _count(db, shelf, len(now) - len(before))


def _count(db: Database, shelf: int, more: int) -> None:
    db.run("UPDATE shelves SET active = active + ? WHERE id = ?", (more, shelf))


def _write_difference(db: Database, before: dict[int, Entries], now: dict[int, Entries]) -> None:
    holders: Counter[int] = Counter()
    for lesson in sorted(before.keys() | now.keys()):
        old, new = before.get(lesson, set()), now.get(lesson, set())
        holders.update(term for term, _ in new)
        holders.subtract(term for term, _ in old)
        for term, impact in sorted(old - new):
            _take(db, term, lesson, impact)
        for term, impact in sorted(new - old):
            _put(db, term, lesson, impact)
    db.run_many(
        "UPDATE terms SET holders = holders + ? WHERE id = ?",
        [(change, term) for term, change in sorted(holders.items()) if change],
    )


def _take(db: Database, term: int, lesson: int, impact: int) -> None:
    """Remove a lesson from its block."""
    place = term, blocks.rank(impact)
    first, held = _around(db, place, lesson)
    _replace(db, place, first, [one for one in held if one[0] != lesson])


def _put(db: Database, term: int, lesson: int, impact: int) -> None:
    """Enter a lesson where its number belongs."""
    place = term, blocks.rank(impact)
    first, held = _around(db, place, lesson)
    _replace(db, place, first, sorted([*held, (lesson, impact)]))


def _around(db: Database, place: tuple[int, int], lesson: int) -> tuple[int, list[tuple[int, int]]]:
    """The block that holds such a number, or would: where it begins, and its entries."""
    row = db.row(
        f"SELECT first, lessons FROM postings WHERE {_AT} <= ? ORDER BY first DESC LIMIT 1",
        (*place, lesson),
    ) or db.row(
        f"SELECT first, lessons FROM postings WHERE {_AT} > ? ORDER BY first LIMIT 1",
        (*place, lesson),
    )
    return (row[0], list(blocks.pairs(row[1]))) if row else (lesson, [])


def _replace(
    db: Database, place: tuple[int, int], first: int, entries: list[tuple[int, int]]
) -> None:
    """Write these entries instead of a block; two blocks when they are too many for one."""
    db.run(f"DELETE FROM postings WHERE {_AT} = ?", (*place, first))
    half = len(entries) if len(entries) <= BLOCK else len(entries) // 2
    for part in (entries[:half], entries[half:]):
        if part:
            numbers, impacts = zip(*part, strict=True)
            db.run(
                "INSERT INTO postings (term, rank, first, lessons) VALUES (?, ?, ?, ?)",
                (*place, numbers[0], packed(array("I", numbers), bytes(impacts))),
            )


def _indexed(db: Database, lessons: list[int]) -> dict[int, Entries]:
    """What the dictionary holds of these lessons so far."""
    rows = db.rows(
        "SELECT lesson, terms FROM indexed WHERE lesson IN (SELECT value FROM json_each(?))",
        (json.dumps(lessons),),
    )
    return {lesson: set(blocks.pairs(terms)) for lesson, terms in rows}
