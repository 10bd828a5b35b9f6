"""A hard limit on waiting for the server, even if it freezes or vanishes.

A frozen backend ignores `statement_timeout`, so the limit is kept here: psycopg drives its protocol
as a generator over a non-blocking socket, and the generator is closed when the time is over.
"""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    T = TypeVar("T")

REST = 2.0  # seconds after a failure in which callers in an agent's turn do not try again


class _Mine(threading.local):
    is_patient = False


_mine = _Mine()


@contextmanager
def patient() -> Iterator[None]:
    """Let this thread wait without a limit, for work on whole tables."""
    before, _mine.is_patient = _mine.is_patient, True
    try:
        yield
    finally:
        _mine.is_patient = before


def is_patient() -> bool:
    """Whether this thread waits without a limit."""
    return _mine.is_patient


def bounded(protocol: Generator[Any, Any, T], until: float) -> Generator[Any, Any, T]:
    """The same exchange with the server; raises TimeoutError after `until`."""
    try:
        events = next(protocol)
        while True:
            ready = yield events
            if time.monotonic() >= until and not ready:
                protocol.close()
                raise TimeoutError
            events = protocol.send(ready)
    except StopIteration as end:
        result: T = end.value
        return result


class ServerBreaker:
    """After a failure, callers in an agent's turn do not try again for a while."""

    def __init__(self, rest: float = REST) -> None:
        self._rest = rest
        self._until = 0.0

    @property
    def is_open(self) -> bool:
        """Whether it is too early for another try."""
        return time.monotonic() < self._until

    def trip(self) -> None:
        """Note a failure."""
        self._until = time.monotonic() + self._rest

    def reset(self) -> None:
        """Note that the server answered."""
        self._until = 0.0
