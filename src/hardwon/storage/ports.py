"""What the core needs from the outside: narrow protocols, each with its promises."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from datetime import date, datetime, timedelta
from typing import Any, NamedTuple, Protocol

from hardwon.core.values.delivery import Delivery, Unit
from hardwon.core.values.dream import Dream, DreamChange
from hardwon.core.values.job import Job, QueueCounts
from hardwon.core.values.lesson import Change, Lesson, Wording
from hardwon.core.values.reflection import Likeness, Reflection
from hardwon.core.values.report import (
    Deliveries,
    Exposure,
    FailureKind,
    LessonState,
    ListQuery,
    Met,
    OpenFailure,
    Place,
    Window,
)
from hardwon.core.values.run import EndedRun, Episode, RunSoFar, Shown, Step
from hardwon.core.values.scope import Scope
from hardwon.knowledge.proof.effect import Arms, Stratum, Treatment
from hardwon.knowledge.ranking.query import Match, Query


class LessonStore(Protocol):
    """Keeps lessons. Every call names a scope, and nothing outside it is read or changed."""

    def add(self, lesson: Lesson) -> Lesson:
        """Store durably; the lesson with its id. A job stored before gets its first lesson back."""

    def get(self, scope: Scope, number: int) -> Lesson:
        """The lesson with this id if it is visible from the scope, else NotFound."""

    def update(self, lesson: Lesson) -> None:
        """Replace the stored lesson of that id and scope, else NotFound."""

    def delete(self, scope: Scope, number: int) -> None:
        """Remove the lesson for good, else NotFound."""

    def recent(self, scope: Scope, *, status: str, limit: int) -> list[Lesson]:
        """Those visible from the scope, newest-consulted first."""

    def search(self, scope: Scope, text: str, *, limit: int) -> list[Lesson]:
        """Those whose situation, mistake, correction or tags contain the text, case aside."""

    def match(self, scope: Scope, query: Query, *, now: datetime, limit: int) -> list[Match]:
        """The deliverable lessons that share something with the query, best first."""

    def guards(self, scope: Scope) -> list[Lesson]:
        """The lessons visible from the scope that forbid calls, by id."""


class VectorStore(Protocol):
    """Keeps one vector a lesson, and compares only those of the same embedder."""

    def lacking(self, embedder: str, *, after: int = 0, limit: int) -> list[Wording]:
        """Active lessons of every scope without a vector, with an id over `after`, by id."""

    def save(self, embedder: str, embedded: Iterable[tuple[Wording, Sequence[float]]]) -> None:
        """Store the vectors, all or none; skip a lesson whose words have changed meanwhile."""

    def nearest(
        self, scope: Scope, embedder: str, vector: Sequence[float], *, limit: int
    ) -> list[tuple[int, float, float]]:
        """The active lessons seen from the scope, the nearest first.

        Each with its cosine, and with the cosine when what all lessons share is left out.
        """

    def counts(self, embedder: str) -> tuple[int, int]:
        """How many lessons have a vector of this embedder, and how many should."""


class History(Protocol):
    """Earlier versions of lessons, from before each change."""

    def note(self, change: Change) -> None:
        """Remember a lesson as it was; very old changes may be forgotten."""

    def of(self, scope: Scope, lesson: int | None) -> list[Change]:
        """The changes of one lesson, or of all visible from the scope, newest first."""

    def forget(self, scope: Scope, change: Change) -> None:
        """Remove a change that was taken back."""


class ReflectionStore(Protocol):
    """Keeps reflections under the loop, goal or pattern they are about."""

    is_shared: bool  # whether other programs write to it, too: what is read is not ours alone

    def save(self, reflection: Reflection, *, keep: int = 0) -> bool:
        """Store durably, at most `keep` about its subject; False when its job made one before."""

    def about(self, scope: Scope, subject: str) -> list[Reflection]:
        """All that are kept about one loop or goal, oldest first."""

    def recent(self, scope: Scope, *, now: datetime, limit: int) -> list[Reflection]:
        """The newest of the agent that have not expired, newest first."""

    def every(self, scope: Scope, *, now: datetime, limit: int) -> list[Reflection]:
        """The same over all goals and projects of the agent; for a batch, which can wait."""

    def alike(
        self, scope: Scope, words: Sequence[str], *, now: datetime, limit: int
    ) -> list[Likeness]:
        """The living ones that share several of the words, the most relevant first."""


class DreamStore(Protocol):
    """Remembers dreams for good, and shows a dreamer every lesson of one agent."""

    def save(self, dream: Dream) -> None:
        """Store durably; a dream of the same id is replaced."""

    def get(self, scope: Scope, dream: str) -> Dream:
        """The dream with this id, or whose id begins so; else NotFound."""

    def recent(self, scope: Scope, *, limit: int) -> list[Dream]:
        """The dreams of the agent, newest first."""

    def note(self, dream: str, changes: Sequence[DreamChange]) -> None:
        """Store the changes of a dream, for its undo."""

    def changes(self, dream: str) -> list[DreamChange]:
        """What a dream did, in order."""

    def scopes(self, scope: Scope) -> list[Scope]:
        """Every scope of the agent: everywhere and each project."""

    def lessons(self, scope: Scope) -> Iterator[Lesson]:
        """Every active lesson of the agent in all projects, oldest first."""

    def together(self) -> AbstractContextManager[object]:
        """Everything stored inside the `with` block is kept as a whole or not at all."""


class DeliveryLog(Protocol):
    """Remembers what was shown where. Logging is cheap and never waits for another writer."""

    def log(self, delivery: Delivery) -> None:
        """Note one delivery; it raises the hit counts of its lessons when it is folded in."""

    def report(self, scope: Scope, delivery: str, outcome: str) -> None:
        """Note what came of a delivery."""

    def settle(self, scope: Scope, outcomes: Sequence[tuple[str, str]]) -> None:
        """The same for many (id, outcome), unless one is known: a reported outcome counts more."""

    def recent(self, scope: Scope, *, limit: int) -> list[Delivery]:
        """The latest deliveries of the agent, newest first; all that were logged before count."""


class FailureLog(Protocol):
    """Counts failures by signature."""

    def count(self, scope: Scope, signature: str, text: str, now: datetime) -> None:
        """Count the failure once more."""

    def commonest(self, scope: Scope, *, limit: int) -> list[tuple[str, int]]:
        """The readable signatures met most often, with their counts."""


class HoldOut(Protocol):
    """Stores which runs were shown a family of lessons, and from which it was withheld."""

    def salt(self) -> str:
        """The secret of the coin: made once, and the same for all who share the store."""

    def share(self, tenant: str) -> float | None:
        """The share of runs that was set for a tenant, if one was."""

    def set_share(self, tenant: str, share: float) -> None:
        """Set the share of a tenant; the settings hold where it is larger."""

    def log(self, unit: Unit) -> None:
        """Note a unit; only the first exposure of a run and a family counts."""

    def settle(self, scope: Scope, run: str, family: str, outcome: str) -> None:
        """Note the outcome of a unit, unless it has one."""

    def exclude(self, scope: Scope, families: Sequence[str], now: datetime) -> None:
        """Count no unit of these families that is open: its run may have read them elsewhere."""

    def arms(self, window: Window) -> list[Arms]:
        """The counts of both arms, for each door and each share that was in force."""

    def treatments(self, window: Window) -> list[Treatment]:
        """The counts of both arms for each lesson and wording, by id, wording and share."""


class RunArchive(Protocol):
    """Remembers runs that have ended, for a while."""

    def keep(self, run: EndedRun) -> None:
        """Store a run that ended, replacing one of the same id; returns without waiting."""

    def get(self, place: Place, run: str) -> EndedRun:
        """The run with this id, or whose id begins so, with its steps; else NotFound."""

    def recent(self, wanted: ListQuery) -> list[EndedRun]:
        """Those whose task contains the text, without steps, newest first. Marks: (ended, id)."""

    def who_met(self, wanted: ListQuery) -> list[Met]:
        """Whose runs met the failure with this text, the most first."""

    def latest(self, window: Window, *, limit: int) -> Iterator[EndedRun]:
        """The newest that ended within a window, with their steps, oldest first."""

    def prune(self, tenant: str, *, before: datetime, most: int) -> int:
        """Forget the runs that ended before, and the oldest beyond `most`; how many went."""

    def past(self, scope: Scope, digests: Sequence[str]) -> dict[str, str]:
        """Those of these digests that were noted for the scope, with their states."""

    def note_past(self, scope: Scope, digest: str, state: str) -> None:
        """Note that a past session was recorded up to here; replaces an earlier note of it."""


class Statistics(Protocol):
    """Adds up what was met, learnt and shown, where it is stored. Days are those of UTC."""

    def failures_by_day(self, window: Window) -> list[tuple[date, int]]:
        """How many failures there were on each day that had some, oldest first."""

    def failures(self, window: Window, *, limit: int) -> list[FailureKind]:
        """The kinds that were met most often, with their days."""

    def stopped_failures(
        self, window: Window, *, before: datetime, limit: int
    ) -> list[FailureKind]:
        """The kinds met at least twice, last within the window and before a moment."""

    def deliveries(self, window: Window) -> list[Deliveries]:
        """What was shown, by door, outcome and day; all that was logged before counts."""

    def lessons(self, window: Window, *, new: datetime) -> list[LessonState]:
        """How many lessons are in each state, and how many of them were made since `new`."""

    def open_failures(self, window: Window, *, limit: int) -> list[OpenFailure]:
        """The failures without a fix that were met at least twice, the commonest first."""

    def exposures(self, scope: Scope, lesson: int) -> list[Exposure]:
        """Where this lesson was shown to the agent of a scope, in all its projects."""

    def strata(self, window: Window) -> list[Stratum]:
        """The units of a hold-out by project, door, author of the lesson and share in force."""


class Listing(Protocol):
    """Lists what a place holds. A page costs the same whether it is the first or the last."""

    def scopes(self, tenant: str) -> list[Scope]:
        """Every scope of a tenant that something is kept of, by agent and project."""

    def lesson(self, place: Place, number: int) -> Lesson:
        """One lesson, else NotFound."""

    def lessons(self, wanted: ListQuery) -> list[Lesson]:
        """In the wanted order, then by id. Their marks: (last_seen_at or met, id)."""

    def counts(self, place: Place) -> dict[str, int]:
        """How many lessons are in each state."""

    def failures(self, wanted: ListQuery, since: datetime) -> list[FailureKind]:
        """The kinds met since a day, commonest first, with days and scope. Marks: (met, kind)."""

    def deliveries(self, wanted: ListQuery) -> list[Delivery]:
        """Newest first, then by id; all that were logged before count. Marks: (at, id)."""


class Request(NamedTuple):
    """What a model is asked. `episode` is there for rules, which work without language."""

    system: str
    prompt: str
    episode: Episode | None = None
    max_tokens: int = 600
    schema: dict[str, Any] | None = None  # JSON Schema of the answer, for servers that take one


class Reply(NamedTuple):
    """The answer of a model, and what it cost."""

    text: str
    model: str = ""
    tokens_in: int = 0
    tokens_out: int = 0


class Model(Protocol):
    """Anything that answers a request: a provider, a command, a function, or rules."""

    name: str

    async def complete(self, request: Request) -> Reply:
        """One answer; raises TransientError or PermanentError, and never retries by itself."""


class Embedder(Protocol):
    """Turns texts into unit vectors of one length. What differs in vectors differs in name."""

    @property
    def name(self) -> str: ...

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector a text, in order; raises TransientError or PermanentError."""


