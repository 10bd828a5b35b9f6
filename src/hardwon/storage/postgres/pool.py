"""A few connections for all threads of a process; a separate thread opens them."""

from __future__ import annotations

import select
import threading
import time
from typing import TYPE_CHECKING

from hardwon.core import _fork
from hardwon.core.errors import Unavailable
from hardwon.storage.postgres.connection import Connection, connect, psycopg

if TYPE_CHECKING:
    from collections.abc import Callable

_LIFETIME = 1800.0  # seconds; then a connection is replaced, as the server may have moved
_FORK_PATIENCE = 5.0  # seconds
_abandoned: list[
    Connection
] = []  # connections of a parent process; closing one would end the parent's session


class Pool:
    """At most `size` connections; the one used last is used next."""

    rank = _fork.INNER

    def __init__(self, url: str, *, size: int, patience: float | None) -> None:
        self._open: Callable[[], Connection] = lambda: connect(url, patience=patience)
        self._size = size
        self._changed = threading.Condition()
        self._idle: list[Connection] = []
        self._used: set[Connection] = set()
        self._connecting = 0
        self._closed = 0  # how often the pool was closed
        self._waiting = 0
        self._failures = 0
        self._problem = ""
        _fork.watch(self)

    def take(self, limit: float | None) -> Connection:
        """A working connection; Unavailable if there is none in time."""
        end = None if limit is None else time.monotonic() + limit
        with self._changed:
            failures = self._failures
            while True:
                if (connection := self._healthy()) is not None:
                    self._used.add(connection)
                    return connection
                if failures != self._failures:
                    raise Unavailable(self._problem)
                self._ensure_connecting()
                remaining = None if end is None else end - time.monotonic()
                if (remaining is not None and remaining <= 0) or not self._wait(remaining):
                    raise Unavailable("no connection in time")

    def give(self, connection: Connection) -> None:
        """Return a connection; a broken, busy or old one is closed."""
        is_idle = connection.info.transaction_status == psycopg.pq.TransactionStatus.IDLE
        is_young = time.monotonic() - connection.born < _LIFETIME
        with self._changed:
            if connection not in self._used:  # taken before a fork
                return
            self._used.discard(connection)
            if is_idle and is_young:
                self._idle.append(connection)
            else:
                connection.close()
            self._changed.notify()

    def close(self) -> None:
        """Close the idle connections; the next caller opens others."""
        with self._changed:
            idle, self._idle = self._idle, []
            self._closed += 1
        for connection in idle:
            connection.close()

    def _wait(self, limit: float | None) -> bool:
        self._waiting += 1
        try:
            return self._changed.wait(limit)
        finally:
            self._waiting -= 1

    def _healthy(self) -> Connection | None:
        """An idle connection without unread data; unread data means the server closed it."""
        while self._idle:
            connection = self._idle.pop()
            if not connection.closed and not select.select([connection.fileno()], [], [], 0)[0]:
                return connection
            connection.close()
        return None

    def _ensure_connecting(self) -> None:
        if len(self._used) + self._connecting < self._size and not self._connecting:
            self._connecting += 1
            threading.Thread(target=self._connect, daemon=True, name="hardwon-postgres").start()

    def _connect(self) -> None:
        changed, closed, connection, problem = self._changed, self._closed, None, ""
        try:
            connection = self._open()
        except psycopg.Error as error:
            problem = " ".join(str(error).split()) or type(error).__name__
        with changed:
            self._connecting -= 1
            if connection is None:
                self._failures, self._problem = self._failures + 1, problem
            elif closed != self._closed and not self._waiting:
                connection.close()
            else:
                self._idle.append(connection)
            changed.notify_all()

    def before_fork(self) -> None:
        """Close idle connections: a child could not use them."""
        self._is_held = self._changed.acquire(timeout=_FORK_PATIENCE)
        for connection in self._idle:
            connection.close()
        self._idle.clear()

    def after_fork(self, *, is_child: bool) -> None:
        if is_child:
            _abandoned.extend(self._used)
            self._changed, self._used = threading.Condition(), set()
            self._connecting = self._waiting = 0
        elif self._is_held:
            self._changed.release()
