"""Records noted on the agent's path and moved into the database later."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from hardwon.core import _files
from hardwon.core.errors import InvalidInput
from hardwon.storage.stores import spool
from hardwon.storage.stores.rows import noted_delivery

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from contextlib import AbstractContextManager
    from datetime import datetime

    from hardwon.core.values.delivery import Delivery, Unit
    from hardwon.core.values.run import EndedRun
    from hardwon.core.values.scope import Scope
    from hardwon.storage.stores.spool import Spool


T = TypeVar("T")


class Transaction(Protocol):
    """The part of a database that a journal writes to."""

    def hold(self, resource: AbstractContextManager[T]) -> T: ...


SPOOL_LIMIT = 1 << 20  # bytes after which a closing process folds in the spool


def notes_for(home: str, url: str) -> str:
    """The file of records that wait to be sent to this server."""
    return os.path.join(home, f"deliveries-{_files.database_digest(url)}.spool")


def server_spool(home: str, url: str) -> Spool:
    """The records on this machine that wait to be sent to a server."""
    return spool.Spool(notes_for(home, url))


class Journal:
    """A spool beside the database. The process that wrote its records folds them in later."""

    def __init__(
        self,
        database: AbstractContextManager[Transaction],
        spool: Spool,
        is_due: Callable[[str], bool] = lambda batch: True,
        copy: Spool | None = None,
        is_new: Callable[[str], bool] | None = None,
    ) -> None:
        """`is_due`: whether a batch is new; one whose commit got no answer is sent again.

        `is_new`: the same for batches that other machines send; default: `is_due`.

        `copy`: a second spool that gets every record, to be folded in elsewhere.
        """
        self._db = database
        self._spool = spool
        self._is_due = is_due
        self._is_new = is_new or is_due
        self._copy = copy
        self._folds: dict[str, Callable[[list[list[Any]]], None]] = {}

    def on(self, kind: str, fold: Callable[[list[list[Any]]], None]) -> None:
        """Register the function that moves records of a kind into the database."""
        self._folds[kind] = fold

    def note(self, kind: str, *values: object) -> None:
        """Add a record; this takes microseconds and waits for no lock."""
        self.note_all(kind, [values])

    def note_all(self, kind: str, rows: Iterable[Iterable[object]]) -> None:
        """Add several records of a kind at once."""
        records = [[kind, *values] for values in rows]
        self._spool.append(*records)
        if self._copy is not None:
            self._copy.append(*records)

    def holds(self, kind: str) -> bool:
        """Whether a record of this kind may wait to be folded; costs microseconds."""
        return self._spool.holds(kind)

    def fold(self) -> int:
        """Move all records into the database; returns how many there were."""
        if not self._spool.size():
            return 0
        with self._db as db:
            batch, records = db.hold(self._spool.take())
            if not records or not self._is_due(batch):
                return 0
            self._fold(records)
            return len(records)

    def receive(self, batch: str, records: Sequence[Sequence[object]]) -> None:
        """Fold in the records of another machine; once, however often the batch is sent."""
        try:
            with self._db:
                if self._is_new(batch):
                    self._fold(records)
        except (TypeError, ValueError, LookupError, AttributeError) as error:
            raise InvalidInput(f"a record of {batch!r} is damaged: {error}") from error

    def _fold(self, records: Sequence[Sequence[Any]]) -> None:
        for kind, fold in self._folds.items():
            if matching := [values for name, *values in records if name == kind]:
                fold(matching)

    @property
    def is_empty(self) -> bool:
        """Whether everything was folded in, by this or another process."""
        return self._spool.size() == 0

    @property
    def is_full(self) -> bool:
        """Whether the spool should be folded in even if no worker runs."""
        return self._spool.size() > SPOOL_LIMIT


class DeliveryNotes:
    """Writes deliveries: noted now, folded in later, off the agent's path."""

    _journal: Journal

    def log(self, delivery: Delivery) -> None:
        self._journal.note("delivery", *noted_delivery(delivery))

    def report(self, scope: Scope, delivery: str, outcome: str) -> None:
        self._journal.note("outcome", *scope, delivery, outcome)

    def settle(self, scope: Scope, outcomes: Sequence[tuple[str, str]]) -> None:
        self._journal.note_all("settled", [(*scope, *outcome) for outcome in outcomes])


class RunNotes:
    """Writes ended runs: noted now, folded in later, off the agent's path."""

    _journal: Journal

    def keep(self, run: EndedRun) -> None:
        from hardwon.storage.stores import records

        self._journal.note("ended run", run.scope, *records.noted_run(run))


class UnitNotes:
    """Writes units of a hold-out: noted now, folded in later, off the agent's path."""

    _journal: Journal

    def log(self, unit: Unit) -> None:
        facts = unit._asdict() | {"at": unit.at.timestamp()}
        self._journal.note("unit", *facts.values())

    def settle(self, scope: Scope, run: str, family: str, outcome: str) -> None:
        self._journal.note("unit settled", scope, run, family, outcome)

    def exclude(self, scope: Scope, families: Sequence[str], now: datetime) -> None:
        self._journal.note("unit excluded", scope, families, now.timestamp())
