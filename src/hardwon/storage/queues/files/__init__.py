"""The queue of one home: records found in a folder, admitted to memory, handed out in order."""

from __future__ import annotations

import heapq
import itertools
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from hardwon.core.errors import StorageError
from hardwon.core.text.clean import file_id
from hardwon.core.values.job import Job, QueueCounts
from hardwon.storage.queues.files.folder import EventCounts, Folder, SignedLock
from hardwon.storage.queues.files.record_dir import (
    DeadLetters,
    FolderWatch,
    Inotify,
    RecordDir,
    clean,
)
from hardwon.storage.queues.records import encode_new


class Schedule:
    """Jobs by due time: at most `capacity` are sorted, the others known by name."""

    def __init__(self, capacity: int, *, drop_oldest: bool, patience: timedelta) -> None:
        self._capacity = max(1, capacity)
        self._drops_oldest = drop_oldest
        self._patience = patience
        self._serial = itertools.count()
        self._heap: list[tuple[datetime, datetime, int, str]] = []
        self._queued: dict[str, tuple[datetime, int]] = {}  # enqueued at, and its heap entry
        self._arrived: dict[str, datetime] = {}  # new, by the time it began to wait for room
        self._outside: dict[str, None] = {}  # waiting for room, already counted
        self._in_flight: dict[str, str] = {}  # with the token of the attempt
        self._places: tuple[dict[str, Any], ...] = (
            *(self._queued, self._in_flight, self._arrived, self._outside),
        )

    def __contains__(self, name: object) -> bool:
        return any(name in place for place in self._places)

    def __len__(self) -> int:
        return len(self._queued)

    @property
    def in_flight(self) -> int:
        """How many jobs are claimed."""
        return len(self._in_flight)

    def arrive(self, names: Iterable[str], now: datetime) -> None:
        """Note new jobs; they are admitted when there is room."""
        self._arrived.update(dict.fromkeys(names, now))

    def leave_outside(self, names: Iterable[str]) -> None:
        """Note jobs from before the start; they are admitted when there is room."""
        self._outside.update(dict.fromkeys(names))

    def next_outside(self) -> str | None:
        """The name to admit next, if there is room."""
        if len(self._queued) < self._capacity:
            return next(iter(self._outside), None) or next(iter(self._arrived), None)
        return next(iter(self._arrived), None) if self._drops_oldest else None

    def admit(self, name: str, due: datetime, enqueued_at: datetime) -> bool:
        """Queue a job; True when the oldest was moved out for it (it stays known by name)."""
        is_new = name in self._arrived
        self.forget(name)
        crowded = is_new and len(self._queued) >= self._capacity
        if crowded:
            oldest = min(self._queued, key=self._queued.__getitem__)
            del self._queued[oldest]
            self._outside[oldest] = None
        serial = next(self._serial)
        self._queued[name] = enqueued_at, serial
        heapq.heappush(self._heap, (due, enqueued_at, serial, name))
        return crowded

    def take(self, now: datetime) -> str | None:
        """The name of the job that is due first; it is in flight then."""
        due = self.next_due()
        if due is None or due > now:
            return None
        name = heapq.heappop(self._heap)[3]
        del self._queued[name]
        self._in_flight[name] = str(next(self._serial))
        return name

    def claim(self, name: str) -> str:
        """The token of the attempt that has a job in flight; "" if none has."""
        return self._in_flight.get(name, "")

    def next_due(self) -> datetime | None:
        """When the next queued job is due."""
        while self._heap:
            due, enqueued_at, serial, name = self._heap[0]
            if self._queued.get(name) == (enqueued_at, serial):
                return due
            heapq.heappop(self._heap)
        return None

    def forget(self, name: str) -> None:
        """Drop a job that is gone or will come back with another time."""
        for place in self._places:
            place.pop(name, None)

    def clear(self) -> None:
        """Drop all jobs."""
        self._heap.clear()
        for place in self._places:
            place.clear()

    def count_overlooked(self, now: datetime) -> int:
        """How many jobs waited too long for room; each is counted once."""
        times = self._arrived.items()
        late = list(itertools.takewhile(lambda item: item[1] + self._patience <= now, times))
        for name, _ in late:
            del self._arrived[name]
            self._outside[name] = None
        return len(late)


_YEAR = timedelta(days=365)
_READ_AGAIN = timedelta(minutes=1)  # wait after a record that could not be read
STALE = "stale: waited longer than queue.stale_after"


class QueueLimits(NamedTuple):
    """Limits for a queue that is full, or whose jobs waited too long."""

    capacity: int = 1000
    drop_oldest: bool = False
    block_timeout: timedelta = timedelta(seconds=5)
    stale_after: timedelta = timedelta(days=7)  # zero: never
    longest_wait: timedelta = timedelta(days=1)  # even if the clock jumps


