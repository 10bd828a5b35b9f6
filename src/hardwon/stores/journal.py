"""What is noted on the agent's path and moved into the database off it."""

from __future__ import annotations

import os

from hardwon import _homes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from typing import Any, Protocol, TypeVar

    from hardwon.stores.spool import Spool

    T = TypeVar("T")

    class Transaction(Protocol):
        """What a database gives to those who write."""

        def hold(self, resource: AbstractContextManager[T]) -> T: ...


SPOOL_LIMIT = 1 << 20  # bytes after which a closing process folds the spool in


def notes_for(home: str, url: str) -> str:
    """The file of what waits to be told to a server, and to no other."""
    return os.path.join(home, f"deliveries-{_homes.digest(url)}.spool")


class Journal:
    """A spool beside the database whose records are folded in by those who wrote them."""

    def __init__(
        self,
        database: AbstractContextManager[Transaction],
        spool: Spool,
        is_due: Callable[[str], bool] = lambda batch: True,
        copy: Spool | None = None,
    ) -> None:
        """`is_due`: whether a batch counts; one whose commit got no answer is sent again.

        `copy`: a spool that gets every record as well, for one who folds it elsewhere.
        """
        self._db = database
        self._spool = spool
        self._is_due = is_due
        self._copy = copy
        self._folds: dict[str, Callable[[list[list[Any]]], None]] = {}

    def on(self, kind: str, fold: Callable[[list[list[Any]]], None]) -> None:
        """Say who moves the records of a kind into the database."""
        self._folds[kind] = fold

    def note(self, kind: str, *values: object) -> None:
        """Add a record; costs microseconds and waits for nobody."""
        self._spool.append([kind, *values])
        if self._copy is not None:
            self._copy.append([kind, *values])

    def fold(self) -> int:
        """Move what was noted into the database; how many records there were."""
        if not self._spool.size():
            return 0
        with self._db as db:
            batch, records = db.hold(self._spool.take())
            if not records or not self._is_due(batch):
                return 0
            for kind, fold in self._folds.items():
                if own := [values for found, *values in records if found == kind]:
                    fold(own)
            return len(records)

    @property
    def is_empty(self) -> bool:
        """Whether everything was folded in, by whomever."""
        return self._spool.size() == 0

    @property
    def is_full(self) -> bool:
        """Whether it is time to fold even where no worker ever runs."""
        return self._spool.size() > SPOOL_LIMIT
