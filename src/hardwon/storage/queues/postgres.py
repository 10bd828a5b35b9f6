"""Jobs in a PostgreSQL table, for any number of processes on any machines."""

from __future__ import annotations

import itertools
import os
import select
import threading
from collections import Counter, deque
from collections.abc import Iterable, Sequence
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta
from time import monotonic
from typing import Any, NamedTuple

from hardwon.core.errors import NotFound, Unavailable
from hardwon.core.text.clean import file_id
from hardwon.core.values.job import Job, QueueCounts
from hardwon.storage.postgres.connection import (
    Connection,
    connect,
    explain_error,
    name_of,
    psycopg,
    without_own_options,
)
from hardwon.storage.postgres.database import EVERY_TENANT, Database
from hardwon.storage.queues.records import BadRecord, decode, encode, encode_new
from hardwon.storage.sql.dialect import Statement, bind, read_queries

WAITING, CLAIMED, DEAD, UNREADABLE = range(4)  # the states of a row

COLUMNS = "id, record, due, enqueued_at, attempts, wait, last_error"
_SQL = read_queries(__file__, COLUMNS=COLUMNS)


def job_of(row: tuple[Any, ...]) -> Job | None:
    """The job of a row; None when its record cannot be read."""
    identity, record, due, came, attempts, wait, error = row[:7]
    try:
        job = decode(bytes(record))
    except BadRecord:
        return None
    if job.id != identity:
        return None
    return job._replace(
        due=due.astimezone(UTC),
        enqueued_at=came.astimezone(UTC),
        attempts=attempts,
        wait=wait,
        last_error=error,
    )


def jobs_of(rows: Sequence[tuple[Any, ...]]) -> list[Job]:
    """The jobs of rows, without those that cannot be read."""
    return list(filter(None, map(job_of, rows)))


def columns(jobs: Sequence[Job], records: Sequence[bytes]) -> dict[str, list[Any]]:
    """The values of many rows, by column. `keys` identify records for good."""
    return {
        "ids": [job.id for job in jobs],
        "tenants": [job.episode.scope.tenant for job in jobs],
        "records": list(records),
        "dues": [job.due for job in jobs],
        "came": [job.enqueued_at for job in jobs],
        "attempts": [job.attempts for job in jobs],
        "waits": [job.wait for job in jobs],
        "errors": [text(job.last_error) for job in jobs],
        "keys": [f"job {job.id} {job.enqueued_at.astimezone(UTC).isoformat()}" for job in jobs],
    }


def text(words: str) -> str:
    """The text as the server can store it."""
    return words.replace("\0", "").encode("utf-8", "replace").decode()


class HeldJobs:
    """Claimed jobs. No two requests for jobs have the same token; with it an attempt settles."""

    def __init__(self) -> None:
        self._process = f"{os.urandom(8).hex()}."
        self._number = itertools.count(1)
        self.ready: deque[Job] = deque()  # not yet handed out
        self._claims: dict[str, str] = {}  # of the attempt that holds each job
        self._finished: dict[str, str] = {}  # done, but still in the table
        self._unsent: list[tuple[Statement, str]] = []  # with the event that each one counts
        self.has_lost_answer = False  # jobs may have been claimed without being received

    def new_claim(self) -> str:
        """The token of the next request for jobs."""
        return f"{self._process}{next(self._number)}"

    def receive(self, jobs: Iterable[Job]) -> None:
        """Take over these claimed jobs."""
        for job in jobs:
            self._claims[job.id] = job.claim
            self.ready.append(job)

    def finish(self, job: Job) -> None:
        """Note that a job is done, if this attempt holds it."""
        if self._is_held(job):
            self._finished[job.id] = self._claims.pop(job.id)

    def settle(self, statement: str, job: Job, *, event: str = "", **values: object) -> None:
        """Note another outcome of a job, if this attempt holds it."""
        if self._is_held(job):
            claim = {job.id: self._claims.pop(job.id)}
            self._unsent.append((_about(statement, claim, **values), event))

    def hand_back(self) -> None:
        """Give back the jobs that were claimed but not begun."""
        unbegun = {job.id: self._claims.pop(job.id) for job in self.ready}
        self.ready.clear()
        if unbegun:
            self._unsent.append((_about(_SQL["hand_back"], unbegun), ""))

    def unsent(self) -> list[Statement]:
        """The statements to send before any other."""
        done = [_about(_SQL["done"], self._finished)] if self._finished else []
        return [*(statement for statement, _ in self._unsent), *done]

    def mark_sent(self, settled: Sequence[Sequence[object]]) -> Counter[str]:
        """Forget what has been reported; counts the jobs that the server settled by it."""
        events = [*(event for _, event in self._unsent), "done"]
        self._unsent.clear()
        self._finished.clear()
        return Counter(
            event for event, rows in zip(events, settled, strict=False) if event for _ in rows
        )

    def recovery(self) -> list[Statement]:
        """The statements that give back jobs whose claim was lost."""
        is_lost, self.has_lost_answer = self.has_lost_answer, False
        values = {"process": self._process, "claims": list(self._claims.values())}
        return [bind(_SQL["unknown"], **values)] if is_lost else []

    def _is_held(self, job: Job) -> bool:
        return bool(job.claim) and self._claims.get(job.id) == job.claim


