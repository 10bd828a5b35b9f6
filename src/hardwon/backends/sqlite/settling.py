"""From `fresh` into the dictionary: many lessons at once, each table in its own order."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hardwon.backends.sqlite.database import Database

    Entries = set[tuple[int, int]]  # the term's number and the impact

_TEXT = "situation, mistake, correction, tags"


def settle(db: Database) -> None:
    """Move everything that waits. Call inside `with database:`."""
    last: dict[int, dict[int, dict[str, int]]] = {}
    for shelf, lesson, entries in db.rows("SELECT shelf, lesson, entries FROM fresh ORDER BY id"):
        last.setdefault(shelf, {})[lesson] = json.loads(entries)
    for shelf, lessons in last.items():
        _settle_shelf(db, shelf, lessons)
    db.run("DELETE FROM fresh")
    _settle_texts(db)


def _settle_shelf(db: Database, shelf: int, lessons: dict[int, dict[str, int]]) -> None:
    numbers = _numbers(db, shelf, sorted({key for keys in lessons.values() for key in keys}))
    before = _indexed(db, list(lessons))
    now = {
        lesson: {(numbers[key], impact) for key, impact in keys.items()}
        for lesson, keys in lessons.items()
        if keys
    }
    _write_postings(db, before, now)
    db.run_many("DELETE FROM indexed WHERE lesson = ?", [(lesson,) for lesson in before])
    db.run_many(
        "INSERT INTO indexed VALUES (?, ?)",
        [(lesson, json.dumps(sorted(entries))) for lesson, entries in now.items()],
    )
    db.run("UPDATE shelves SET active = active + ? WHERE id = ?", (len(now) - len(before), shelf))


def _write_postings(db: Database, before: dict[int, Entries], now: dict[int, Entries]) -> None:
    """Write the difference; pages are touched in their order, each once."""
    holders: Counter[int] = Counter()
    gone, come = [], []
    for lesson in before.keys() | now.keys():
        old, new = before.get(lesson, set()), now.get(lesson, set())
        holders.update(term for term, _ in new)
        holders.subtract(term for term, _ in old)
        gone += [(*entry, lesson) for entry in old - new]
        come += [(*entry, lesson) for entry in new - old]
    db.run_many(
        "UPDATE terms SET holders = holders + ? WHERE id = ?",
        [(change, term) for term, change in sorted(holders.items()) if change],
    )
    db.run_many("DELETE FROM postings WHERE term = ? AND impact = ? AND lesson = ?", sorted(gone))
    come.sort(key=lambda entry: (entry[0], -entry[1], entry[2]))
    db.run_many("INSERT INTO postings (term, impact, lesson) VALUES (?, ?, ?)", come)


def _numbers(db: Database, shelf: int, keys: list[str]) -> dict[str, int]:
    """The numbers of the keys in the dictionary, where new ones are entered."""
    found = _known(db, shelf, keys)
    db.run_many(
        "INSERT INTO terms (shelf, term, holders) VALUES (?, ?, 0)",
        [(shelf, key) for key in keys if key not in found],
    )
    return found | _known(db, shelf, [key for key in keys if key not in found])


def _known(db: Database, shelf: int, keys: list[str]) -> dict[str, int]:
    rows = db.rows(
        "SELECT t.term, t.id FROM json_each(?) AS asked CROSS JOIN terms AS t"
        " ON t.shelf = ? AND t.term = asked.value",
        (json.dumps(keys), shelf),
    )
    return dict(rows)


def _indexed(db: Database, lessons: list[int]) -> dict[int, Entries]:
    """What the dictionary holds of these lessons so far."""
    rows = db.rows(
        "SELECT lesson, entries FROM indexed WHERE lesson IN (SELECT value FROM json_each(?))",
        (json.dumps(lessons),),
    )
    return {lesson: {(term, impact) for term, impact in json.loads(text)} for lesson, text in rows}


def _settle_texts(db: Database) -> None:
    reach = "(SELECT last FROM lesson_text_reach)"
    db.run(
        f"INSERT INTO lesson_text (rowid, {_TEXT}) SELECT id, {_TEXT} FROM lessons"
        f" WHERE id > {reach} ORDER BY id"
    )
    db.run(
        "UPDATE lesson_text_reach SET last = max(last, coalesce((SELECT max(id) FROM lessons), 0))"
    )