class Admission:
    """The waiting records as the queue's owner knows them, and how jobs left."""

    def __init__(
        self,
        waiting: RecordDir,
        dead_letters: DeadLetters,
        counts: EventCounts,
        limits: QueueLimits = QueueLimits(),
    ) -> None:
        self._waiting = waiting
        self._dead_letters = dead_letters
        self._counts = counts
        self._limits = limits
        self._watch = FolderWatch(waiting.folder)
        self._replaying: set[str] = set()
        self.schedule = Schedule(
            limits.capacity, drop_oldest=limits.drop_oldest, patience=limits.block_timeout
        )
        self.flow = dict.fromkeys(("accepted", "done", "buried", "set_aside"), 0)

    def anew(self) -> Admission:
        """A fresh admission for the same folder; what this process counted stays counted."""
        fresh = Admission(self._waiting, self._dead_letters, self._counts, self._limits)
        fresh.flow = dict(self.flow)
        return fresh

    def replay(self) -> None:
        """Begin with all records in the folder, oldest first.

        Jobs that other workers finished since this process last worked count as set aside.
        """
        identities = self._watch.scan(())
        self._replaying = set(identities)
        accepted = self.flow.pop("accepted")
        total = len(identities) + sum(self.flow.values())
        self.flow["set_aside"] += max(0, accepted - total)
        self.flow["accepted"] = max(accepted, total)
        self.schedule.leave_outside(identities)

    def look(self, now: datetime) -> bool:
        """Notice records added by other processes; True if there are any."""
        arrived = self._watch.news(self.schedule)
        self.flow["accepted"] += len(arrived)
        self.schedule.arrive(arrived, now)
        return bool(arrived)

    def fill(self, now: datetime) -> None:
        """Admit waiting records while there is room."""
        while (identity := self.schedule.next_outside()) is not None:
            try:
                self._admit(identity, now)
            except StorageError:
                # One bad sector must not block the others.
                self.schedule.admit(identity, now + _READ_AGAIN, now)
        if late := self.schedule.count_overlooked(now):
            self._counts.add("rejected_full", late)

    def start(self, identity: str, now: datetime) -> Job | None:
        """The job with its attempt counted on disk; None if its record is gone."""
        try:
            job = self._waiting.get(identity)
        except StorageError:
            self.schedule.admit(identity, now + _READ_AGAIN, now)
            return None
        if job is None:
            self.count_out(identity, "set_aside")
            return None
        try:
            # Without its last error: a record with attempts and no error was in flight when
            # its process died.
            self._waiting.replace(job.with_attempt()._replace(last_error=""))
        except StorageError:
            self.keep(job)
            raise
        return job.with_attempt()._replace(claim=self.schedule.claim(identity))

    def count_out(self, identity: str, way: str) -> None:
        """Count a job that left: done, buried or set aside."""
        self.schedule.forget(identity)
        self.flow[way] += 1

    def keep(self, job: Job) -> None:
        """Put a job that was handed out back into the schedule."""
        self.schedule.forget(job.id)
        self.schedule.admit(job.id, job.due, job.enqueued_at)

    def _admit(self, identity: str, now: datetime) -> None:
        job = self._waiting.get(identity)
        if job is None:
            self.count_out(identity, "set_aside")
        elif not self._is_fit(job, now):
            self.count_out(identity, "buried")
        elif self.schedule.admit(identity, self._local_due(job, now), job.enqueued_at):
            self._counts.add("dropped_oldest")

    def _is_fit(self, job: Job, now: datetime) -> bool:
        """Whether a record should be processed: not dead already, not stale."""
        was_there = job.id in self._replaying
        self._replaying.discard(job.id)
        if not self._dead_letters.settle(job):
            return False
        limit = self._limits.stale_after
        if was_there and limit and now - job.enqueued_at > limit:
            self._dead_letters.bury(job._replace(last_error=STALE))
            self._counts.add("stale")
            return False
        return True

    def _local_due(self, job: Job, now: datetime) -> datetime:
        """When a record is due by this machine's clock, though another clock wrote it."""
        if job.due <= now:
            return now
        if job.attempts == 0 and not job.last_error:
            return now + min(max(job.due - job.enqueued_at, timedelta(0)), _YEAR)
        planned = max(job.wait, self._limits.longest_wait)
        return job.due if job.due - now <= planned else now


_PAUSE = timedelta(milliseconds=25)
_PAUSE_IF_WOKEN = timedelta(milliseconds=250)  # polling only finds retries


