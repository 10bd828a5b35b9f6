"""The dictionary: the number of each key of a shelf, and how many lessons hold it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from hardwon.knowledge.ranking import postings
from hardwon.storage.sql import scopes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hardwon.storage.stores.sqlite.database import Database


def enter(db: Database, shelf: int, added: Mapping[str, int]) -> dict[str, int]:
    """The numbers of these keys, which so many more lessons hold; new keys are numbered.

    New keys are written in their order, which is also that of their numbers.
    """
    keys = sorted(added)
    known: dict[str, int] = {}
    for part in postings.parts(keys):
        known |= _numbers(db, shelf, part)
    count_holders(db, {number: added[key] for key, number in known.items()})
    missing = (key for key in keys if key not in known)
    new = {key: number for number, key in enumerate(missing, newest(db) + 1)}
    db.run_many(
        "INSERT INTO terms (id, shelf, term, holders) VALUES (?, ?, ?, ?)",
        ((number, shelf, key, added[key]) for key, number in new.items()),
    )
    return known | new


def newest(db: Database) -> int:
    """The highest number that a key ever had."""
    row = db.row("SELECT seq FROM sqlite_sequence WHERE name = 'terms'")
    return int(row[0]) if row else 0


def count_holders(db: Database, changes: Mapping[int, int]) -> None:
    """Change how many lessons hold the keys with these numbers."""
    db.run_many(
        "UPDATE terms SET holders = holders + ? WHERE id = ?",
        [(change, number) for number, change in sorted(changes.items()) if change],
    )


def count_lessons(db: Database, shelf: int, added: int) -> None:
    """Change how many lessons of a shelf are in the dictionary."""
    db.run("UPDATE shelves SET active = active + ? WHERE id = ?", (added, shelf))
    scopes.forget_known(db)


def _numbers(db: Database, shelf: int, keys: list[str]) -> dict[str, int]:
    """The numbers of those keys that are in the dictionary."""
    rows = db.rows(
        "SELECT t.term, t.id FROM json_each(?) AS asked CROSS JOIN terms AS t"
        " ON t.shelf = ? AND t.term = asked.value",
        (json.dumps(keys), shelf),
    )
    return dict(rows)
