"""Move the logs and counts of one shelf to another; lessons are moved elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hardwon.storage.postgres.database import Tenancy

_FROM = "tenant = %(tenant)s AND shelf = %(old)s"
_MOVES = (
    f"""
    INSERT INTO hardwon.failures AS f
    (tenant, shelf, signature, text, met_count, first_at, last_at)
    SELECT tenant, %(new)s, signature, text, met_count, first_at, last_at
    FROM hardwon.failures WHERE {_FROM}
    ON CONFLICT (tenant, shelf, signature) DO UPDATE
    SET met_count = f.met_count + excluded.met_count,
        first_at = least(f.first_at, excluded.first_at),
        last_at = greatest(f.last_at, excluded.last_at)
    """,
    f"""
    INSERT INTO hardwon.failure_days AS d (tenant, shelf, day, signature, met)
    SELECT tenant, %(new)s, day, signature, met FROM hardwon.failure_days WHERE {_FROM}
    ON CONFLICT (tenant, shelf, day, signature) DO UPDATE SET met = d.met + excluded.met
    """,
    f"""
    UPDATE hardwon.units AS u SET shelf = %(new)s WHERE {_FROM} AND NOT EXISTS (
        SELECT 1 FROM hardwon.units AS o WHERE o.tenant = u.tenant AND o.shelf = %(new)s
        AND o.run = u.run AND o.family = u.family
    )
    """,
    f"UPDATE hardwon.deliveries SET shelf = %(new)s WHERE {_FROM}",
    f"UPDATE hardwon.ended_runs SET shelf = %(new)s WHERE {_FROM}",
    f"""
    UPDATE hardwon.reflections AS r SET shelf = %(new)s WHERE {_FROM} AND NOT EXISTS (
        SELECT 1 FROM hardwon.reflections AS o WHERE o.tenant = r.tenant AND o.shelf = %(new)s
        AND o.kind = r.kind AND o.subject = r.subject AND o.job = r.job AND r.job <> ''
    )
    """,
    f"""
    UPDATE hardwon.reflection_words SET shelf = %(new)s WHERE {_FROM} AND reflection IN (
        SELECT id FROM hardwon.reflections WHERE tenant = %(tenant)s AND shelf = %(new)s
    )
    """,
    f"DELETE FROM hardwon.reflections WHERE {_FROM}",
    """
    DELETE FROM hardwon.shelves WHERE tenant = %(tenant)s AND id = %(old)s AND NOT EXISTS (
        SELECT 1 FROM hardwon.lessons WHERE tenant = %(tenant)s AND shelf = %(old)s
    )
    """,
)


def move(tenancy: Tenancy, old: int, new: int) -> None:
    """Move the rows; remove the old shelf unless it still has a lesson."""
    for statement in _MOVES:
        tenancy.run(statement, old=old, new=new)
