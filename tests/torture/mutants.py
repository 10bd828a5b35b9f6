"""Deliberately broken builds: what a row must notice."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterable
from importlib import import_module
from types import ModuleType, SimpleNamespace
from typing import Any

from hardwon import api
from hardwon.api import lessons
from hardwon.core import _files, processes
from hardwon.core._files import sync
from hardwon.core.errors import StorageError, storage_error
from hardwon.core.text import frames, redact
from hardwon.core.values.job import Backoff, Job, WorkCounter
from hardwon.core.values.lesson import is_from
from hardwon.engine.pipeline import consolidate, inject, work
from hardwon.learn.trials import files as trial_files
from hardwon.storage.queues import files as queue
from hardwon.storage.queues import postgres as table
from hardwon.storage.queues import records
from hardwon.storage.queues.files import folder, record_dir
from hardwon.storage.stores import postgres as index
from hardwon.storage.stores.sqlite import database
from hardwon.surfaces.cli import output
from hardwon.surfaces.serve import access, gate, limits, server
from hardwon.surfaces.serve.requests import Problem


def _is_folder(handle: int) -> bool:
    return stat.S_ISDIR(os.fstat(handle).st_mode)


def _fsync_if(wanted: Any) -> None:
    _sync_by(lambda handle: os.fsync(handle) if wanted(handle) else None)


def _sync_by(fsync: Any) -> None:
    vars(folder)["sync"] = fsync


def no_file_fsync() -> None:
    _fsync_if(_is_folder)


def no_folder_fsync() -> None:
    _fsync_if(lambda handle: not _is_folder(handle))


def sync_again() -> None:
    """A failed fsync is tried again on the same file, and believed."""

    def fsync(handle: int) -> None:
        try:
            os.fsync(handle)
        except OSError:
            os.fsync(handle)

    _sync_by(fsync)


def name_late() -> None:
    """A file is synced, then named, and it is all the same whether its name could be synced."""

    def added(self: folder.Folder, name: str, content: bytes) -> bool:
        self._rename(self._write(name, content), name)
        with contextlib.suppress(OSError):
            sync(self._fd)
        return True

    folder.Folder._add_synced = added  # type: ignore[method-assign]


def always_ready() -> None:
    WorkCounter.is_ready = property(lambda self: True)  # type: ignore[assignment,method-assign]


def store_unsynced() -> None:
    """The store commits without a sync, as SQLite does with synchronous = NORMAL."""
    connect = database.connect

    def careless(path: str, **values: Any) -> sqlite3.Connection:
        connection = connect(path, **values)
        connection.execute("PRAGMA synchronous = NORMAL")
        return connection

    database.connect = careless


def short_read() -> None:
    """A reader that takes one buffer for the whole record, as the published one does."""
    folder._all_of = lambda handle, size: os.read(handle, 4096)


def no_limit() -> None:
    records.PAYLOAD_LIMIT = 1 << 30


def newest_first() -> None:
    scan = record_dir.FolderWatch.scan
    record_dir.FolderWatch.scan = lambda self, known: scan(self, known)[::-1]  # type: ignore[method-assign]


def until_the_next_start() -> None:
    """What finds no room in memory at start is not looked at again."""
    leave = queue.Schedule.leave_outside

    def forgetful(self: queue.Schedule, names: Iterable[str]) -> None:
        for name in names:
            if len(self._outside) < self._capacity:
                leave(self, [name])
            else:
                self._in_flight[name] = ""

    queue.Schedule.leave_outside = forgetful  # type: ignore[method-assign]


def wall_clock() -> None:
    """Delays are counted by a clock that can be set."""
    vars(work)["steady"] = lambda wall: wall


def stale_deleted() -> None:
    """What is too old is removed, as the published system does."""
    bury = record_dir.DeadLetters.bury

    def forget(self: record_dir.DeadLetters, job: Job) -> None:
        if job.last_error == queue.STALE:
            self._waiting.remove(job.id)
        else:
            bury(self, job)

    record_dir.DeadLetters.bury = forget  # type: ignore[method-assign]


def counted_twice() -> None:
    """What is found at start is counted again when it is admitted."""
    admit = queue.Admission._admit

    def doubled(self: queue.Admission, identity: str, now: Any) -> None:
        self.flow["accepted"] += 1
        admit(self, identity, now)

    queue.Admission._admit = doubled  # type: ignore[method-assign]


def a_series_a_job() -> None:
    """A label whose values nobody bounds."""
    ended = WorkCounter.count_attempt

    def careless(self: WorkCounter, outcome: str, seconds: float) -> None:
        ended(self, outcome, seconds)
        self.count_retry(len(self.retries))

    WorkCounter.count_attempt = careless  # type: ignore[method-assign]


def no_time_limit() -> None:
    unlimited = {"timeout": lambda _: asyncio.timeout(None)}
    vars(work)["asyncio"] = SimpleNamespace(**{**vars(asyncio), **unlimited})


def always_again() -> None:
    """Every error is taken for one that may pass."""
    vars(work)["is_transient"] = lambda error: True


def in_place() -> None:
    """Records are rewritten where they are."""

    def replace(self: folder.Folder, name: str, content: bytes, *, stamp: Any = None) -> None:
        try:
            handle = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600, dir_fd=self._fd)
            _files.write_all(handle, content)
            os.fsync(handle)
            os.close(handle)
        except OSError as error:
            raise storage_error(error, name) from error

    folder.Folder.replace = replace  # type: ignore[method-assign]


def bury_first() -> None:
    """A job is taken from where it was before it is written to where it goes."""

    def bury(self: record_dir.DeadLetters, job: Job) -> None:
        self._waiting.remove(job.id)
        self._dead.replace(job)

    def revive(self: record_dir.DeadLetters, identity: str, now: Any) -> None:
        job = self._dead.get(identity)
        assert job
        self._dead.remove(identity)
        fresh = job._replace(attempts=0, last_error="", enqueued_at=now, due=now)
        self._waiting.add(identity, records.encode(fresh))

    record_dir.DeadLetters.bury = bury  # type: ignore[method-assign]
    record_dir.DeadLetters.revive = revive  # type: ignore[method-assign]


def no_settling() -> None:
    """A move that was cut short is left as it is."""
    record_dir.DeadLetters.settle = lambda self, job: True  # type: ignore[method-assign]


def swallow() -> None:
    """What the disk refuses is acknowledged all the same."""
    add = folder.Folder.add

    def careless(self: folder.Folder, name: str, content: bytes) -> bool:
        try:
            return add(self, name, content)
        except StorageError:
            return True

    folder.Folder.add = careless  # type: ignore[method-assign]


def no_checksum() -> None:
    records._payload = lambda record: record[12:-4]


def no_lock() -> None:
    def acquire(self: folder.SignedLock, *, wait: bool = False) -> bool:
        self._fd = self._fd if self._fd >= 0 else _files.lock_file(self._path)
        return True

    folder.SignedLock.acquire = acquire  # type: ignore[method-assign]


def attempts_in_memory() -> None:
    """Attempts are counted, but not on disk."""
    record_dir.RecordDir.replace = lambda self, job: None  # type: ignore[method-assign]


def burnt_attempt() -> None:
    Job.handed_back = lambda self: self  # type: ignore[method-assign]


def jitter_over_the_cap() -> None:
    def delay(self: Backoff, attempts: int, *, noise: float = 0.0) -> Any:
        return min(self.first * 2.0 ** min(attempts - 1, 32), self.limit) * (
            1 + self.spread * noise
        )

    Backoff.delay = delay  # type: ignore[method-assign]


def once_more() -> None:
    """A job is given one attempt more than it has."""
    sensible = Backoff.sensible

    def generous(self: Backoff) -> Backoff:
        return sensible(self._replace(attempts=self.attempts + 1))

    Backoff.sensible = generous  # type: ignore[method-assign]


def prose_quoted() -> None:
    """Whatever a tool prints is repeated."""
    for module in _modules_with("quotable"):
        vars(module)["quotable"] = lambda line, *_: line[:300]


def gate_open() -> None:
    """No text is held back."""
    for module in _modules_with("suspicion"):
        vars(module)["suspicion"] = lambda text: ""


def unredacted() -> None:
    """Text counts as screened without a look."""
    vars(redact)["redact"] = lambda text: text


def frames_shown() -> None:
    """A lesson is shown as it is written."""
    vars(inject)["inert"] = lambda text: text


def _modules_with(name: str) -> list[ModuleType]:
    for loaded in ("engine.recording", "models.rules"):
        import_module(f"hardwon.{loaded}")
    import_module("tests.torture.screening")
    return [module for module in list(sys.modules.values()) if name in vars(module)]


def stale_fresh() -> None:
    """What waits beside the index is read once."""
    look = index.Memtable.look

    def forgetful(self: index.Memtable, shelves: Any, fetched: Any, cached: Any) -> Any:
        known = self._shared
        if any(shelf.id not in known for shelf in shelves):
            look(self, shelves, fetched, cached)
        return [known[shelf.id] for shelf in shelves if shelf.id in known]

    index.Memtable.look = forgetful  # type: ignore[method-assign]


def unsorted_cut() -> None:
    """The strongest blocks of a common word are taken as they come."""
    vars(index)["sorted"] = list


def unlocked_settlers() -> None:
    """Several processes move what waits on a shelf at once."""
    sql = "SELECT pg_try_advisory_xact_lock(:kind::int, :shelf::int)"
    assert index._SQL["try"] == sql
    index._SQL["try"] = "SELECT TRUE OR :kind = :shelf"


def forwarded_again() -> None:
    """A job whose batch is sent again waits again, also when it was worked meanwhile."""
    table._SQL["forward"] = table._SQL["put"]


def backtracking_rule() -> None:
    """A run of dashes is read again from each of them."""
    vars(frames)["_RULE"] = r"([-=]{3,})(?=\s{0,3}end\b)"


def strays_stay() -> None:
    """Programs that left their group are not looked for."""
    vars(processes)["end_marked"] = lambda mark: 0


def jobs_hoarded() -> None:
    """A worker keeps every job that it worked."""
    settle, hoard = work.WorkerPool._settle, list[tuple[Job, str]]()

    async def settle_and_keep(self: Any, job: Job) -> str:
        hoard.append((job, "x" * 1000))
        return await settle(self, job)

    work.WorkerPool._settle = settle_and_keep  # type: ignore[method-assign]


def kept_again() -> None:
    """A lesson is stored however often it says the same."""
    vars(consolidate)["_alike"] = lambda *_: []


def children_stay() -> None:
    """What was merged from a revoked lesson stays."""
    vars(lessons)["descendants"] = lambda every, origin: [
        one for one in every if is_from(one, origin)
    ]


def tenant_left_out() -> None:
    """Whoever asks, the tenant is the same."""
    scoped = vars(api)["scoped"]
    vars(api)["scoped"] = lambda agent, *, project=None, tenant="": scoped(agent, project=project)


def any_id() -> None:
    """An id is taken for the name of a file as it is."""
    for module in (queue, record_dir, trial_files):
        vars(module)["file_id"] = lambda text, label="": text


def links_followed() -> None:
    """A file is opened wherever its name leads."""
    for name in ("_END", "_EMPTY", "_LOCK"):
        vars(_files)[name] &= ~os.O_NOFOLLOW


def escapes_printed() -> None:
    """A text is printed as it is stored."""
    vars(output)["printable"] = str


def try_what_is_taught() -> None:
    """A lesson is tried before it is kept."""
    learn = api.Agent.learn

    def tried(self: Any, text: str, **more: Any) -> Any:
        subprocess.run(["true", text], check=False)
        return learn(self, text, **more)

    api.Agent.learn = tried  # type: ignore[method-assign]


def all_failures_ours() -> None:
    """A request that cannot be read is a failure of the server."""
    vars(gate)["problem_of"] = lambda error: Problem(500, str(error))
    vars(server)["problem_of"] = vars(gate)["problem_of"]


def any_host() -> None:
    """Nobody asks where a request comes from."""
    gate.Gate._check_host = lambda *_: None  # type: ignore[method-assign]


def any_key() -> None:
    """Every key is the owner's."""
    access.Access.is_token = lambda *_: True  # type: ignore[method-assign]


