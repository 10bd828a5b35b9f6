"""The additions of one transaction, gathered in memory and written in the tables' order."""

from __future__ import annotations

import json
from array import array
from collections import defaultdict
from typing import TYPE_CHECKING

from hardwon.ranking import postings
from hardwon.ranking.postings import BLOCK, RANKS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from hardwon.stores.sqlite.database import Database

    # Term and rank in one number; lessons and impacts in one each.
    TermEntries = tuple[int, list[int]]

MOST = 2_000_000  # entries; about 25,000 lessons or 100 megabytes
_REMEMBERED = 500_000  # numbers of keys kept in memory
_MANY = 100_000  # entries for which the page cache is enlarged
_ROOM, _USUAL_ROOM = -128_000, -2000  # SQLite's page cache, in KiB as a negative number
_RANK = tuple(map(postings.rank, range(256)))
_LAST = f"""
SELECT a.value, p.first, p.lessons FROM json_each(?) AS a CROSS JOIN postings AS p
ON p.term = a.value / {RANKS} AND p.rank = a.value % {RANKS} AND p.first = (
    SELECT max(first) FROM postings WHERE term = a.value / {RANKS} AND rank = a.value % {RANKS}
)
"""


def _no_entries() -> defaultdict[int, list[int]]:
    """By term: lesson and impact in one number."""
    return defaultdict(list)


class PostingBuffer:
    """Keys, their numbers and postings that one transaction adds; written at its end."""

    def __init__(self, database: Database) -> None:
        self._db = database
        self._numbers: dict[int, dict[str, int]] = {}
        self._new: list[tuple[str, int, int]] = []  # key, shelf and number
        self._next = 0
        self._entries = _no_entries()
        self.size = 0

    def numbers(self, shelf: int, keys: set[str]) -> dict[str, int]:
        """The numbers of these keys; new keys are numbered."""
        numbers = self._numbers.setdefault(shelf, {})
        if len(numbers) > _REMEMBERED and not self._entries:
            numbers.clear()
        missing = sorted(keys.difference(numbers))
        numbers.update(number_of(self._db, shelf, missing))
        for key in missing:
            if key not in numbers:
                numbers[key] = self._new_number(shelf, key)
        return numbers

    def _new_number(self, shelf: int, key: str) -> int:
        if not self._new:
            row = self._db.row("SELECT seq FROM sqlite_sequence WHERE name = 'terms'")
            self._next = row[0] if row else 0
        self._next += 1
        self._new.append((key, shelf, self._next))
        return self._next

    def add(self, lesson: int, terms: array[int], impacts: bytes) -> None:
        """Add a lesson's terms; its number must be higher than any before."""
        entries, number = self._entries, lesson << 8
        coded = {impact: number | impact for impact in set(impacts)}  # shared, to save memory
        for term, impact in zip(terms, impacts, strict=True):
            entries[term].append(coded[impact])
        self.size += len(terms)

    def amended(
        self,
        shelves: Iterable[int],
        query_keys: tuple[str, ...],
        written: list[tuple[int, str, int]],
    ) -> list[tuple[int, str, int]]:
        """Number, key and holders of the keys: `written` ones plus those in the buffer."""
        counts = {number: (key, holders) for number, key, holders in written}
        for shelf in shelves:
            numbers = self._numbers.get(shelf, {})
            for key in query_keys:
                if (number := numbers.get(key)) and (pending := self._entries.get(number)):
                    counts[number] = key, counts.get(number, (key, 0))[1] + len(pending)
        amended = [(number, key, holders) for number, (key, holders) in counts.items()]
        return sorted(amended, key=lambda row: (row[2], row[1], row[0]))

    def pairs(self, term: int, most: int) -> list[tuple[int, int]]:
        """Unwritten postings of a term: lessons with their impacts, at most `most`."""
        return [(entry >> 8, entry & 255) for entry in self._entries.get(term, ())[:most]]

    def flush(self) -> None:
        """Write everything, each table in its own order."""
        if self.size > _MANY:
            self._db.rows(f"PRAGMA cache_size = {_ROOM}")
        oldest = self._new[0][2] if self._new else 0
        self._write_terms()
        for parts in postings.parts(self._ranked()):
            self._append(parts, oldest)
        self._new, self._entries, self.size = [], _no_entries(), 0

    def close(self) -> None:
        """Reset the page cache."""
        self._db.rows(f"PRAGMA cache_size = {_USUAL_ROOM}")

    def _write_terms(self) -> None:
        holders = {term: len(pending) for term, pending in self._entries.items()}
        self._new.sort(key=lambda row: (row[1], row[0]))
        self._db.run_many(
            "INSERT INTO terms (id, shelf, term, holders) VALUES (?, ?, ?, ?)",
            ((number, shelf, key, holders.pop(number, 0)) for key, shelf, number in self._new),
        )
        self._db.run_many(
            "UPDATE terms SET holders = holders + ? WHERE id = ?",
            ((added, term) for term, added in sorted(holders.items())),
        )

    def _ranked(self) -> Iterator[TermEntries]:
        """The entries to write, in the order of the table."""
        for term in sorted(self._entries):
            entries = self._entries[term]
            if len(entries) == 1:  # most terms
                yield term * RANKS + _RANK[entries[0] & 255], [entries[0]]
                continue
            ranks: defaultdict[int, list[int]] = defaultdict(list)
            for entry in entries:
                ranks[_RANK[entry & 255]].append(entry)
            for rank in sorted(ranks):
                yield term * RANKS + rank, ranks[rank]

    def _append(self, parts: list[TermEntries], oldest: int) -> None:
        """Fill the last blocks and add new ones; new terms start with their first block."""
        existing = [at for at, _ in parts if not 0 < oldest <= at // RANKS]
        last = {at: (first, block) for at, *(first, block) in self._last(existing)}
        grown, new = [], []
        for at, pending in parts:
            room = 0
            if at in last:
                first, block = last[at]
                if room := BLOCK - postings.size(block):
                    grown.append((_longer(block, pending[:room]), *divmod(at, RANKS), first))
            for begin in range(room, len(pending), BLOCK):
                part = pending[begin : begin + BLOCK]
                new.append((*divmod(at, RANKS), part[0] >> 8, _longer(b"", part)))
        self._db.run_many(
            "UPDATE postings SET lessons = ? WHERE term = ? AND rank = ? AND first = ?", grown
        )
        self._db.run_many("INSERT INTO postings VALUES (?, ?, ?, ?)", new)

    def _last(self, places: list[int]) -> list[tuple[Any, ...]]:
        return self._db.rows(_LAST, (json.dumps(places),))


def _longer(block: bytes, entries: list[int]) -> bytes:
    """The block with the entries appended."""
    numbers = array("I", [entry >> 8 for entry in entries]).tobytes()
    impacts = bytes([entry & 255 for entry in entries])
    if not block:
        return numbers + impacts
    end = postings.size(block) * postings.NUMBER
    return b"".join((block[:end], numbers, block[end:], impacts))


def number_of(db: Database, shelf: int, keys: list[str]) -> dict[str, int]:
    """The numbers of those keys that are in the dictionary."""
    rows = db.rows(
        "SELECT t.term, t.id FROM json_each(?) AS asked CROSS JOIN terms AS t"
        " ON t.shelf = ? AND t.term = asked.value",
        (json.dumps(keys), shelf),
    )
    return dict(rows)
