"""The memtable: new lessons, found at once and moved into the dictionary in bulk."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from hardwon.storage.stores.sqlite.database import Database

    Postings = dict[str, list[tuple[int, int]]]
    Waiting = tuple[int, int, bool, dict[str, int]]  # shelf, lesson, whether it is new, its keys

_SPAN = "SELECT (SELECT min(id) FROM fresh), (SELECT max(id) FROM fresh)"
_AT_ONCE = 512  # rows moved together


class Memtable:
    """The rows of `fresh`, read once by this process and kept up to date."""

    def __init__(self, database: Database) -> None:
        self._db = database
        self._base = 0, 0  # transactions undone, and the first row: another one means a new start
        self._last = 0  # the last row that was read
        self._entries: dict[int, tuple[int, dict[str, int]]] = {}  # by lesson: shelf, impacts
        self._added: dict[int, int] = {}  # lessons not counted in the dictionary yet, by shelf
        self._unwritten: list[Waiting] = []  # rows of the open transaction
        self._looked_in = 0  # the transaction that last called `look`
        self._own_entries: dict[int, tuple[int, dict[str, int]]] = {}
        self._own_added: dict[int, int] = {}

    def add(self, shelf: int, lesson: int, entries: dict[str, int], *, is_new: bool) -> int:
        """Set the keys of a lesson; returns the number of notes of this transaction."""
        self._unwritten.append((shelf, lesson, is_new, entries))
        self._own_entries[lesson] = shelf, entries
        self._own_added[shelf] = self._own_added.get(shelf, 0) + is_new
        return len(self._unwritten)

    def write(self) -> None:
        """Write the notes of this transaction as rows. Call inside `with database:`."""
        self._db.run_many(
            "INSERT INTO fresh (shelf, lesson, is_new, entries) VALUES (?, ?, ?, ?)",
            [(*row, json.dumps(entries)) for *row, entries in self._unwritten],
        )
        self.forget()

    def forget(self) -> None:
        """Drop the unwritten notes; the rows may have changed."""
        self._looked_in = 0
        self._unwritten.clear()
        self._own_entries.clear()
        self._own_added.clear()

    def taken(self) -> Iterator[list[Waiting]]:
        """Take all waiting rows, oldest first, in batches; they are removed."""
        while rows := self._db.rows(
            "SELECT shelf, lesson, is_new, entries, id FROM fresh ORDER BY id LIMIT ?", (_AT_ONCE,)
        ):
            yield [(*row, json.loads(entries)) for *row, entries, _ in rows]
            self._db.run("DELETE FROM fresh WHERE id <= ?", (rows[-1][-1],))
        if self._unwritten:
            yield self._unwritten
        self.forget()

    def waiting(self) -> int:
        """How many notes wait."""
        first, last = self._db.rows(_SPAN)[0]
        return len(self._unwritten) + (0 if first is None else last - first + 1)

    def look(self) -> None:
        """Read the changes since the last call; during a transaction nobody else makes any."""
        if self._db.is_writing and self._looked_in == self._db.begun:
            return
        self._looked_in = self._db.begun
        first, last = self._db.rows(_SPAN)[0]
        base, newest = (self._db.undone, first or 0), last or 0
        if base != self._base or newest < self._last:
            self._base, self._last = base, 0
            self._entries.clear()
            self._added.clear()
        if newest > self._last:
            self._read(self._last)
            self._last = newest

    def postings(self, shelves: Iterable[int], query_keys: tuple[str, ...]) -> Postings:
        """The lessons of these shelves that hold each key, with impacts."""
        by_key: Postings = {}
        distinct, visible = dict.fromkeys(query_keys), frozenset(shelves)
        has_none = distinct.keys().isdisjoint
        for lesson, (shelf, entries) in self._all().items():
            if shelf in visible and not has_none(entries.keys()):
                for key in filter(entries.__contains__, distinct):
                    by_key.setdefault(key, []).append((lesson, entries[key]))
        return by_key

    def added(self, shelves: Iterable[int]) -> int:
        """How many lessons of these shelves are not counted in the dictionary yet."""
        return sum(self._added.get(shelf, 0) + self._own_added.get(shelf, 0) for shelf in shelves)

    def lessons(self) -> Iterable[int]:
        """Lessons whose postings in the dictionary may be outdated."""
        return self._all()

    def _all(self) -> dict[int, tuple[int, dict[str, int]]]:
        return self._entries | self._own_entries if self._own_entries else self._entries

    def _read(self, after: int) -> None:
        rows = self._db.rows(
            "SELECT shelf, lesson, is_new, entries FROM fresh WHERE id > ? ORDER BY id", (after,)
        )
        for shelf, lesson, is_new, entries in rows:
            self._entries[lesson] = shelf, json.loads(entries)
            self._added[shelf] = self._added.get(shelf, 0) + is_new