class Queue(Protocol):
    """Holds jobs until they are done. Survives a crash unless it says otherwise.

    Only the attempt that holds a job settles it, and once: `done`, `retry` and `bury` by an
    attempt that was settled before, or lost its job to a later one, change and count nothing.
    """

    def put(self, job: Job) -> bool:
        """Store the job durably; False when it is already waiting."""

    def claim(self, now: datetime, *, slots: int = 1) -> Job | None:
        """The job that is due first, its attempt counted; None when nothing is due.

        `slots`: how many the caller is about to claim; a server may hand them over at once.
        """

    def done(self, job: Job) -> None:
        """Remove a claimed job that has been worked."""

    def retry(self, job: Job) -> None:
        """Keep a claimed job for another attempt at its due time."""

    def bury(self, job: Job, reason: str) -> None:
        """Move a claimed job to the dead letters."""

    def waiting(self) -> list[Job]:
        """The jobs that are pending or in flight, oldest first."""

    def dead(self) -> list[Job]:
        """The dead letters, oldest first."""

    def close(self) -> None:
        """Let another process work the queue; waiting jobs stay. The next claim takes it again."""


class QueueOperations(Protocol):
    """The queue for operators. Any process may call it at any time."""

    def revive(self, identity: str, now: datetime) -> None:
        """Make a dead job wait again as if it were new, else NotFound. Safe at any crash."""

    def purge(self, identity: str) -> None:
        """Remove a dead job for good, else NotFound."""

    def forget(self, job: Job) -> None:
        """Remove a job that waits or is claimed, unworked."""

    def counts(self) -> QueueCounts:
        """How many jobs wait, run and are dead, and how many were done or failed."""

    def worker(self) -> int | None:
        """The process that works the queue; None when there is none, or when it is this one."""

    def wakeups(self) -> Sequence[int]:
        """File descriptors that are readable when a job may have come."""

    def pause(self) -> timedelta:
        """How long an idle worker waits until it looks again."""


