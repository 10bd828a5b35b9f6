"""Merge the memtable into the dictionary: many lessons at once, each table in its own order."""

from __future__ import annotations

import json
from array import array
from collections import Counter, defaultdict
from struct import Struct
from typing import TYPE_CHECKING

from hardwon.knowledge.ranking import postings
from hardwon.knowledge.ranking.postings import BLOCK, RANKS, pack
from hardwon.storage.sql import scopes
from hardwon.storage.sql.dialect import read_queries

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from hardwon.knowledge.ranking.postings import Edit, Entries
    from hardwon.storage.stores.sqlite.database import Database
    from hardwon.storage.stores.sqlite.inverted import Terms, Waiting

    TermEntries = tuple[int, list[int]]
    Lessons = dict[int, dict[str, int]]  # the keys of each, with impacts


_SQL = read_queries(__file__, RANKS=RANKS)


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
        _SQL["add_term"],
        ((number, shelf, key, added[key]) for key, number in new.items()),
    )
    return known | new


def newest(db: Database) -> int:
    """The highest number that a key ever had."""
    row = db.row(_SQL["newest_term"])
    return int(row[0]) if row else 0


def count_holders(db: Database, changes: Mapping[int, int]) -> None:
    """Change how many lessons hold the keys with these numbers."""
    db.run_many(
        _SQL["count_holders"],
        [(change, number) for number, change in sorted(changes.items()) if change],
    )


def count_lessons(db: Database, shelf: int, added: int) -> None:
    """Change how many lessons of a shelf are in the dictionary."""
    db.run(_SQL["count_lessons"], (added, shelf))
    scopes.forget_notes(db)


def _numbers(db: Database, shelf: int, keys: list[str]) -> dict[str, int]:
    """The numbers of those keys that are in the dictionary."""
    rows = db.rows(
        _SQL["numbers"],
        (json.dumps(keys), shelf),
    )
    return dict(rows)


MOST = 2_000_000  # entries; about 25,000 lessons or 100 megabytes
_MANY = 100_000  # entries for which the page cache is enlarged
_ROOM, _USUAL_ROOM = -128_000, -2000  # SQLite's page cache, in KiB as a negative number
_RANK = tuple(map(postings.rank, range(256)))
_BLOCK_OF_ONE = Struct("=IB").pack


class _Places(dict[str, int]):
    """The place of each key in the list of all entries; a new key gets the next place."""

    def __init__(self, entries: list[list[int]]) -> None:
        super().__init__()
        self._entries = entries

    def __missing__(self, key: str) -> int:
        place = self[key] = len(self._entries)
        self._entries.append([])
        return place


