"""Copy all that one store keeps into another, in pages, resumable and verified."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from hardwon.core import _files
from hardwon.core.errors import InvalidInput, StorageError
from hardwon.storage.copying.ends import FileEnd, ServerEnd, pages
from hardwon.storage.copying.tables import TABLES, Sum
from hardwon.storage.postgres.connection import patient

if TYPE_CHECKING:
    from collections.abc import Callable

    from hardwon.storage.copying.tables import Table

    End = FileEnd | ServerEnd


@patient()
def copy(
    source: str,
    target: str,
    *,
    home: str,
    resume: bool = False,
    tell: Callable[..., None] = lambda done, of, label: None,
) -> int:
    """Copy all tenants and verify the copy; returns the number of rows.

    A target with data is refused, unless `resume`: then existing rows stay as they are.
    `tell(done, of, label=…)` is called with the number of rows done, and of all rows.
    """
    old, new = _end(source, home), _end(target, home)
    try:
        if new.tenants() and not resume:
            problem = f"the target already has data of tenant {', '.join(new.tenants()[:3])}"
            raise InvalidInput(f"{problem}; --resume continues a copy that was interrupted")
        tenants = old.tenants()
        total = sum(old.count(tenant, table) for tenant in tenants for table in TABLES)
        new.set_salt(old.store.units.salt())
        _transfer(old, new, tenants, partial(tell, of=total, label="Copying"))
        new.finish(tenants)
        _verify(old, new, tenants, target, partial(tell, of=total, label="Comparing"))
        return total
    finally:
        old.close()
        new.close()


def _transfer(old: End, new: End, tenants: list[str], tell: Callable[[int], None]) -> None:
    """Put all rows of these tenants into the new store."""
    done = 0
    for tenant in tenants:
        for table in TABLES:
            for rows in pages(old, tenant, table):
                tell(done)
                new.put(tenant, table, rows)
                done += len(rows)
        share = old.store.units.share(tenant)
        if share is not None:
            new.store.units.set_share(tenant, share)


def _end(place: str, home: str) -> End:
    return ServerEnd(place, home) if _files.is_database(place) else FileEnd(place)


def _verify(
    old: End, new: End, tenants: list[str], target: str, tell: Callable[[int], None]
) -> None:
    """Compare counts and digests of every table, and let the target check itself."""
    done = 0
    for tenant in tenants:
        for table in TABLES:
            tell(done)
            copied, arrived = _sum(old, tenant, table), _sum(new, tenant, table)
            done += copied.rows
            if copied != arrived:
                problem = (
                    f"{table.name} of {tenant!r}: {arrived.rows} rows of {copied.rows}, or changed"
                )
                raise StorageError(_shown(target), problem, "copy again with --resume")
    if problems := new.store.check():
        raise StorageError(_shown(target), "; ".join(problems), "copy into an empty target")


def _sum(end: End, tenant: str, table: Table) -> Sum:
    total = Sum()
    for rows in pages(end, tenant, table):
        total = total.plus(rows)
    return total


def _shown(target: str) -> str:
    return "the database" if _files.is_database(target) else target
