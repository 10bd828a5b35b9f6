"""Open and work the queue of a home, and start a worker if none is running.

Jobs for a server that may be unavailable are stored on this machine first: an agent's turn never
waits for the server. A worker forwards them before it claims, and a long-lived process in a thread.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import random
import signal
import threading
from contextlib import suppress
from datetime import datetime, timedelta
from itertools import islice
from typing import TYPE_CHECKING, Any, cast

from hardwon.core import _files, _isolation
from hardwon.core.errors import HardwonError, StorageError, Unavailable
from hardwon.core.values.job import (
    Backoff,
    Job,
    Policy,
    QueueCounts,
    Tally,
    WorkCounter,
    WorkerStatus,
    since,
)
from hardwon.engine.pipeline import work
from hardwon.storage.queues import files, memory

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence

    from hardwon.core.settings import QueueSettings, Settings
    from hardwon.storage.ports import WorkedQueue
    from hardwon.storage.queues import postgres

    Process = Callable[[Job], Awaitable[Any]]

FOREVER, EMPTY, ONCE = "forever", "empty", "once"  # how long a worker works
_TENDING = 2.0  # seconds between two rounds of upkeep
_STAND_BY = 0.1  # seconds between checks while another process works the queue
_started: set[int] = set()
_SETTLING = timedelta(seconds=30)  # from the end of an attempt until the server must know
_PATIENCE = 3.0  # seconds without an answer after which the server counts as unavailable
_CLOSING = 10.0  # seconds for a background worker to end after its jobs
_AT_ONCE = 500  # jobs of one commit
_REST = 1.0  # seconds until an unavailable server is tried again

_LINGER = "10s"  # how long a worker that was started on demand waits for more jobs


def base_of(settings: Settings) -> str:
    """The folder of the queue."""
    return os.path.join(settings.home, settings.queue.base_dir or "queue")


def open_queue(settings: Settings, *, durable: bool) -> WorkedQueue:
    """The configured queue; in memory unless it must be durable.

    With a remote database, jobs are stored here first and worked there.
    """
    values = settings.queue
    if not durable or not values.enabled:
        return memory.MemoryQueue(
            values.capacity, drop_oldest=values.drop_oldest, block_timeout=values.block_timeout
        )
    limits = files.QueueLimits(
        values.capacity,
        values.drop_oldest,
        values.block_timeout,
        values.stale_after,
        max(values.max_delay, timedelta(minutes=1)),
    )
    local = files.FileQueue(base_of(settings), limits)
    if not settings.postgres.url:
        return local
    sends = not settings.is_for_hooks
    queue = OutboxQueue(local, lambda: _on_server(settings), is_resident=sends)
    return cast("WorkedQueue", queue)


def _on_server(settings: Settings) -> postgres.PostgresQueue:
    values, url = settings.queue, settings.postgres.url
    from hardwon.storage.queues import postgres

    limits = postgres.TableLimits(
        policy(values).timeout + _SETTLING,
        values.stale_after,
        max(values.max_delay, timedelta(minutes=1)),
    )
    from hardwon.storage.postgres import database

    return postgres.PostgresQueue(database.Database(url, pool=2, patience=_PATIENCE), limits)


class OutboxQueue:
    """Puts go to `local`, everything else to the server, which is opened on first use."""

    def __init__(
        self,
        local: files.FileQueue,
        server: Callable[[], postgres.PostgresQueue],
        *,
        is_resident: bool,
    ) -> None:
        self._local = local
        self._opened: postgres.PostgresQueue | None = None
        self._open = server
        self._sender = Sender(self.forward) if is_resident else None
        self._forwarding = threading.Lock()

    @property
    def _server(self) -> postgres.PostgresQueue:
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


class WorkerProcess:
    """Works one queue with one processor."""

    def __init__(
        self,
        queue: WorkedQueue,
        process: Process,
        *,
        settings: Settings,
        clock: Callable[[], datetime],
        spent: Callable[[], Mapping[str, float]] = dict,
        tend: Callable[[], Iterator[object]] = lambda: iter(()),
    ) -> None:
        self._spent = spent
        self._spent_last: Mapping[str, float] = {}
        self._tend = tend
        self._queue = queue
        self._process = process
        self._settings = settings
        self._clock = clock
        self.ledger = WorkCounter()
        self._start = queue.counts()
        self._is_troubled = False
        self._tending = threading.Lock()

    async def drain(self) -> Tally:
        """Work every job that is due, or wait while another process does."""
        before = self.ledger.tally
        try:
            await self._until_empty(self._clock, asyncio.Event())
        finally:
            self._queue.close()
        await self._look_after(asyncio.Event())
        return self.ledger.tally.minus(before)

    async def serve(
        self,
        mode: str = FOREVER,
        *,
        idle: timedelta | None = None,
        stop: asyncio.Event | None = None,
    ) -> Tally:
        """Work until SIGTERM or SIGINT (a second one kills), until `stop`, or as the mode says."""
        if stop is None:
            stop = asyncio.Event()
            _stop_by_signal(stop)
        tasks = [self._keep_looking_after(stop)]
        if self._settings.queue.enabled:
            tasks.append(self._show_status())
        beside = [asyncio.ensure_future(task) for task in tasks]
        try:
            clock = work.steady(self._clock)
            if mode == EMPTY:
                await self._until_empty(clock, stop)
            elif mode == ONCE:
                await self._pool(clock).until_idle(stop, is_once=True)
            else:
                await self._pool(clock).until(stop, idle=idle, wakeups=self._queue.wakeups())
            await self._look_after(stop)
            return self.ledger.tally
        finally:
            for task in beside:
                task.cancel()
            self._queue.close()
            with suppress(OSError):
                _files.unlink(status_path(self._settings))

    async def _until_empty(self, clock: Callable[[], datetime], stop: asyncio.Event) -> None:
        await self._pool(clock).until_idle(stop)
        while not stop.is_set() and self._queue.worker() is not None:
            if not any(job.due <= self._clock() for job in self._queue.waiting()):
                break
            await asyncio.sleep(_STAND_BY)
            await self._pool(clock).until_idle(stop)

    async def _keep_looking_after(self, stop: asyncio.Event) -> None:
        """Do upkeep again and again; only one process at a time does so."""
        while True:
            if self._queue.worker() is None:
                await self._look_after(stop)
            await asyncio.sleep(_TENDING)

    async def _look_after(self, stop: asyncio.Event) -> None:
        """Do upkeep step by step, so that a worker can stop; errors are logged, jobs go on."""
        try:
            while not self._tending.acquire(blocking=False):
                await asyncio.sleep(_STAND_BY)
            try:
                steps = self._tend()
                while not stop.is_set() and await asyncio.to_thread(next, steps, None) is not None:
                    continue
            finally:
                self._tending.release()
            self._is_troubled = False
        except HardwonError as error:
            if not self._is_troubled:
                logging.getLogger("hardwon").warning("lessons wait to be looked after: %s", error)
            self._is_troubled = True

    def metrics(self) -> bytes:
        """The counts of this worker and its queue in the format of Prometheus."""
        counts = since(self._start, self._queue.counts())
        with suppress(Unavailable):  # then the last known values are reported
            self._spent_last = self._spent()
        prefix = self._settings.metrics.prefix
        from hardwon.core import metrics as prometheus

        return prometheus.exposition(counts, self.ledger, self._spent_last, prefix=prefix)

    def _pool(self, clock: Callable[[], datetime]) -> work.WorkerPool:
        return work.WorkerPool(
            self._queue,
            self._process,
            policy=policy(self._settings.queue),
            clock=clock,
            chance=random.random,
            ledger=self.ledger,
        )

    async def _show_status(self) -> None:
        """Publish the state once a second; `hardwon queue top` reads it."""
        began = self._clock()
        while True:
            running = self.ledger.running.values()
            state = {
                "pid": os.getpid(),
                "at": self._clock().isoformat(),
                "began": began.isoformat(),
                **self.ledger.tally._asdict(),
                "running": [[*job[:3], job.since.isoformat()] for job in running],
            }
            if self._queue.worker() is None:
                with suppress(OSError):  # not durable on purpose, as it is soon out of date
                    _files.replace(status_path(self._settings), json.dumps(state).encode())
            await asyncio.sleep(1)


def policy(values: QueueSettings) -> Policy:
    """The configured policy of retries, time limits and workers."""
    backoff = Backoff(values.initial_delay, values.max_delay, values.jitter, values.max_attempts)
    timeout = values.job_timeout or Policy().timeout  # zero: the default
    return Policy(backoff, timeout, max(1, values.workers), values.drain_timeout)


class BackgroundWorker:
    """Works a queue in a thread of this process until it is closed, or until the process ends."""

    def __init__(self, worker: WorkerProcess, *, limit: float, durable: bool) -> None:
        self.worker = worker
        self._limit = limit  # seconds
        self._is_durable = durable
        self._process = os.getpid()
        self._has_begun = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True, name="hardwon-worker")
        self._thread.start()
        self._has_begun.wait()
        _at_exit(self.close)

    @property
    def is_running(self) -> bool:
        """Whether the thread is there; a forked process has none."""
        return self._thread.is_alive() and self._process == os.getpid()

    @property
    def is_busy(self) -> bool:
        """Whether a job is in flight."""
        return self.is_running and bool(self.worker.ledger.running)

    def close(self) -> None:
        """Begin no new job, and wait for those in flight; jobs in memory are worked first."""
        if self.is_running:
            with suppress(RuntimeError):  # the thread has just ended
                self._loop.call_soon_threadsafe(self._stop.set)
            self._thread.join(2 * self._limit + _CLOSING)

    def _run(self) -> None:
        try:
            asyncio.run(self._work())
        except HardwonError as error:
            logging.getLogger("hardwon").error("the queue is not worked here: %s", error)
        finally:
            self._has_begun.set()

    async def _work(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        self._has_begun.set()
        await self.worker.serve(stop=self._stop)
        if not self._is_durable:
            with suppress(TimeoutError):
                await asyncio.wait_for(self.worker.drain(), self._limit)


def _at_exit(close: Callable[[], None]) -> None:
    """Call `close` when the process ends, before the threads of asyncio are gone.

    `atexit` would be too late: a job in flight could not start a thread any more, and fail.
    """
    import concurrent.futures.thread  # noqa: F401 - what is registered last is called first
    import weakref

    method = weakref.WeakMethod(close)

    def at_exit() -> None:
        if (alive := method()) is not None:
            alive()

    threading._register_atexit(at_exit)  # type: ignore[attr-defined]


def start_detached(settings: Settings) -> int:
    """Start a worker that outlives this process and ends when idle; returns its process id."""
    home = os.path.abspath(settings.home)
    command = _isolation.command("work", "--idle", _LINGER, "--home", home, folder=home)
    environ = {**os.environ, "HARDWON_QUEUE_BASE_DIR": base_of(settings)}
    if settings.postgres.url:
        environ["HARDWON_POSTGRES_URL"] = settings.postgres.url
    for pid in list(_started):  # otherwise a long-lived agent would collect zombies
        try:
            ended, _ = os.waitpid(pid, os.WNOHANG)
        except ChildProcessError:
            ended = pid
        if ended:
            _started.discard(pid)
    log = os.path.join(base_of(settings), "worker.log")
    started = _isolation.start_detached(command, log=log, environ=environ)
    _started.add(started)
    return started


def status_path(settings: Settings) -> str:
    """The file in which the worker of a queue publishes its state."""
    return os.path.join(base_of(settings), "worker.json")


def status(settings: Settings) -> WorkerStatus:
    """The last published state of the worker; empty when none is running."""
    try:
        with open(status_path(settings), encoding="utf-8") as file:
            published: WorkerStatus = json.load(file)
    except (OSError, ValueError):
        return {}
    return published


def in_words(counts: QueueCounts) -> list[str]:
    """Problems that a person should look at, in words; [] if there are none."""
    problems = {
        "unreadable record{s} in quarantine": counts.quarantined,
        "job{s} waited outside a full memory (queue.capacity)": counts.rejected_full,
        "job{s} left memory for newer ones (queue.drop_oldest)": counts.dropped_oldest,
        "job{s} found stale and given up": counts.stale,
        "time{s} the disk refused a job": counts.storage_errors,
    }
    return [
        f"{number} {problem.format(s='' if number == 1 else 's')}"
        for problem, number in problems.items()
        if number
    ]


def _stop_by_signal(stop: asyncio.Event) -> None:
    if threading.current_thread() is not threading.main_thread():
        return
    loop = asyncio.get_running_loop()

    def stop_or_die() -> None:
        if stop.is_set():
            os._exit(1)
        stop.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop_or_die)