class WorkedQueue(Queue, QueueOperations, Protocol):
    """A queue that a worker works and operators look after."""


class Run(Protocol):
    """One piece of work of an agent. Its texts have been screened."""

    @property
    def name(self) -> str:
        """The name of the run; processes that share a run share its name."""

    def so_far(self) -> RunSoFar:
        """The task, the newest steps (oldest first), the lessons shown and the marks counted."""

    def whole(self) -> RunSoFar:
        """The same with all steps that are kept."""

    def begin(self, task: str) -> None:
        """Note what the run is about; the latest task counts."""

    def record(self, step: Step) -> None:
        """Add a step; the oldest may be forgotten."""

    def note_shown(
        self, lessons: Iterable[int], call: str = "", shown: Shown | None = None
    ) -> None:
        """Note the lessons that the run was shown, and the pending call that they are about.

        `shown`: the delivery of these lessons; its outcome is read when the run ends.
        """

    def note_marks(self, marks: Iterable[str]) -> None:
        """Note marks that count once per run."""

    def end(self, outcome: str = "", at: float = 0.0) -> bool:
        """Forget the run. Call it when its job is durable.

        With an outcome and a time it is put aside for a worker; False if that is not possible.
        """


class Knowledge(Protocol):
    """Where a store keeps what is known."""

    @property
    def lessons(self) -> LessonStore: ...
    @property
    def reflections(self) -> ReflectionStore: ...
    @property
    def runs(self) -> ReflectionStore: ...
    @property
    def history(self) -> History: ...
    @property
    def dreams(self) -> DreamStore: ...