def _about(statement: str, claims: dict[str, str], **values: object) -> Statement:
    return bind(statement, ids=list(claims), claims=list(claims.values()), **values)


_AT_ONCE = 1000  # rows
_BETWEEN_ROUNDS = 60.0  # seconds
_BETWEEN_NOTICES = 0.05  # seconds; the server takes a lock for each
_REMEMBERED = timedelta(days=30)  # how long a forwarded record is remembered
STALE = "stale: waited longer than queue.stale_after"


class TableLimits(NamedTuple):
    """Time limits for jobs."""

    lease: timedelta = timedelta(seconds=150)  # then another worker may claim the job
    stale_after: timedelta = timedelta(days=7)  # zero: never
    longest_wait: timedelta = timedelta(days=1)  # even if the clock jumps


_PAUSE = timedelta(seconds=2)
_PAUSE_IF_WOKEN = timedelta(seconds=5)  # polling finds retries and expired leases


class PostgresQueue:
    """One row per job. A claim holds a job until its lease ends; only its holder settles it.

    Finished jobs leave the table with the next request of this process: one commit ends some jobs
    and begins others. A crash in between repeats them, as any crash does.
    """

    def __init__(self, database: Database, limits: TableLimits = TableLimits()) -> None:
        self._db = database
        self._limits = limits
        self._lock = threading.RLock()
        self._held = HeldJobs()
        self._gone = Counter(done=0, buried=0, set_aside=0)  # since this process opened the queue
        self._accepted = 0  # the sum of all these and of those that wait
        self._tended = False
        self._next_round = self._next_notice = 0.0  # by `monotonic`
        self._listener: JobListener | None = None

    def put(self, job: Job) -> bool:
        file_id(job.id, "job id")
        new = bind(_SQL["put"], **columns([job], [encode_new(job)]))
        return bool(self._ask(new, *self._notice())[0][0][0])

    def forward(self, jobs: Sequence[Job]) -> None:
        """Store jobs that waited elsewhere; each counts once, however often it is forwarded."""
        rows = columns(jobs, [encode(job) for job in jobs])
        self._ask(bind(_SQL["forward"], **rows), *self._notice())

    def claim(self, now: datetime, *, slots: int = 1) -> Job | None:
        with self._lock:
            if not self._held.ready:
                self._take(now, max(1, slots))
            return self._held.ready.popleft() if self._held.ready else None

    def done(self, job: Job) -> None:
        with self._lock:
            self._held.finish(job)

    def retry(self, job: Job) -> None:
        plan: dict[str, Any] = {"due": job.due, "wait": job.wait, "attempts": job.attempts}
        self._settle(_SQL["retry"], job, error=text(job.last_error), **plan)

    def bury(self, job: Job, reason: str) -> None:
        self._settle(_SQL["bury"], job, event="buried", error=text(reason), attempts=job.attempts)

    def waiting(self) -> list[Job]:
        return jobs_of(self._ask(bind(_SQL["list"], states=[WAITING, CLAIMED]))[0])

    def dead(self) -> list[Job]:
        return jobs_of(self._ask(bind(_SQL["list"], states=[DEAD]))[0])

    def revive(self, identity: str, now: datetime) -> None:
        revive = bind(_SQL["revive"], id=identity, now=now)
        if not self._ask(revive, *self._notice())[0]:
            raise NotFound("dead job", identity)

    def purge(self, identity: str) -> None:
        if not self._remove(identity, DEAD):
            raise NotFound("dead job", identity)

    def forget(self, job: Job) -> None:
        self._remove(job.id, WAITING, CLAIMED)

    def counts(self) -> QueueCounts:
        results = self._ask(bind(_SQL["counts"]), bind(_SQL["events"]))
        states, events = map(dict, results)
        waiting, claimed = states.get(WAITING, 0), states.get(CLAIMED, 0)
        total = waiting + claimed + sum(self._gone.values())
        self._gone["set_aside"] += max(0, self._accepted - total)  # other workers finished them
        self._accepted = max(self._accepted, total)
        return QueueCounts(
            pending=waiting + claimed,
            dead=states.get(DEAD, 0),
            quarantined=states.get(UNREADABLE, 0),
            in_memory=waiting,
            in_flight=claimed,
            accepted=self._accepted,
            **self._gone,
            **{event: events.get(event, 0) for event in ("deduped", "corrupt", "stale")},
        )

    def worker(self) -> int | None:
        return None  # others may work too; no process has to wait for them

    def wakeups(self) -> Sequence[int]:
        if is_pooled(self._db.url):  # a pooler does not pass notices on
            return ()
        self._listener = self._listener or JobListener(self._db.url)
        return (self._listener.fd,)

    def pause(self) -> timedelta:
        return _PAUSE_IF_WOKEN if self._listener and self._listener.is_quiet else _PAUSE

    def close(self) -> None:
        with self._lock:
            if self._listener is not None:
                self._listener.close()
                self._listener = None
            self._held.hand_back()
            try:
                if self._held.unsent():
                    self._ask()
            finally:
                self._db.close()

    def _ask(self, *requests: Statement) -> list[list[Any]]:
        """One transaction in one round trip; it also reports the results of finished jobs."""
        with self._lock:
            first = self._held.unsent()
            try:
                results = self._db.ask(EVERY_TENANT, *first, *requests)
            except Unavailable:
                self._held.has_lost_answer = True
                raise
            self._gone.update(self._held.mark_sent(results[: len(first)]))
            return results[len(first) :]

    def _take(self, now: datetime, most: int) -> None:
        """Claim jobs that are due, and set aside unreadable ones."""
        upkeep, claim = self._upkeep(now), self._held.new_claim()
        take = bind(_SQL["claim"], now=now, most=most, claim=claim, lease=self._limits.lease)
        rows = self._ask(*self._held.recovery(), *upkeep, take)[-1]
        if upkeep:
            self._next_round, self._tended = monotonic() + _BETWEEN_ROUNDS, True
        jobs = {row[0]: job_of(row) for row in rows}
        if broken := [identity for identity, job in jobs.items() if job is None]:
            self._ask(bind(_SQL["set_aside"], ids=broken))
        self._held.receive(job._replace(claim=claim) for job in jobs.values() if job)

    def _upkeep(self, now: datetime) -> list[Statement]:
        """The upkeep that is due, to be sent along with the next claim."""
        if monotonic() < self._next_round:
            return []
        limits = self._limits
        statements = [
            bind(_SQL["wrong_clocks"], now=now, longest=limits.longest_wait, most=_AT_ONCE),
            bind(_SQL["forget_forwarded"], age=_REMEMBERED, most=_AT_ONCE),
        ]
        if not self._tended and limits.stale_after:
            values = {"before": now - limits.stale_after, "reason": STALE, "most": _AT_ONCE}
            statements.append(bind(_SQL["bury_stale"], **values))
        return statements

    def _notice(self) -> list[Statement]:
        """What tells workers of a new job, but not too often; polling finds the others."""
        if monotonic() < self._next_notice:
            return []
        self._next_notice = monotonic() + _BETWEEN_NOTICES
        return [bind(NOTIFY, words="")]

    def _settle(self, statement: str, job: Job, *, event: str = "", **values: object) -> None:
        with self._lock:
            self._held.settle(statement, job, event=event, **values)
            with suppress(Unavailable):  # sent again once the server is back
                if self._held.unsent():
                    self._ask()

    def _remove(self, identity: str, *states: int) -> bool:
        return bool(self._ask(bind(_SQL["remove"], id=identity, states=list(states)))[0])


