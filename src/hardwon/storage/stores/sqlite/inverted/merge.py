"""Merge `fresh` into the dictionary: many lessons at once, each table in its own order."""

from __future__ import annotations

import json
from array import array
from typing import TYPE_CHECKING

from hardwon.knowledge.ranking import block_edits, postings
from hardwon.knowledge.ranking.postings import packed
from hardwon.storage.stores.sqlite.inverted import dictionary, patch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hardwon.knowledge.ranking.block_edits import Entries
    from hardwon.storage.stores.sqlite.database import Database
    from hardwon.storage.stores.sqlite.inverted.buffer import PostingBuffer
    from hardwon.storage.stores.sqlite.inverted.memtable import Waiting

    Lessons = dict[int, dict[str, int]]  # the keys of each, with impacts

_TEXT = "situation, mistake, correction, tags"


def settle(db: Database, pending: PostingBuffer, waiting: Sequence[Waiting]) -> None:
    """Move new lessons to the buffer, and write changes of others to the tables."""
    new = {lesson for _, lesson, is_new, _ in waiting if is_new}
    last: dict[int, tuple[Lessons, Lessons]] = {}
    for shelf, lesson, _, entries in waiting:
        last.setdefault(shelf, ({}, {}))[lesson not in new][lesson] = entries
    for shelf, (added, changed) in last.items():
        if changed:
            pending.flush()
            _change(db, shelf, changed)
        for lesson, entries in sorted(added.items()):
            pending.add(shelf, lesson, entries)


def settle_texts(db: Database) -> None:
    """Add the texts of new lessons to the text index. Call inside `with database:`."""
    reach = "(SELECT last FROM lesson_text_reach)"
    db.run(
        f"INSERT INTO lesson_text (rowid, {_TEXT}) SELECT id, {_TEXT} FROM lessons"
        f" WHERE id > {reach} ORDER BY id"
    )
    db.run(
        "UPDATE lesson_text_reach SET last = max(last, coalesce((SELECT max(id) FROM lessons), 0))"
    )


def enter_text(db: Database, lesson: int) -> None:
    """Add the text of a lesson that is older than the newest in the text index."""
    db.run(
        f"INSERT INTO lesson_text (rowid, {_TEXT}) SELECT id, {_TEXT} FROM lessons"
        " WHERE id = ? AND id <= (SELECT last FROM lesson_text_reach)",
        (lesson,),
    )


def _change(db: Database, shelf: int, lessons: Lessons) -> None:
    numbers = dictionary.enter(db, shelf, dict.fromkeys(set().union(*lessons.values()), 0))
    before = _indexed(db, list(lessons))
    after = {
        lesson: {(numbers[key], impact) for key, impact in entries.items()}
        for lesson, entries in lessons.items()
        if entries
    }
    _write_difference(db, before, after)
    db.run_many("DELETE FROM indexed WHERE lesson = ?", [(lesson,) for lesson in before])
    rows = [
        (lesson, packed(array("I", terms), bytes(impacts)))
        for lesson, entries in after.items()
        for terms, impacts in [zip(*entries, strict=True)]
    ]
    db.run_many("INSERT INTO indexed VALUES (?, ?)", rows)
    dictionary.count_lessons(db, shelf, len(after) - len(before))


def _write_difference(db: Database, before: dict[int, Entries], after: dict[int, Entries]) -> None:
    edits, holders = block_edits.edits(before, after)
    patch.apply(db, edits)
    dictionary.count_holders(db, holders)


def _indexed(db: Database, lessons: list[int]) -> dict[int, Entries]:
    """The present entries of these lessons in the dictionary."""
    rows = db.rows(
        "SELECT lesson, terms FROM indexed WHERE lesson IN (SELECT value FROM json_each(?))",
        (json.dumps(lessons),),
    )
    return {lesson: set(postings.pairs(terms)) for lesson, terms in rows}
