"""Change indexed lessons: postings are removed from their blocks or inserted in order."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from hardwon.knowledge.ranking import block_edits, postings
from hardwon.knowledge.ranking.postings import RANKS

if TYPE_CHECKING:
    from hardwon.knowledge.ranking.block_edits import Edit
    from hardwon.storage.stores.sqlite.database import Database

_AROUND = f"""
SELECT a.value, p.first, p.lessons FROM json_each(?) AS a CROSS JOIN postings AS p
ON p.term = (a.value >> 32) / {RANKS} AND p.rank = (a.value >> 32) % {RANKS} AND p.first = (
    SELECT max(first) FROM postings WHERE term = (a.value >> 32) / {RANKS}
    AND rank = (a.value >> 32) % {RANKS} AND first <= (a.value & 0xffffffff)
)
"""


def apply(db: Database, edits: list[Edit]) -> None:
    """Apply the edits; each block is written once."""
    for part in postings.parts(edits):
        _apply(db, part)


def _apply(db: Database, edits: list[Edit]) -> None:
    targets = json.dumps([at << 32 | lesson for at, lesson, _, _ in edits])
    around: dict[tuple[int, int], tuple[int, bytes]] = {
        (place >> 32, place & 0xFFFFFFFF): (first, block)
        for place, first, block in db.rows(_AROUND, (targets,))
    }
    changed = block_edits.edited(edits, around)
    places = [(*divmod(at, RANKS), first) for at, first in changed]
    db.run_many("DELETE FROM postings WHERE term = ? AND rank = ? AND first = ?", places)
    db.run_many("INSERT INTO postings VALUES (?, ?, ?, ?)", block_edits.rows(changed))
