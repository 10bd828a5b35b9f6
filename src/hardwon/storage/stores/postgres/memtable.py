"""The memtable: new lessons, found at once and moved into the dictionary in bulk.

A commit may become visible after one with a higher number, so no process remembers the last number.
Each writer raises the version of its shelf; readers that see a new version read the new rows.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from hardwon.storage.sql import scopes

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hardwon.storage.postgres.database import Database
    from hardwon.storage.sql.dialect import Tenancy
    from hardwon.storage.sql.scopes import Shelf

    Postings = dict[str, list[tuple[int, int]]]

_READ = f"""
SELECT shelf, id, lesson, CASE WHEN id = ANY(:known::bigint[]) THEN NULL ELSE entries END
FROM hardwon.fresh WHERE {scopes.HERE} ORDER BY id
"""
_OWN = "fresh"  # a transaction's view of the memtable, with its own rows


class Waiting(NamedTuple):
    """The waiting rows of one shelf: by number, and the last one of each lesson."""

    version: int
    rows: dict[int, tuple[int, dict[str, int]]]
    lessons: dict[int, dict[str, int]]


class Memtable:
    """The rows of `fresh`, read once by this process and kept up to date."""

    def __init__(self, database: Database) -> None:
        self._db = database
        self._shared: dict[int, Waiting] = {}

    def look(self, tenancy: Tenancy, shelves: Iterable[Shelf]) -> list[Waiting]:
        """The waiting rows of these shelves."""
        # A transaction also sees its own rows; others must not: its shelf has no new version yet.
        own = self._own_view()
        cached = self._shared if own is None else own
        stale = {
            shelf.id: shelf.version
            for shelf in shelves
            if own is not None
            or shelf.id not in cached
            or cached[shelf.id].version != shelf.version
        }
        if stale:
            cached.update(self._read(tenancy, stale, cached))
        return [cached[shelf.id] for shelf in shelves]

    def _own_view(self) -> dict[int, Waiting] | None:
        """What the open transaction sees, if it writes."""
        transaction = self._db.open
        if transaction is None or not transaction.is_writing:
            return None
        view: dict[int, Waiting] = transaction.notes.setdefault(_OWN, dict(self._shared))
        return view

    def _read(
        self, tenancy: Tenancy, stale: dict[int, int], cached: dict[int, Waiting]
    ) -> dict[int, Waiting]:
        before = {shelf: cached[shelf].rows for shelf in stale if shelf in cached}
        numbers = [number for rows in before.values() for number in rows]
        fetched: dict[int, dict[int, tuple[int, dict[str, int]]]] = {shelf: {} for shelf in stale}
        for shelf, number, lesson, entries in tenancy.rows(
            _READ, known=numbers, shelves=list(stale)
        ):
            row = (lesson, json.loads(entries)) if entries is not None else before[shelf][number]
            fetched[shelf][number] = row
        return {
            shelf: Waiting(stale[shelf], rows, dict(rows.values()))
            for shelf, rows in fetched.items()
        }


def holding(waiting: Iterable[Waiting], asked: Iterable[str]) -> Postings:
    """The waiting lessons that hold each key, with impacts."""
    by_key: Postings = {}
    asked_keys = frozenset(asked)
    for shelf in waiting:
        for lesson, entries in shelf.lessons.items():
            for key in asked_keys & entries.keys():
                by_key.setdefault(key, []).append((lesson, entries[key]))
    return by_key


def packed(entries: dict[str, int]) -> str:
    """The keys and impacts of a lesson as a row stores them."""
    return json.dumps(entries)


def unpacked(text: str) -> dict[str, int]:
    """The keys and impacts of a row."""
    entries: dict[str, Any] = json.loads(text)
    return entries
