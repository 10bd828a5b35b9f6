"""Move the logs and counts of one shelf to another; lessons are moved elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hardwon.storage.postgres.database import Tenancy

_FROM = "tenant = :tenant AND shelf = :old"
_MOVES = (
    f"""
    INSERT INTO hardwon.failures AS f
    (tenant, shelf, signature, text, met_count, first_at, last_at)
    SELECT tenant, :new, signature, text, met_count, first_at, last_at
    FROM hardwon.failures WHERE {_FROM}
    ON CONFLICT (tenant, shelf, signature) DO UPDATE
    SET met_count = f.met_count + excluded.met_count,
        first_at = least(f.first_at, excluded.first_at),
        last_at = greatest(f.last_at, excluded.last_at)
    """,
    f"""
    INSERT INTO hardwon.failure_days AS d (tenant, shelf, day, signature, met)
    SELECT tenant, :new, day, signature, met FROM hardwon.failure_days WHERE {_FROM}
    ON CONFLICT (tenant, shelf, day, signature) DO UPDATE SET met = d.met + excluded.met
    """,
    f"""
    UPDATE hardwon.units AS u SET shelf = :new WHERE {_FROM} AND NOT EXISTS (
        SELECT 1 FROM hardwon.units AS o WHERE o.tenant = u.tenant AND o.shelf = :new
        AND o.run = u.run AND o.family = u.family
    )
    """,
    f"UPDATE hardwon.deliveries SET shelf = :new WHERE {_FROM}",
    f"UPDATE hardwon.ended_runs SET shelf = :new WHERE {_FROM}",
    f"""
    UPDATE hardwon.reflections AS r SET shelf = :new WHERE {_FROM} AND NOT EXISTS (
        SELECT 1 FROM hardwon.reflections AS o WHERE o.tenant = r.tenant AND o.shelf = :new
        AND o.kind = r.kind AND o.subject = r.subject AND o.job = r.job AND r.job <> ''
    )
    """,
    f"""
    UPDATE hardwon.reflection_words SET shelf = :new WHERE {_FROM} AND reflection IN (
        SELECT id FROM hardwon.reflections WHERE tenant = :tenant AND shelf = :new
    )
    """,
    f"DELETE FROM hardwon.reflections WHERE {_FROM}",
    """
    DELETE FROM hardwon.shelves WHERE tenant = :tenant AND id = :old AND NOT EXISTS (
        SELECT 1 FROM hardwon.lessons WHERE tenant = :tenant AND shelf = :old
    )
    """,
)


def move(tenancy: Tenancy, old: int, new: int) -> None:
    """Move the rows; remove the old shelf unless it still has a lesson."""
    for statement in _MOVES:
        tenancy.run(statement, old=old, new=new)
