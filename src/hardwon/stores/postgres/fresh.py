"""What was kept lately: findable at once, moved into the dictionary with many others.

A commit may become visible after one with a higher number, so nobody remembers the last number:
each writer raises the version of its shelf, and who finds another version reads what is new.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from hardwon.stores.postgres import scopes

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hardwon.postgres.database import Database, Tenancy
    from hardwon.stores.postgres.scopes import Shelf

    Postings = dict[str, list[tuple[int, int]]]

_READ = f"""
SELECT shelf, id, lesson, CASE WHEN id = ANY(%(known)s::bigint[]) THEN NULL ELSE entries END
FROM hardwon.fresh WHERE {scopes.HERE} ORDER BY id
"""
_OWN = "fresh"  # what a transaction has read of its own rows


class Waiting(NamedTuple):
    """The rows of one shelf: by number, and the last one of each lesson."""

    version: int
    rows: dict[int, tuple[int, dict[str, int]]]
    lessons: dict[int, dict[str, int]]


class Fresh:
    """The rows of `fresh`, read once by this process and kept up to date."""

    def __init__(self, database: Database) -> None:
        self._db = database
        self._shared: dict[int, Waiting] = {}

    def look(self, tenancy: Tenancy, shelves: Iterable[Shelf]) -> list[Waiting]:
        """What waits on these shelves."""
        transaction = self._db.open
        is_writing = transaction is not None and transaction.is_writing
        # A transaction sees rows of its own, which nobody else may; their shelf has no new version.
        known = (
            transaction.notes.setdefault(_OWN, dict(self._shared))
            if transaction is not None and is_writing
            else self._shared
        )
        stale = {
            shelf.id: shelf.version
            for shelf in shelves
            if is_writing or shelf.id not in known or known[shelf.id].version != shelf.version
        }
        if stale:
            known.update(self._read(tenancy, stale, known))
        return [known[shelf.id] for shelf in shelves]

    def _read(
        self, tenancy: Tenancy, stale: dict[int, int], known: dict[int, Waiting]
    ) -> dict[int, Waiting]:
        before = {shelf: known[shelf].rows for shelf in stale if shelf in known}
        numbers = [number for rows in before.values() for number in rows]
        read: dict[int, dict[int, tuple[int, dict[str, int]]]] = {shelf: {} for shelf in stale}
        for shelf, number, lesson, entries in tenancy.rows(
            _READ, known=numbers, shelves=list(stale)
        ):
            row = (lesson, json.loads(entries)) if entries is not None else before[shelf][number]
            read[shelf][number] = row
        return {
            shelf: Waiting(stale[shelf], rows, dict(rows.values())) for shelf, rows in read.items()
        }


def holding(waiting: Iterable[Waiting], asked: Iterable[str]) -> Postings:
    """For each of the asked keys, the waiting lessons that hold it, with impacts."""
    by_key: Postings = {}
    wanted = frozenset(asked)
    for shelf in waiting:
        for lesson, entries in shelf.lessons.items():
            for key in wanted & entries.keys():
                by_key.setdefault(key, []).append((lesson, entries[key]))
    return by_key


def packed(entries: dict[str, int]) -> str:
    """The keys and impacts of a lesson as they wait."""
    return json.dumps(entries, ensure_ascii=False)


def unpacked(text: str) -> dict[str, int]:
    """The keys and impacts of a row."""
    entries: dict[str, Any] = json.loads(text)
    return entries