class PostingBuffer:
    """Lessons and their keys that one transaction adds; written at its end, or when it is full."""

    def __init__(self, database: Database) -> None:
        self._db = database
        self._clear()

    def _clear(self) -> None:
        self._size = 0
        self._entries: list[list[int]] = []  # of each key: lesson and impact in one number
        self._places = defaultdict[int, _Places](lambda: _Places(self._entries))  # by shelf
        self._lessons: list[tuple[int, array[int], bytes]] = []  # with places and impacts of keys
        self._added: Counter[int] = Counter()  # lessons of each shelf

    def add(self, shelf: int, lesson: int, entries: dict[str, int]) -> None:
        """Add a lesson's keys with impacts; its number must be higher than any before."""
        if not entries:
            return
        known = self._places[shelf]
        places, impacts = array("I", [*map(known.__getitem__, entries)]), bytes(entries.values())
        lists, number = self._entries, lesson << 8
        coded = {impact: number | impact for impact in set(impacts)}  # shared, to save memory
        for place, impact in zip(places, impacts, strict=True):
            lists[place].append(coded[impact])
        self._lessons.append((lesson, places, impacts))
        self._added[shelf] += 1
        self._size += len(impacts)
        if self._size > MOST:
            self.flush()

    def count_added(self, shelves: Iterable[int]) -> int:
        """How many lessons of these shelves are in the buffer."""
        return sum(self._added[shelf] for shelf in shelves)

    def add_pending(
        self, shelves: Iterable[int], query_keys: tuple[str, ...], written: Terms
    ) -> Terms:
        """The terms of the keys: `written` ones plus those in the buffer, the rarest first."""
        terms = {(term[3], term[1]): term for term in written}
        for shelf in shelves:
            known = self._places[shelf]
            for key in filter(known.__contains__, query_keys):
                number, _, holders, _ = terms.get((shelf, key), (0, key, 0, shelf))
                pending = len(self._entries[known[key]])
                terms[shelf, key] = number, key, holders + pending, shelf
        return sorted(terms.values(), key=lambda term: (term[2], term[1], term[3]))

    def pairs(self, shelf: int, key: str, most: int) -> list[tuple[int, int]]:
        """Unwritten postings of a key: lessons with their impacts, at most `most`."""
        place = self._places[shelf].get(key)
        entries = () if place is None else self._entries[place][:most]
        return [(entry >> 8, entry & 255) for entry in entries]

    def flush(self) -> None:
        """Write everything, each table in its own order."""
        if self._size > _MANY:
            self._db.rows(f"PRAGMA cache_size = {_ROOM}")
        last_term = newest(self._db)
        numbers = self._numbers()
        self._write_lessons(numbers)
        for parts in postings.parts(self._by_rank(numbers)):
            self._append(parts, last_term)
        self._clear()

    def close(self) -> None:
        """Reset the page cache."""
        self._db.rows(f"PRAGMA cache_size = {_USUAL_ROOM}")

    def _numbers(self) -> list[int]:
        """The number of the key at each place; the keys are entered in the dictionary."""
        numbers = [0] * len(self._entries)
        for shelf, places in self._places.items():
            holders = {key: len(self._entries[place]) for key, place in places.items()}
            for key, number in enter(self._db, shelf, holders).items():
                numbers[places[key]] = number
        return numbers

    def _write_lessons(self, numbers: list[int]) -> None:
        self._db.run_many(
            _SQL["add_indexed"],
            (
                (lesson, postings.pack(array("I", [*map(numbers.__getitem__, places)]), impacts))
                for lesson, places, impacts in self._lessons
            ),
        )
        for shelf, added in self._added.items():
            count_lessons(self._db, shelf, added)

    def _by_rank(self, numbers: list[int]) -> Iterator[TermEntries]:
        """The entries to write, in the order of the table."""
        for place in sorted(range(len(numbers)), key=numbers.__getitem__):
            term, entries = numbers[place], self._entries[place]
            if len(entries) == 1:  # most terms
                yield term * RANKS + _RANK[entries[0] & 255], entries
                continue
            ranks: defaultdict[int, list[int]] = defaultdict(list)
            for entry in entries:
                ranks[_RANK[entry & 255]].append(entry)
            for rank in sorted(ranks):
                yield term * RANKS + rank, ranks[rank]

    def _append(self, parts: list[TermEntries], newest: int) -> None:
        """Fill the last blocks and add new ones; terms after `newest` have none yet."""
        existing = [at for at, _ in parts if at // RANKS <= newest]
        rows = self._db.rows(_SQL["last"], (json.dumps(existing),))
        last = {at: (first, block) for at, first, block in rows}
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
        self._db.run_many(_SQL["change_block"], grown)
        self._db.run_many(_SQL["add_block"], new)


def _longer(block: bytes, entries: list[int]) -> bytes:
    """The block with the entries appended."""
    if not block and len(entries) == 1:  # most blocks
        return _BLOCK_OF_ONE(entries[0] >> 8, entries[0] & 255)
    numbers = array("I", [entry >> 8 for entry in entries]).tobytes()
    impacts = bytes([entry & 255 for entry in entries])
    if not block:
        return numbers + impacts
    end = postings.size(block) * postings.NUMBER
    return b"".join((block[:end], numbers, block[end:], impacts))


def apply(db: Database, edits: list[Edit]) -> None:
    """Apply the edits; each block is written once."""
    for part in postings.parts(edits):
        targets = json.dumps([at << 32 | lesson for at, lesson, _, _ in part])
        around: dict[tuple[int, int], tuple[int, bytes]] = {
            (place >> 32, place & 0xFFFFFFFF): (first, block)
            for place, first, block in db.rows(_SQL["around"], (targets,))
        }
        changed = postings.edit_blocks(part, around)
        places = [(*divmod(at, RANKS), first) for at, first in changed]
        db.run_many(_SQL["drop_block"], places)
        db.run_many(_SQL["add_block"], postings.rows(changed))


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
    db.run(_SQL["add_texts"])
    db.run(_SQL["note_reach"])


def enter_text(db: Database, lesson: int) -> None:
    """Add the text of a lesson that is older than the newest in the text index."""
    db.run(_SQL["add_text"], (lesson,))


def _change(db: Database, shelf: int, lessons: Lessons) -> None:
    numbers = enter(db, shelf, dict.fromkeys(set().union(*lessons.values()), 0))
    before = _read_indexed(db, list(lessons))
    after = {
        lesson: {(numbers[key], impact) for key, impact in entries.items()}
        for lesson, entries in lessons.items()
        if entries
    }
    edits, holders = postings.edits(before, after)
    apply(db, edits)
    count_holders(db, holders)
    db.run_many(_SQL["drop_indexed"], [(lesson,) for lesson in before])
    rows = [
        (lesson, pack(array("I", terms), bytes(impacts)))
        for lesson, entries in after.items()
        for terms, impacts in [zip(*entries, strict=True)]
    ]
    db.run_many(_SQL["add_indexed"], rows)
    count_lessons(db, shelf, len(after) - len(before))


def _read_indexed(db: Database, lessons: list[int]) -> dict[int, Entries]:
    """The present entries of these lessons in the dictionary."""
    rows = db.rows(
        _SQL["indexed"],
        (json.dumps(lessons),),
    )
    return {lesson: set(postings.pairs(terms)) for lesson, terms in rows}
