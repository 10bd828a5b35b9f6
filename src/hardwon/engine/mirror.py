"""A local copy of a server's lessons: hooks read it and note what the server must learn.

A hook only uses SQLite. A worker sends the hooks' notes to the server, in order and exactly once,
and updates the copy.
"""

from __future__ import annotations

import base64
import os
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Protocol

from hardwon.core._fork import cached_property
from hardwon.core.settings import Settings
from hardwon.core.values.delivery import Injection
from hardwon.core.values.lesson import Lesson, Status
from hardwon.core.values.run import Episode, RunSoFar, Step, read_step
from hardwon.core.values.scope import Scope
from hardwon.engine.doors import Doors
from hardwon.engine.notes import JOB, MET, RUN, WANTED, believe
from hardwon.engine.recording import Recording
from hardwon.storage.ports import Run, Store
from hardwon.storage.queues import records as job_records
from hardwon.storage.sql.journal import server_spool
from hardwon.storage.stores import run_files, runs
from hardwon.storage.stores.sqlite import mirror as sqlite_mirror

if TYPE_CHECKING:
    from hardwon.engine.runtime import Runtime
    from hardwon.storage.stores.postgres import PostgresStore

_REST = 20.0  # how long shelves are not read again, as a multiple of the time it took
_EVERY = 2**63 - 1  # databases take no greater limit
_AT_ONCE = 500  # lessons that are read and kept together


class ForwardingDoors(Doors):
    """Doors over a copy: what they learn from is also noted for the server."""

    def __init__(self, engine: Runtime) -> None:
        super().__init__(engine)
        self._outgoing = server_spool(engine.settings.home, engine.settings.remote)

    def start(self, scope: Scope, run: Run, *, again: bool = False) -> Injection:
        with self.best_effort:
            self._outgoing.append([WANTED, scope])
        return super().start(scope, run, again=again)

    def _learn(
        self, scope: Scope, step: Step, past: RunSoFar, shown: Sequence[Lesson], *rest: Any
    ) -> list[str]:
        if step.failed or past.told or any(earlier.failed for earlier in past.steps):
            # In the order of the fields of `RunSoFar`; `take_in` reads it.
            plain = [sorted(part) if isinstance(part, frozenset) else part for part in past[:7]]
            note = MET, scope, step, plain, [lesson.id for lesson in shown]
            with self.best_effort:
                self._outgoing.append(note)
        return super()._learn(scope, step, past, shown, *rest)


class Shelves(Protocol):
    """What a copy is made of: the lessons of a server, scope by scope."""

    def salt(self) -> str:
        """The salt of the hold-out, shared by all machines."""

    def states(self, scopes: Sequence[Scope]) -> dict[Scope, int]:
        """The version of each scope, which changes with every change of a lesson."""

    def marks(self, scope: Scope) -> dict[int, int]:
        """A mark for every lesson of the scope, which changes with the lesson."""

    def lessons(self, scope: Scope, numbers: Sequence[int]) -> list[Lesson]:
        """These lessons, without those that are gone."""

    def vectors(
        self, scope: Scope, *, after: int, lessons: Sequence[int]
    ) -> list[tuple[int, int, str, bytes]]:
        """The vectors with a number over `after`, and those of these lessons."""

    def share(self, tenant: str) -> float | None:
        """The share of runs from which lessons are withheld, if the proof has set one."""


