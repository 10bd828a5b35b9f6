"""Move the logs and counts of one shelf to another; lessons are moved elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hardwon.storage.stores.sqlite.database import Database

_MOVES = (
    """
    INSERT INTO failures SELECT :new, signature, text, met_count, first_at, last_at
    FROM failures WHERE shelf = :old
    ON CONFLICT (shelf, signature) DO UPDATE SET met_count = met_count + excluded.met_count,
        first_at = min(first_at, excluded.first_at), last_at = max(last_at, excluded.last_at)
    """,
    """
    INSERT INTO failure_days SELECT :new, day, signature, met FROM failure_days WHERE shelf = :old
    ON CONFLICT (shelf, day, signature) DO UPDATE SET met = met + excluded.met
    """,
    "UPDATE OR IGNORE units SET shelf = :new WHERE shelf = :old",
    "UPDATE deliveries SET shelf = :new WHERE shelf = :old",
    "UPDATE ended_runs SET shelf = :new WHERE shelf = :old",
    "UPDATE OR IGNORE reflections SET shelf = :new WHERE shelf = :old",
    """
    UPDATE reflection_words SET shelf = :new WHERE shelf = :old
    AND reflection IN (SELECT id FROM reflections WHERE shelf = :new)
    """,
    "DELETE FROM reflections WHERE shelf = :old",
    """
    DELETE FROM shelves WHERE id = :old
    AND NOT EXISTS (SELECT 1 FROM lessons WHERE shelf = :old)
    """,
)


def move(database: Database, old: int, new: int) -> None:
    """Move the rows; remove the old shelf unless it still has a lesson."""
    for statement in _MOVES:
        database.run(statement, {"old": old, "new": new})
    database.forget_shelves()