class Logs(Protocol):
    """Where a store keeps what happened."""

    @property
    def deliveries(self) -> DeliveryLog: ...
    @property
    def failures(self) -> FailureLog: ...
    @property
    def units(self) -> HoldOut: ...
    @property
    def statistics(self) -> Statistics: ...
    @property
    def ended_runs(self) -> RunArchive: ...


class Parts(Knowledge, Logs, Protocol):
    """What every store consists of."""


class Upkeep(Protocol):
    """Maintenance of a store."""

    def tend(self) -> int:
        """Merge recent notes into the index, as workers do; how many there were."""

    def check(self) -> list[str]:
        """What is wrong with the stored data, in words; nothing when all is well."""

    def close(self) -> None:
        """Release files and connections; what was stored stays."""


class Store(Parts, Upkeep, Protocol):
    """Everything that is kept about agents, under one roof."""

    @property
    def vectors(self) -> VectorStore: ...
    @property
    def listing(self) -> Listing: ...

    def together(self) -> AbstractContextManager[object]:
        """Everything stored inside the `with` block is kept as a whole or not at all."""

    def last_state(self) -> object:
        """The state of the open or the last transaction; None if that is not known.

        It differs after every change, so that what was read need not be read again if it is equal.
        """

    def shelves(self, tenant: str) -> dict[Scope, int]:
        """Where a tenant has active lessons, and how many; most first."""

    def scopes(self, tenant: str, project: str) -> list[Scope]:
        """The scopes of all agents of a tenant that have something in this project."""

    def move(self, scope: Scope, target: Scope) -> None:
        """Move the logs and counts of a scope to another scope; counts are added up."""

    def forget(self, tenant: str) -> None:
        """Remove a tenant with everything it owns."""


__all__ = [
    "DeliveryLog",
    "DreamStore",
    "Embedder",
    "FailureLog",
    "History",
    "HoldOut",
    "Knowledge",
    "LessonStore",
    "Listing",
    "Logs",
    "Model",
    "Parts",
    "Queue",
    "QueueOperations",
    "ReflectionStore",
    "Reply",
    "Request",
    "Run",
    "RunArchive",
    "Statistics",
    "Store",
    "Upkeep",
    "VectorStore",
    "WorkedQueue",
]
