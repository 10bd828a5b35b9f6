"""What the core needs from the outside: narrow protocols, each with its promises."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple, Protocol

from hardwon.core.values.job import Job, QueueCounts
from hardwon.core.values.reflection import Likeness, Reflection
from hardwon.core.values.run import Episode, RunSoFar, Shown, Step
from hardwon.core.values.scope import Scope
from hardwon.storage.sql.lessons import SqlLessons
from hardwon.storage.sql.store import SqlStore

LessonStore = SqlLessons
Store = SqlStore


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
        """The living ones that share several of the words, the most relevant first.

        Of equals the newest comes first, and of one moment the one of a subject saved last.
        """


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


class WorkedQueue(Queue, Protocol):
    """A queue with what workers and operators need. Any process may call this at any time."""

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
