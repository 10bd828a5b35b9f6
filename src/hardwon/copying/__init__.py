"""Moving house: all that one store keeps into another, in pages, resumable and verified."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardwon import _homes
from hardwon.copying.ends import FileEnd, ServerEnd, pages
from hardwon.copying.tables import TABLES, Sum
from hardwon.errors import InvalidInput, StorageError
from hardwon.postgres.deadline import patient

if TYPE_CHECKING:
    from collections.abc import Callable

    from hardwon.copying.tables import Table


@patient()
def copy(
    source: str,
    target: str,
    *,
    home: str,
    resume: bool = False,
    tell: Callable[[int], None] = lambda done: None,
) -> int:
    """Copy all tenants and verify the copy; returns the number of rows.

    A target with data is refused, unless `resume`: then existing rows stay as they are.
    """
    old, new = _end(source, home), _end(target, home)
    try:
        if new.tenants() and not resume:
            raise InvalidInput(f"the target already holds data of {', '.join(new.tenants()[:3])}")
        tenants, done = old.tenants(), 0
        new.set_salt(old.store.units.salt())
        for tenant in tenants:
            for table in TABLES:
                for rows in pages(old, tenant, table):
                    new.put(tenant, table, rows)
                    done += len(rows)
                    tell(done)
            share = old.store.units.share(tenant)
            if share is not None:
                new.store.units.set_share(tenant, share)
        new.finish(tenants)
        _verify(old, new, tenants, target)
        return done
    finally:
        old.close()
        new.close()


def _end(place: str, home: str) -> FileEnd | ServerEnd:
    return ServerEnd(place, home) if _homes.is_database(place) else FileEnd(place)


def _verify(
    old: FileEnd | ServerEnd, new: FileEnd | ServerEnd, tenants: list[str], target: str
) -> None:
    """Compare counts and digests of every table, and let the target check itself."""
    for tenant in tenants:
        for table in TABLES:
            copied, arrived = _sum(old, tenant, table), _sum(new, tenant, table)
            if copied != arrived:
                problem = (
                    f"{table.name} of {tenant!r}: {arrived.rows} rows of {copied.rows}, or changed"
                )
                raise StorageError(_shown(target), problem, "copy again with --resume")
    if problems := new.store.check():
        raise StorageError(_shown(target), "; ".join(problems), "copy into an empty target")


def _sum(end: FileEnd | ServerEnd, tenant: str, table: Table) -> Sum:
    total = Sum()
    for rows in pages(end, tenant, table):
        total = total.plus(rows)
    return total


def _shown(target: str) -> str:
    return "the database" if _homes.is_database(target) else target
