"""What the core needs from the outside: narrow protocols, each with its promises."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from datetime import date, datetime
from typing import Any, NamedTuple, Protocol

from hardwon.proof.arms import Arms
from hardwon.ranking.odds import Call, Counts
from hardwon.ranking.query import Match, Query
from hardwon.text.embedding_text import Wording
from hardwon.values.delivery import Delivery
from hardwon.values.dream import Change as DreamChange
from hardwon.values.dream import Dream
from hardwon.values.episode import Episode
from hardwon.values.history import Change
from hardwon.values.job import Job
from hardwon.values.lesson import Lesson
from hardwon.values.queue import QueueCounts
from hardwon.values.reflection import Likeness, Reflection
from hardwon.values.report import (
    Deliveries,
    Exposure,
    FailureKind,
    LessonState,
    OpenFailure,
    Window,
)
from hardwon.values.run import RunSoFar, Shown
from hardwon.values.scope import Scope
from hardwon.values.step import Step
from hardwon.values.unit import Unit


class LessonStore(Protocol):
    """Keeps lessons. Every call names a scope, and nothing outside it is read or changed."""

    def add(self, lesson: Lesson) -> Lesson:
        """Store durably; the lesson with its id. A job that made one before gets that one back."""

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
        """The lessons seen from the scope by which a person forbids calls, by id."""


class ReflectionStore(Protocol):
    """Keeps reflections under the loop, goal or pattern they are about."""

    is_shared: bool  # whether other programs write to it, too: what is read is not ours alone

    def save(self, reflection: Reflection, *, keep: int = 0) -> bool:
        """Store durably, at most `keep` about its subject; False when its job made one before."""

    def about(self, scope: Scope, subject: str) -> list[Reflection]:
        """All that are kept about one loop or goal, oldest first."""

    def recent(self, scope: Scope, *, now: datetime, limit: int) -> list[Reflection]:
        """The newest of the agent that have not expired, newest first."""

    def alike(
        self, scope: Scope, words: Sequence[str], *, now: datetime, limit: int
    ) -> list[Likeness]:
        """The living ones that share several of the words, the most relevant first."""


class DeliveryLog(Protocol):
    """Remembers what was shown where. Logging is cheap and never waits for another writer."""

    def log(self, delivery: Delivery) -> None:
        """Note one delivery; it raises the hit counts of its lessons when it is folded in."""

    def report(self, scope: Scope, delivery: str, outcome: str) -> None:
        """Note what came of a delivery."""

    def settle(self, scope: Scope, delivery: str, outcome: str) -> None:
        """The same, unless something is known already: what somebody said counts more."""

    def recent(self, scope: Scope, *, limit: int) -> list[Delivery]:
        """The latest deliveries of the agent, newest first; all that were logged before count."""


class FailureLog(Protocol):
    """Counts failures by signature."""

    def met(self, scope: Scope, signature: str, text: str, now: datetime) -> int:
        """Note one more meeting; how many there have been."""

    def commonest(self, scope: Scope, *, limit: int) -> list[tuple[str, int]]:
        """The readable signatures met most often, with their counts."""


class Statistics(Protocol):
    """Adds up what was met, learnt and shown, where it is stored. Days are those of UTC."""

    def met(self, window: Window) -> list[tuple[date, int]]:
        """How many failures there were on each day that had some, oldest first."""

    def failures(self, window: Window, *, limit: int) -> list[FailureKind]:
        """The kinds that were met most often, with their days."""

    def stopped(self, window: Window, *, before: datetime, limit: int) -> list[FailureKind]:
        """The kinds met at least twice, last within the window and before a moment."""

    def deliveries(self, window: Window) -> list[Deliveries]:
        """What was shown, by door, outcome and day; all that was logged before counts."""

    def lessons(self, window: Window, *, new: datetime) -> list[LessonState]:
        """How many lessons are in each state, and how many of them were made since `new`."""

    def unsolved(self, window: Window, *, limit: int) -> list[OpenFailure]:
        """The failures without a fix that were met at least twice, the commonest first."""

    def exposures(self, scope: Scope, lesson: int) -> list[Exposure]:
        """Where this lesson was shown to the agent of a scope, in all its projects."""


class HoldOut(Protocol):
    """Remembers which runs were shown a family of lessons, and from which it was withheld."""

    def salt(self) -> str:
        """The secret of the coin: made once, and the same for all who share the store."""

    def log(self, unit: Unit) -> None:
        """Note a unit; only the first exposure of a run and a family counts."""

    def settle(self, scope: Scope, run: str, family: str, outcome: str) -> None:
        """Note what came of a unit, unless that is known."""

    def arms(self, window: Window) -> list[Arms]:
        """The counts of both arms, for each door and each share that was in force."""


class CallLog(Protocol):
    """Counts calls by their features. Counting is cheap and never waits for another writer."""

    def made(self, scope: Scope, call: Call) -> None:
        """Note a call; calls count in the order in which they were made."""

    def counts(self, scope: Scope, features: Sequence[int]) -> dict[int, Counts]:
        """What is known of these features and of every call; very old features are forgotten."""


class Run(Protocol):
    """One piece of work of an agent. Text that is given to it has been screened."""

    @property
    def name(self) -> str:
        """What tells it from all other runs; processes that share a run share its name."""

    def so_far(self) -> RunSoFar:
        """Task, steps (oldest first), what it was told and what it has counted."""

    def begin(self, task: str) -> None:
        """Note what the run is about; the latest task counts."""

    def record(self, step: Step) -> None:
        """Add a step; the oldest may be forgotten."""

    def told(self, lessons: Iterable[int], call: str = "", shown: Shown | None = None) -> None:
        """Note the lessons that the run was told, and the pending call they were told before.

        `shown`: the delivery that told them, whose outcome is read when the run ends.
        """

    def counted(self, marks: Iterable[str]) -> None:
        """Note what counts once a run and has been counted."""

    def end(self) -> None:
        """Forget the run. Call it when its job is durable."""


class History(Protocol):
    """What lessons said before somebody changed them."""

    def note(self, change: Change) -> None:
        """Remember a lesson as it was; very old changes may be forgotten."""

    def of(self, scope: Scope, lesson: int | None) -> list[Change]:
        """The changes of one lesson, or of all visible from the scope, newest first."""

    def forget(self, scope: Scope, change: Change) -> None:
        """Remove a change that was taken back."""


class DreamStore(Protocol):
    """Remembers dreams for good, and shows a dreamer every lesson of one agent."""

    def save(self, dream: Dream) -> None:
        """Store durably; a dream of the same id is replaced."""

    def get(self, scope: Scope, dream: str) -> Dream:
        """The dream with this id, or whose id begins so; else NotFound."""

    def recent(self, scope: Scope, *, limit: int) -> list[Dream]:
        """The dreams of the agent, newest first."""

    def note(self, dream: str, changes: Sequence[DreamChange]) -> None:
        """Keep what was done, so that it can be undone."""

    def changes(self, dream: str) -> list[DreamChange]:
        """What a dream did, in order."""

    def scopes(self, scope: Scope) -> list[Scope]:
        """Every scope of the agent: everywhere and each project."""

    def lessons(self, scope: Scope) -> Iterator[Lesson]:
        """Every active lesson of the agent in all projects, oldest first."""

    def together(self) -> AbstractContextManager[object]:
        """Whatever is stored inside the `with` block is kept as a whole or not at all."""


class VectorStore(Protocol):
    """Keeps one vector a lesson, and compares only those of the same embedder."""

    def lacking(self, embedder: str, *, after: int = 0, limit: int) -> list[Wording]:
        """Active lessons of every scope without a vector, with an id over `after`, by id."""

    def save(self, embedder: str, found: Iterable[tuple[Wording, Sequence[float]]]) -> None:
        """Keep the vectors, all or none; not that of a lesson that says something else by now."""

    def nearest(
        self, scope: Scope, embedder: str, vector: Sequence[float], *, limit: int
    ) -> list[tuple[int, float, float]]:
        """The active lessons seen from the scope, the nearest first.

        Each with its cosine, and with the cosine when what all lessons share is left out.
        """

    def counts(self, embedder: str) -> tuple[int, int]:
        """How many lessons have a vector of this embedder, and how many should."""


class Parts(Protocol):
    """What a store consists of."""

    @property
    def lessons(self) -> LessonStore: ...
    @property
    def reflections(self) -> ReflectionStore: ...
    @property
    def runs(self) -> ReflectionStore: ...
    @property
    def deliveries(self) -> DeliveryLog: ...
    @property
    def failures(self) -> FailureLog: ...
    @property
    def units(self) -> HoldOut: ...
    @property
    def statistics(self) -> Statistics: ...
    @property
    def calls(self) -> CallLog: ...
    @property
    def history(self) -> History: ...
    @property
    def dreams(self) -> DreamStore: ...


class Store(Parts, Protocol):
    """Everything that is kept about agents, under one roof."""

    @property
    def vectors(self) -> VectorStore: ...

    def together(self) -> AbstractContextManager[object]:
        """Whatever is stored inside the `with` block is kept as a whole or not at all."""

    def shelves(self, tenant: str) -> dict[Scope, int]:
        """Where a tenant has active lessons, and how many; most first."""

    def scopes(self, tenant: str, project: str) -> list[Scope]:
        """The scopes of all agents of a tenant that have something in this project."""

    def move(self, scope: Scope, target: Scope) -> None:
        """Let all that is kept beside the lessons of a scope be another's, counts added up."""

    def forget(self, tenant: str) -> None:
        """Remove a tenant with everything it owns."""

    def check(self) -> list[str]:
        """What is wrong with the stored data, in words; nothing when all is well."""

    def close(self) -> None:
        """Release files and connections; what was stored stays."""