CHANNEL = "hardwon_jobs"
NOTIFY = f"SELECT pg_notify('{CHANNEL}', :words)"
_LISTENED = 5.0  # seconds for one answer
_ECHO = 1.0  # seconds for a notice to arrive
_QUIET_AFTER = 3.0  # seconds; not every job is notified, so after a notice workers poll for a while
_RECONNECT = 2.0  # seconds until a lost connection is opened again


def is_pooled(url: str) -> bool:
    """Whether the URL names a pooler (`?pgbouncer=true`)."""
    return without_own_options(url)[1]


def hears(url: str) -> bool:
    """Whether a notice reaches another connection; it does not through a pooler."""
    with closing(connect(url, patience=_LISTENED)) as listener:
        listener.execute(f"LISTEN {CHANNEL}")
        with closing(connect(url, patience=_LISTENED)) as speaker:
            speaker.execute(f"NOTIFY {CHANNEL}, 'heard'")  # a pooler may not prepare statements
        return bool(select.select([listener.fileno()], [], [], _ECHO)[0]) and _has_notice(listener)


def inspect(url: str) -> tuple[bool, str]:
    """Whether workers are notified of new jobs, in words."""
    if is_pooled(url):
        return True, "workers behind a pooler poll for jobs every 2 s"
    try:
        if hears(url):
            return True, "workers are notified of new jobs at once"
    except (psycopg.Error, TimeoutError) as error:
        return False, str(explain_error(error, name_of(url)))
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
        self._thread.join(2 * _LISTENED)
        for handle in (self.fd, self._signal, self._ended, self._end):
            os.close(handle)

    def _listen(self) -> None:
        while not self._is_ended(0):
            try:
                with closing(connect(self._url, patience=_LISTENED)) as connection:
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
        return self._heard_at is not None and monotonic() - self._heard_at > _QUIET_AFTER

    def _wake(self) -> None:
        self._heard_at = monotonic()
        with suppress(BlockingIOError):  # the pipe is full: one unread byte is enough
            os.write(self._signal, b".")

    def _is_ended(self, seconds: float) -> bool:
        return bool(select.select([self._ended], [], [], seconds)[0])


def _has_notice(connection: Connection) -> bool:
    """Whether a notice has arrived; takes all of them."""
    connection.pgconn.consume_input()
    return len(list(iter(connection.pgconn.notifies, None))) > 0