class StoreShelves:
    """The shelves of any store, for a server; what was read is used again for a moment."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._read: dict[Scope, tuple[float, dict[int, tuple[int, Lesson]]]] = {}

    def salt(self) -> str:
        return self._store.units.salt()

    def states(self, scopes: Sequence[Scope]) -> dict[Scope, int]:
        return {scope: _digest(sorted(self.marks(scope).items())) for scope in scopes}

    def marks(self, scope: Scope) -> dict[int, int]:
        return {number: mark for number, (mark, _) in self._lessons(scope).items()}

    def lessons(self, scope: Scope, numbers: Sequence[int]) -> list[Lesson]:
        found = self._lessons(scope)
        return [found[number][1] for number in numbers if number in found]

    def vectors(
        self, scope: Scope, *, after: int, lessons: Sequence[int]
    ) -> list[tuple[int, int, str, bytes]]:
        return []  # each machine embeds what it reads

    def share(self, tenant: str) -> float | None:
        return self._store.units.share(tenant)

    def _lessons(self, scope: Scope) -> dict[int, tuple[int, Lesson]]:
        begun = time.monotonic()
        until, found = self._read.get(scope, (0.0, {}))
        if begun < until:
            return found
        every = self._store.lessons.recent(scope, status=Status.ALL, limit=_EVERY)
        own = (lesson for lesson in every if lesson.scope == scope)
        found = {lesson.id: (_digest(lesson), lesson) for lesson in own}
        now = time.monotonic()
        self._read[scope] = now + _REST * (now - begun), found
        return found


def _digest(value: object) -> int:
    return int.from_bytes(blake2b(repr(value).encode("utf-8", "replace"), digest_size=7).digest())


class Copies:
    """Keeps the local copy of a server up to date, in a process that can reach the server."""

    def __init__(self, server: Shelves, home: str, url: str, *, send: Callable[[], bool]) -> None:
        """`send` sends what hooks noted; it says whether the server has all of it then."""
        self._server = server
        self._home = home
        self._url = url
        self._send = send

    @property
    def _is_there(self) -> bool:
        """Whether this machine has a copy."""
        return os.path.exists(sqlite_mirror.path(self._home, self._url))

    @cached_property
    def _mirror(self) -> sqlite_mirror.Mirror:
        mirror = sqlite_mirror.Mirror(self._home, self._url)
        mirror.share_salt(self._server.salt())
        return mirror

    def want(self, records: list[list[Any]]) -> None:
        """Copy these scopes from now on."""
        for (scope,) in records:
            self._mirror.want(Scope(*scope))

    def refresh(self, *, embeds: bool = False) -> Iterator[Scope]:
        """Send notes to the server, and update the copy scope by scope; yields changed scopes.

        With `embeds` vectors are copied too, as this machine searches by meaning.
        """
        learnt_here = self._mirror.provisional() if self._is_there else []
        is_sent = self._send()  # False while another process is still sending
        if not self._is_there:
            return
        states = self._server.states(self._mirror.scopes())
        for tenant in {scope.tenant for scope in states}:
            if (share := self._server.share(tenant)) is not None:
                self._mirror.set_share(tenant, share)
        for scope, version in states.items():
            if self._refresh_scope(scope, version, embeds=embeds):
                yield scope
        if is_sent:
            self._mirror.drop(learnt_here)

    def close(self) -> None:
        """Release the copy."""
        if "_mirror" in self.__dict__:
            self._mirror.close()

    def _refresh_scope(self, scope: Scope, version: int, *, embeds: bool) -> bool:
        """Copy changed lessons and delete those that are gone; whether anything changed."""
        known_version, marks = self._mirror.state(scope)
        local_ids = self._mirror.numbers(scope)
        is_same = version == known_version and len(marks) == len(local_ids)
        changed: list[int] = []
        if not is_same:
            new_marks = self._server.marks(scope)
            changed = [number for number, mark in new_marks.items() if marks.get(number) != mark]
            gone = [number for number in local_ids if number not in new_marks]
            self._mirror.keep(scope, (), gone)
            for start in range(0, len(changed), _AT_ONCE):
                lessons = self._server.lessons(scope, changed[start : start + _AT_ONCE])
                marked = [(lesson, new_marks[lesson.id]) for lesson in lessons]
                self._mirror.keep(scope, marked, ())
        vectors: Sequence[Any] = ()
        if embeds:  # new ones, and those of changed lessons
            last = self._mirror.last_vector(scope)
            vectors = self._server.vectors(scope, after=last, lessons=changed)
        if vectors:
            self._mirror.keep_vectors(scope, vectors)
        if is_same:
            return bool(vectors)
        self._mirror.note(scope, version)
        return True


def copies_of(store: PostgresStore, settings: Settings) -> Copies:
    """The copy that a worker keeps of a database."""
    from hardwon.storage.stores.postgres import ShelfReader  # hooks have no psycopg

    def send() -> bool:
        store.fold()
        return store.is_told

    shelves = ShelfReader(store.database)
    copies = Copies(shelves, settings.home, store.database.url, send=send)
    store.on(WANTED, copies.want)
    return copies


def take_in(engine: Runtime, kind: str, records: list[list[Any]]) -> None:
    """Fold in records of other machines that a store does not understand by itself."""
    now = engine.clock()
    recording = Recording(engine.unscreened, engine.settings, engine.clock)
    for scope, step, (task, steps, told, counted, warned, since, warnings), shown in (
        records if kind == MET else ()
    ):
        memory = recording.memory(Scope(*scope))
        past = RunSoFar(
            *(task, tuple(map(read_step, steps)), frozenset(told), frozenset(counted)),
            *(warned, since, frozenset(warnings)),
        )
        lessons = [lesson for number in shown if (lesson := memory.get(number))]
        recording.learn(memory.scope, read_step(step), past, lessons)
    for scope, name, lines in records if kind == RUN else ():
        date = partial(believe, now=now.timestamp())
        kept = run_files.take_in(engine.settings.home, Scope(*scope), name, lines, date=date)
        run = runs.MemoryRun(name.partition("-")[0], kept)
        ended = run.whole()
        if kept and engine.reads(ended.steps):
            engine.read_run(Episode(Scope(*scope), ended.task), run, ended.steps)
    for scope, text in records if kind == JOB else ():
        job = job_records.decode(base64.b64decode(text))
        episode, queued = job.episode._replace(scope=Scope(*scope)), min(job.enqueued_at, now)
        engine.queue.put(job._replace(episode=episode, enqueued_at=queued, due=min(job.due, now)))