class Queue(Protocol):
    """Holds jobs until they are done. Survives a crash unless it says otherwise."""

    def put(self, job: Job) -> bool:
        """Store the job durably; False when it is already waiting."""

    def claim(self, now: datetime) -> Job | None:
        """The job that is due first, its attempt counted; None when nothing is due."""

    def done(self, job: Job) -> None:
        """Forget a job that has been worked."""

    def retry(self, job: Job) -> None:
        """Keep a claimed job for another attempt at its due time."""

    def bury(self, job: Job, reason: str) -> None:
        """Move a claimed job to the dead letters."""

    def waiting(self) -> list[Job]:
        """The jobs that are pending or in flight, oldest first."""

    def dead(self) -> list[Job]:
        """The dead letters, oldest first."""

    def close(self) -> None:
        """Let another work the queue; what waits stays. The next claim takes it again."""


class QueueDesk(Protocol):
    """What those need who look after a queue. Any process may call it at any time."""

    def revive(self, identity: str, now: datetime) -> None:
        """Make a dead job wait again as if it were new, else NotFound. Safe at any crash."""

    def purge(self, identity: str) -> None:
        """Remove a dead job for good, else NotFound."""

    def counts(self) -> QueueCounts:
        """How much is where, and what happened."""

    def worker(self) -> int | None:
        """The process that works the queue, when it is another one."""

    def bell(self) -> int | None:
        """A file descriptor that is readable when a job may have come; None: look often."""


class WorkedQueue(Queue, QueueDesk, Protocol):
    """A queue and its desk."""


class Request(NamedTuple):
    """What a model is asked. `episode` is there for rules, which work without language."""

    system: str
    prompt: str
    episode: Episode | None = None
    max_tokens: int = 600
    schema: dict[str, Any] | None = None  # JSON Schema of the answer, for servers that take one


class Reply(NamedTuple):
    """What a model answered, and what it cost."""

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
