"""Merge `fresh` into the dictionary: many lessons at once, one process per shelf."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

from hardwon.knowledge.ranking import block_edits, postings
from hardwon.knowledge.ranking.postings import RANKS
from hardwon.storage.sql.dialect import Statement
from hardwon.storage.stores.postgres import versions
from hardwon.storage.stores.postgres.memtable import unpacked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hardwon.knowledge.ranking.block_edits import Edit, Entries
    from hardwon.storage.sql.dialect import Tenancy

_LOCK = 0x736574  # first half of the lock's key; the shelf is the second
_AT_ONCE = 4096  # rows merged together: each block is written once
_TRY = "SELECT pg_try_advisory_xact_lock(:kind::int, :shelf::int)"
_TAKE = """
SELECT id, lesson, entries FROM hardwon.fresh
WHERE tenant = :tenant AND shelf = :shelf ORDER BY id LIMIT :limit
"""
_REMOVE = """
DELETE FROM hardwon.fresh
WHERE tenant = :tenant AND shelf = :shelf AND id = ANY(:rows::bigint[])
"""
_ADD_TERMS = """
INSERT INTO hardwon.terms (tenant, shelf, term, holders)
SELECT :tenant, :shelf, term, 0 FROM unnest(:keys::text[]) AS term
ON CONFLICT DO NOTHING
"""
_TERMS = """
SELECT term, id FROM hardwon.terms
WHERE tenant = :tenant AND shelf = :shelf AND term = ANY(:keys::text[])
"""
_COUNT = """
UPDATE hardwon.terms AS t SET holders = t.holders + more.holders
FROM unnest(:terms::bigint[], :holders::int[]) AS more (term, holders)
WHERE t.tenant = :tenant AND t.id = more.term
"""
_AROUND = """
SELECT a.place, a.lesson, p.first, p.lessons
FROM unnest(:places::bigint[], :lessons::bigint[]) AS a (place, lesson),
LATERAL (
    SELECT first, lessons FROM hardwon.postings
    WHERE tenant = :tenant AND term = a.place / :ranks AND rank = a.place % :ranks
    AND first <= a.lesson ORDER BY first DESC LIMIT 1
) AS p
"""
_DROP_BLOCKS = """
DELETE FROM hardwon.postings AS p
USING unnest(:terms::bigint[], :ranks::int[], :firsts::bigint[]) AS a (term, rank, first)
WHERE p.tenant = :tenant AND p.term = a.term AND p.rank = a.rank AND p.first = a.first
"""
_KEEP_BLOCKS = """
INSERT INTO hardwon.postings (tenant, term, rank, first, lessons)
SELECT :tenant, * FROM unnest(
    :terms::bigint[], :ranks::int[], :firsts::bigint[], :blocks::bytea[]
)
ON CONFLICT (tenant, term, rank, first) DO UPDATE SET lessons = excluded.lessons
"""
_INDEXED = """
SELECT lesson, terms FROM hardwon.indexed
WHERE tenant = :tenant AND lesson = ANY(:lessons::bigint[])
"""
_UNINDEX = """
DELETE FROM hardwon.indexed WHERE tenant = :tenant AND lesson = ANY(:lessons::bigint[])
"""
_INDEX = """
INSERT INTO hardwon.indexed (tenant, shelf, lesson, terms)
SELECT :tenant, :shelf, * FROM unnest(:lessons::bigint[], :terms::bytea[])
"""


def merge(tenancy: Tenancy, shelf: int) -> int:
    """Merge the waiting rows of a shelf; how many. 0 while another process merges them."""
    moved = 0
    with tenancy.database as transaction:
        if tenancy.rows(_TRY, kind=_LOCK, shelf=shelf)[0][0]:
            while rows := tenancy.rows(_TAKE, shelf=shelf, limit=_AT_ONCE):
                lessons = {lesson: unpacked(entries) for _, lesson, entries in rows}
                versions.touch(transaction, tenancy, shelf, active=_move(tenancy, shelf, lessons))
                tenancy.run(_REMOVE, shelf=shelf, rows=[row[0] for row in rows])
                moved += len(rows)
    return moved


def _move(tenancy: Tenancy, shelf: int, lessons: dict[int, dict[str, int]]) -> int:
    """Write the keys of lessons; returns how many more lessons are indexed now."""
    numbers = _numbers(
        tenancy, shelf, sorted({key for entries in lessons.values() for key in entries})
    )
    rows = tenancy.rows(_INDEXED, lessons=list(lessons))
    before: dict[int, Entries] = {lesson: set(postings.pairs(block)) for lesson, block in rows}
    after: dict[int, Entries] = {
        lesson: {(numbers[key], impact) for key, impact in entries.items()}
        for lesson, entries in lessons.items()
        if entries
    }
    edits, holders = block_edits.edits(before, after)
    for part in postings.parts(edits):
        _edit(tenancy, part)
    changes = [(term, more) for term, more in sorted(holders.items()) if more]
    packed = [_packed(entries) for entries in after.values()]
    tenancy.ask(
        Statement(_COUNT, {"terms": [t for t, _ in changes], "holders": [n for _, n in changes]}),
        Statement(_UNINDEX, {"lessons": list(before)}),
        Statement(_INDEX, {"shelf": shelf, "lessons": list(after), "terms": packed}),
    )
    return len(after) - len(before)


def _numbers(tenancy: Tenancy, shelf: int, keys: list[str]) -> dict[str, int]:
    """The numbers of these keys; new keys are numbered."""
    numbers: dict[str, int] = dict(tenancy.rows(_TERMS, shelf=shelf, keys=keys))
    if missing := [key for key in keys if key not in numbers]:
        *_, added = tenancy.ask(
            Statement(_ADD_TERMS, {"shelf": shelf, "keys": missing}),
            Statement(_TERMS, {"shelf": shelf, "keys": missing}),
        )
        numbers.update(added)
    return numbers


def _edit(tenancy: Tenancy, edits: list[Edit]) -> None:
    places, lessons = [edit[0] for edit in edits], [edit[1] for edit in edits]
    rows = tenancy.rows(_AROUND, places=places, lessons=lessons, ranks=RANKS)
    around = {(place, lesson): (first, block) for place, lesson, first, block in rows}
    changed = block_edits.edited(edits, around)
    emptied = [(*divmod(at, RANKS), first) for (at, first), block in changed.items() if not block]
    blocks = list(block_edits.rows(changed))
    tenancy.ask(
        Statement(_DROP_BLOCKS, _columns(("terms", "ranks", "firsts"), emptied)),
        Statement(_KEEP_BLOCKS, _columns(("terms", "ranks", "firsts", "blocks"), blocks)),
    )


def _columns(names: tuple[str, ...], rows: Sequence[tuple[object, ...]]) -> dict[str, object]:
    """Rows as one list per column."""
    return {name: [row[at] for row in rows] for at, name in enumerate(names)}


def _packed(entries: Entries) -> bytes:
    terms, impacts = zip(*entries, strict=True)
    return postings.packed(array("I", terms), bytes(impacts))
