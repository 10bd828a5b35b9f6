"""Tell workers of new jobs with NOTIFY, which is too expensive to send for every job."""

from __future__ import annotations

import os
import select
import threading
from contextlib import closing
from time import monotonic

from hardwon.storage.postgres.connection import (
    Connection,
    connect,
    explain_error,
    name_of,
    psycopg,
    without_own_options,
)

CHANNEL = "hardwon_jobs"
NOTIFY = f"SELECT pg_notify('{CHANNEL}', :words)"
_PATIENCE = 5.0  # seconds for one answer
_ECHO = 1.0  # seconds for a notice to arrive
_QUIET = 3.0  # seconds; not every job is notified, so after a notice workers poll for a while
_RECONNECT = 2.0  # seconds until a lost connection is opened again


def is_pooled(url: str) -> bool:
    """Whether the URL names a pooler (`?pgbouncer=true`)."""
    return without_own_options(url)[1]


def hears(url: str) -> bool:
    """Whether a notice reaches another connection; it does not through a pooler."""
    with closing(connect(url, patience=_PATIENCE)) as listener:
        listener.execute(f"LISTEN {CHANNEL}")
        with closing(connect(url, patience=_PATIENCE)) as speaker:
            speaker.execute(f"NOTIFY {CHANNEL}, 'heard'")  # a pooler may not prepare statements
        return bool(select.select([listener.fileno()], [], [], _ECHO)[0]) and _has_notice(listener)


def inspect(url: str) -> tuple[bool, str]:
    """Whether workers are notified of new jobs, in words."""
    if is_pooled(url):
        return True, "workers behind a pooler poll for jobs every 2 s"
    try:
        is_heard = hears(url)
    except (psycopg.Error, TimeoutError) as error:
        return False, str(explain_error(error, name_of(url)))
    if is_heard:
        return True, "workers are notified of new jobs at once"
    return False, "NOTIFY does not arrive: behind PgBouncer add `pgbouncer=true` to the URL"


class JobListener:
    """A thread with its own connection; `fd` is readable when a notice came."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._heard_at: float | None = None  # None: notices would not arrive
        self.fd, self._signal = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._ended, self._end = os.pipe2(os.O_CLOEXEC)
        self._thread = threading.Thread(target=self._listen, daemon=True, name="hardwon-listener")
        self._thread.start()

    def close(self) -> None:
        """End the thread and its connection."""
        os.write(self._end, b".")
        self._thread.join(2 * _PATIENCE)
        for handle in (self.fd, self._signal, self._ended, self._end):
            os.close(handle)

    def _listen(self) -> None:
        while not self._is_ended(0):
            try:
                with closing(connect(self._url, patience=_PATIENCE)) as connection:
                    connection.execute(f"LISTEN {CHANNEL}")
                    self._wake()  # notices from before the listener started
                    self._hear(connection)
            except (psycopg.Error, TimeoutError, OSError):
                self._heard_at = None
                self._is_ended(_RECONNECT)

    def _hear(self, connection: Connection) -> None:
        """Pass on notices until the end or until the server is gone."""
        while True:
            ready = select.select([connection.fileno(), self._ended], [], [])[0]
            if self._ended in ready:
                return
            if _has_notice(connection):
                self._wake()

    @property
    def is_quiet(self) -> bool:
        """Whether no notice came for a while, although it would have arrived."""
        return self._heard_at is not None and monotonic() - self._heard_at > _QUIET

    def _wake(self) -> None:
        self._heard_at = monotonic()
        try:
            os.write(self._signal, b".")
        except BlockingIOError:  # the pipe is full: one unread byte is enough
            return

    def _is_ended(self, seconds: float) -> bool:
        return bool(select.select([self._ended], [], [], seconds)[0])


def _has_notice(connection: Connection) -> bool:
    """Whether a notice has arrived; takes all of them."""
    connection.pgconn.consume_input()
    return len(list(iter(connection.pgconn.notifies, None))) > 0