class FileQueue:
    """A directory of records. A job is acknowledged once its file and its name are on disk.

    `put`, `waiting`, `dead`, `revive` and `purge` may be called from any thread and process;
    the others belong to the process that works the queue.
    """

    def __init__(self, base: str, limits: QueueLimits = QueueLimits()) -> None:
        self._folders = [Folder(os.path.join(base, n)) for n in ("wal", "dlq", "quarantine")]
        wal, dlq, self._quarantine = self._folders
        self._counts = EventCounts(os.path.join(base, "counts"))
        self._waiting = RecordDir(wal, self._quarantine, self._counts)
        self._dead = RecordDir(dlq, self._quarantine, self._counts)
        self._dead_letters = DeadLetters(self._waiting, self._dead, os.path.join(base, "dlq.lock"))
        self._lock = SignedLock(os.path.join(base, "owner.lock"))
        self._inotify: Inotify | None = None
        self._admission = Admission(self._waiting, self._dead_letters, self._counts, limits)

    def put(self, job: Job) -> bool:
        file_id(job.id, "job id")
        is_new = self._waiting.add(job.id, encode_new(job))
        if not is_new:
            self._counts.add("deduped")
        return is_new

    def claim(self, now: datetime, *, slots: int = 1) -> Job | None:
        if not self._lock.is_held and not self._take_over():
            return None
        while True:
            self._admission.fill(now)
            name = self._admission.schedule.take(now)
            if name is None and not self._admission.look(now):
                return None
            if name and (job := self._admission.start(name, now)):
                return job

    def done(self, job: Job) -> None:
        self._settle(job, "done", lambda: self._waiting.remove(job.id))

    def retry(self, job: Job) -> None:
        if not self._is_held(job):
            return
        try:
            self._waiting.replace(job)
        finally:
            self._admission.keep(job)

    def bury(self, job: Job, reason: str) -> None:
        dead = job._replace(last_error=reason)
        self._settle(job, "buried", lambda: self._dead_letters.bury(dead))

    def waiting(self) -> list[Job]:
        return self._waiting.jobs()

    def dead(self) -> list[Job]:
        return self._dead.jobs()

    def revive(self, identity: str, now: datetime) -> None:
        self._dead_letters.revive(identity, now)

    def purge(self, identity: str) -> None:
        self._dead_letters.purge(identity)

    def counts(self) -> QueueCounts:
        events = ("deduped", "rejected_full", "dropped_oldest", "corrupt", "stale")
        return QueueCounts(
            pending=sum(1 for _ in self._waiting.ids()),
            dead=sum(1 for _ in self._dead.ids()),
            quarantined=sum(1 for _ in self._quarantine.entries()),
            in_memory=len(self._admission.schedule),
            in_flight=self._admission.schedule.in_flight,
            **self._admission.flow,
            **{event: self._counts.of(event) for event in events},
            storage_errors=self._counts.of("storage_error"),
        )

    def records(self) -> Iterator[Job]:
        """Every waiting job, oldest first, to be forwarded."""
        for identity in FolderWatch(self._waiting.folder).scan(()):
            if job := self._waiting.get(identity):
                yield job

    def forget(self, job: Job) -> None:
        """Remove a job that was forwarded or is not wanted; a power cut may bring it back."""
        self._waiting.remove(job.id)

    def hold(self) -> bool:
        """Become the worker of this queue; False while another process is."""
        return self._lock.is_held or self._lock.acquire()

    def worker(self) -> int | None:
        return self._lock.holder()

    def wakeups(self) -> Sequence[int]:
        self._inotify = self._inotify or Inotify(self._waiting.folder.path)
        return () if self._inotify.fd is None else (self._inotify.fd,)

    def pause(self) -> timedelta:
        return _PAUSE if self._inotify is None or self._inotify.fd is None else _PAUSE_IF_WOKEN

    def close(self) -> None:
        self._lock.release()
        self._admission.schedule.clear()

    def __del__(self) -> None:
        for folder in getattr(self, "_folders", ()):
            folder.close()
        if hasattr(self, "_lock"):
            self._lock.release()
        if (watching := getattr(self, "_inotify", None)) is not None:
            watching.close()

    def _settle(self, job: Job, way: str, act: Callable[[], object]) -> None:
        """Let a job leave, if the attempt still holds it; it stays if that fails."""
        if not self._is_held(job):
            return
        try:
            act()
        except StorageError:
            self._admission.keep(job)
            raise
        self._admission.count_out(job.id, way)

    def _is_held(self, job: Job) -> bool:
        """Whether the attempt still holds the job."""
        return bool(job.claim) and self._admission.schedule.claim(job.id) == job.claim

    def _take_over(self) -> bool:
        """Become the owner, and start with all records in the folder."""
        if not self._lock.acquire():
            return False
        admission = self._admission.anew()
        try:
            for folder in self._folders:
                clean(folder)
            admission.replay()
        except StorageError:
            self._lock.release()
            raise
        self._admission = admission
        return True
