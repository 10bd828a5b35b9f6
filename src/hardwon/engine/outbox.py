"""Jobs for a server that may be unavailable: stored on this machine first, then forwarded.

An agent's turn never waits for the server. Waiting jobs are forwarded by a worker before it
claims, and in a long-lived process by a separate thread.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Any

from hardwon.core.errors import StorageError, Unavailable
from hardwon.core.values.job import Job, QueueCounts

if TYPE_CHECKING:
    from hardwon.storage.queues.files import FileQueue
    from hardwon.storage.queues.postgres import PostgresQueue

_AT_ONCE = 500  # jobs of one commit
_REST = 1.0  # seconds until an unavailable server is tried again


class OutboxQueue:
    """Puts go to `local`, everything else to the server, which is opened on first use."""

    def __init__(
        self, local: FileQueue, server: Callable[[], PostgresQueue], *, is_resident: bool
    ) -> None:
        self._local = local
        self._opened: PostgresQueue | None = None
        self._open = server
        self._sender = Sender(self.forward) if is_resident else None
        self._forwarding = threading.Lock()

    @property
    def _server(self) -> PostgresQueue:
        self._opened = self._opened or self._open()
        return self._opened

    def forward(self) -> int:
        """Send the local jobs to the server, oldest first; returns how many."""
        sent = 0
        with self._forwarding:
            records = self._local.records()
            while jobs := list(islice(records, _AT_ONCE)):
                self._server.forward(jobs)
                for job in jobs:
                    self._local.forget(job)
                sent += len(jobs)
        return sent

    def put(self, job: Job) -> bool:
        is_new = self._local.put(job)
        if self._sender is not None:
            self._sender.send()
        return is_new

    def claim(self, now: datetime, *, slots: int = 1) -> Job | None:
        self._local.hold()
        self.forward()
        return self._server.claim(now, slots=slots)

    def __getattr__(self, name: str) -> Any:
        """What concerns claimed and dead jobs, and how long to pause, is up to the server."""
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._server, name)

    def waiting(self) -> list[Job]:
        on_server = self._server.waiting()
        server_ids = {job.id for job in on_server}
        local = [job for job in self._local.waiting() if job.id not in server_ids]
        return sorted([*local, *on_server], key=lambda job: job.enqueued_at)

    def forget(self, job: Job) -> None:
        self._local.forget(job)
        self._server.forget(job)

    def counts(self) -> QueueCounts:
        """The counts of the server plus the local jobs; only the latter while it is unavailable."""
        local = self._local.counts()
        try:
            server = self._server.counts()
        except Unavailable:
            server = QueueCounts()
        events = {"storage_errors": local.storage_errors, "quarantined": local.quarantined}
        sums = {name: getattr(server, name) + number for name, number in events.items()}
        return server._replace(
            pending=server.pending + local.pending, accepted=server.accepted + local.pending, **sums
        )

    def worker(self) -> int | None:
        return self._local.worker()

    def wakeups(self) -> Sequence[int]:
        return (*self._local.wakeups(), *self._server.wakeups())

    def close(self) -> None:
        self._local.close()
        if self._sender is not None:
            self._sender.close()
        if self._opened is not None:
            self._opened.close()


class Sender:
    """A thread that forwards jobs after each put, and pauses while the server is unavailable."""

    def __init__(self, forward: Callable[[], int]) -> None:
        self._forward = forward
        self._wanted, self._closed = threading.Event(), threading.Event()
        self._thread: threading.Thread | None = None

    def send(self) -> None:
        """Wake the sender; returns at once."""
        self._wanted.set()
        if self._thread is None or not self._thread.is_alive():  # threads do not survive a fork
            self._thread = threading.Thread(target=self._run, daemon=True, name="hardwon-sender")
            self._thread.start()

    def close(self) -> None:
        """Stop sending; wait for jobs that are being sent."""
        self._closed.set()
        self._wanted.set()
        if self._thread is not None and self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        while self._wanted.wait() and not self._closed.is_set():
            self._wanted.clear()
            try:
                self._forward()
            except (Unavailable, StorageError):
                self._closed.wait(_REST)
                self._wanted.set()
