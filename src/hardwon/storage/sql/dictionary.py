"""The dictionary of an index: for each key of a shelf the lessons that hold it, in blocks.

One process at a time writes a shelf; each table is written in its own order.
"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from struct import Struct
from typing import NamedTuple

from hardwon.knowledge.ranking import postings
from hardwon.knowledge.ranking.postings import BLOCK, RANKS, Edit, Entries
from hardwon.storage.sql.dialect import Row, Tenancy, bind, read_queries

Lessons = Mapping[int, Mapping[str, int]]  # the keys of each, with impacts
Places = Sequence[tuple[int, int]]  # term-and-rank, lesson

_SQL = read_queries(__file__)
_RANK = tuple(map(postings.rank, range(256)))
_BLOCK_OF_ONE = Struct("=IB").pack
_LAST = 0xFFFFFFFF  # no lesson has a higher number
_TERM, _BLOCK = ("id", "shelf", "term", "holders"), ("term", "rank", "first", "lessons")


class Dictionary(NamedTuple):
    """The tables of one database; these two differ from those of others."""

    around: Callable[[Tenancy, Places], list[Row]]  # each place with its block: first, lessons
    note: str  # the statement that notes the terms of a lesson

    def write(self, tenancy: Tenancy, shelf: int, *, added: Lessons, changed: Lessons) -> int:
        """Write the keys of lessons that are new and of others; how many more are indexed now."""
        more = self._change(tenancy, shelf, changed) if changed else 0
        held = {lesson: entries for lesson, entries in added.items() if entries}
        if held:
            self._append(tenancy, shelf, held)
        return more + len(held)

    def _append(self, tenancy: Tenancy, shelf: int, lessons: Lessons) -> None:
        """Add new lessons, whose numbers are mostly higher than any in the dictionary."""
        numbers, unused = _enter(tenancy, shelf, Counter(chain.from_iterable(lessons.values())))
        places: defaultdict[int, list[int]] = defaultdict(list)  # by term and rank
        rows = []
        for lesson, entries in sorted(lessons.items()):
            terms, impacts = array("I", map(numbers.__getitem__, entries)), bytes(entries.values())
            rows.append((lesson, shelf, postings.pack(terms, impacts)))
            coded = {impact: lesson << 8 | impact for impact in set(impacts)}  # to save memory
            for term, impact in zip(terms, impacts, strict=True):
                places[term * RANKS + _RANK[impact]].append(coded[impact])
        tenancy.run_many(self.note, ("lesson", "shelf", "terms"), rows)
        between: list[Edit] = []
        for part in postings.parts(sorted(places)):
            existing = [(at, _LAST) for at in part if at // RANKS < unused]
            last = {at: block for at, _, *block in self.around(tenancy, existing)}
            blocks = []
            for at in part:
                pending, room = places[at], 0
                if at in last:
                    first, block = last[at]
                    if postings.numbers(block)[-1] > pending[0] >> 8:  # another was faster
                        between += ((at, entry >> 8, True, entry & 255) for entry in pending)
                        continue
                    if room := BLOCK - postings.size(block):
                        blocks.append((*divmod(at, RANKS), first, _longer(block, pending[:room])))
                for begin in range(room, len(pending), BLOCK):
                    new = pending[begin : begin + BLOCK]
                    blocks.append((*divmod(at, RANKS), new[0] >> 8, _longer(b"", new)))
            tenancy.run_many(_SQL["keep_blocks"], _BLOCK, blocks)
        self._edit(tenancy, between)

    def _change(self, tenancy: Tenancy, shelf: int, lessons: Lessons) -> int:
        """Write the keys of lessons that may be in the dictionary with others."""
        numbers, _ = _enter(tenancy, shelf, dict.fromkeys(set().union(*lessons.values()), 0))
        (rows,) = tenancy.ask(tenancy.of_each(bind(_SQL["indexed"]), lesson=list(lessons)))
        before: dict[int, Entries] = {lesson: set(postings.pairs(terms)) for lesson, terms in rows}
        after = {
            lesson: {(numbers[key], impact) for key, impact in entries.items()}
            for lesson, entries in lessons.items()
            if entries
        }
        edits, holders = postings.edits(before, after)
        self._edit(tenancy, edits)
        _count_holders(tenancy, holders)
        tenancy.run_many(_SQL["unindex"], ("lesson",), [(lesson,) for lesson in before])
        packed = [
            (lesson, shelf, postings.pack(array("I", terms), bytes(impacts)))
            for lesson, entries in after.items()
            for terms, impacts in [zip(*entries, strict=True)]
        ]
        tenancy.run_many(self.note, ("lesson", "shelf", "terms"), packed)
        return len(after) - len(before)

    def _edit(self, tenancy: Tenancy, edits: list[Edit]) -> None:
        """Apply edits to the blocks."""
        for part in postings.parts(edits):
            rows = self.around(tenancy, [edit[:2] for edit in part])
            around = {(at, lesson): (first, block) for at, lesson, first, block in rows}
            changed = postings.edit_blocks(part, around)
            emptied = [
                (*divmod(at, RANKS), first) for (at, first), block in changed.items() if not block
            ]
            tenancy.run_many(_SQL["drop_blocks"], _BLOCK[:3], emptied)
            tenancy.run_many(_SQL["keep_blocks"], _BLOCK, list(postings.rows(changed)))


def _longer(block: bytes, entries: list[int]) -> bytes:
    """The block with the entries appended; each is a lesson and its impact in one number."""
    if not block and len(entries) == 1:  # most blocks
        return _BLOCK_OF_ONE(entries[0] >> 8, entries[0] & 255)
    end = postings.size(block) * postings.NUMBER
    numbers = array("I", [entry >> 8 for entry in entries]).tobytes()
    return b"".join((block[:end], numbers, block[end:], bytes([entry & 255 for entry in entries])))


def _enter(tenancy: Tenancy, shelf: int, added: Mapping[str, int]) -> tuple[dict[str, int], int]:
    """The numbers of these keys, which so many more lessons hold, and the first new number.

    New keys are written in their order, which is also that of their numbers.
    """
    ordered, known = sorted(added), dict[str, int]()
    for part in postings.parts(ordered):
        query = tenancy.of_each(bind(_SQL["numbers"], shelf=shelf), term=part)
        known.update(tenancy.ask(query)[0])
    _count_holders(tenancy, {number: added[key] for key, number in known.items()})
    missing = [key for key in ordered if key not in known]
    new = dict(zip(missing, tenancy.new_numbers("terms", len(missing)), strict=True))
    rows = [(number, shelf, key, added[key]) for key, number in new.items()]
    tenancy.run_many(_SQL["add_terms"], _TERM, rows)
    return known | new, min(new.values(), default=_LAST)


def _count_holders(tenancy: Tenancy, changes: Mapping[int, int]) -> None:
    """Change how many lessons hold the keys with these numbers."""
    pairs = [(change, number) for number, change in sorted(changes.items()) if change]
    tenancy.run_many(_SQL["count_holders"], ("more", "id"), pairs)