def raw_log() -> None:
    """A path is written to the log as it came."""
    vars(limits)["ascii"] = lambda text: f"'{text}'"


MUTANTS = {
    "any-id": any_id,
    "links-followed": links_followed,
    "escapes-printed": escapes_printed,
    "try-what-is-taught": try_what_is_taught,
    "all-failures-ours": all_failures_ours,
    "any-host": any_host,
    "any-key": any_key,
    "raw-log": raw_log,
    "strays-stay": strays_stay,
    "jobs-hoarded": jobs_hoarded,
    "kept-again": kept_again,
    "children-stay": children_stay,
    "tenant-left-out": tenant_left_out,
    "backtracking-rule": backtracking_rule,
    "forwarded-again": forwarded_again,
    "stale-fresh": stale_fresh,
    "unsorted-cut": unsorted_cut,
    "unlocked-settlers": unlocked_settlers,
    "prose-quoted": prose_quoted,
    "gate-open": gate_open,
    "unredacted": unredacted,
    "frames-shown": frames_shown,
    "no-file-fsync": no_file_fsync,
    "no-folder-fsync": no_folder_fsync,
    "sync-again": sync_again,
    "name-late": name_late,
    "store-unsynced": store_unsynced,
    "wall-clock": wall_clock,
    "stale-deleted": stale_deleted,
    "counted-twice": counted_twice,
    "a-series-a-job": a_series_a_job,
    "no-time-limit": no_time_limit,
    "always-again": always_again,
    "short-read": short_read,
    "no-limit": no_limit,
    "newest-first": newest_first,
    "until-the-next-start": until_the_next_start,
    "always-ready": always_ready,
    "in-place": in_place,
    "bury-first": bury_first,
    "no-settling": no_settling,
    "swallow": swallow,
    "no-checksum": no_checksum,
    "no-lock": no_lock,
    "attempts-in-memory": attempts_in_memory,
    "burnt-attempt": burnt_attempt,
    "jitter-over-the-cap": jitter_over_the_cap,
    "once-more": once_more,
}
