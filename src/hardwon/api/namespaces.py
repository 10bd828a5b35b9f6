"""Namespaces of a hardwon and of an agent: `hw.queue`, `agent.goals` and others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from hardwon.api import run_input
from hardwon.api.lessons import within
from hardwon.core.text.clean import as_text
from hardwon.core.values.delivery import NOTHING, Injection
from hardwon.learn import goals

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from hardwon.api import tenants
    from hardwon.core.values.job import Job, QueueCounts, WorkerStatus
    from hardwon.core.values.lesson import Lesson
    from hardwon.core.values.reflection import Reflection
    from hardwon.core.values.run import EndedRun
    from hardwon.core.values.scope import Scope
    from hardwon.engine.pipeline.answers import Refined, Verification
    from hardwon.engine.runtime import Runtime


T = TypeVar("T")


class Fallback(Protocol):
    """Makes a call; returns `otherwise` if it raises."""

    def __call__(self, call: Callable[[], T], otherwise: T) -> T: ...


class JobQueue:
    """The queue for operators: list jobs, revive or purge dead ones, read the status."""

    def __init__(self, engine: Runtime) -> None:
        self._engine = engine

    def waiting(self) -> list[Job]:
        """Jobs that are queued, oldest first."""
        return self._engine.queue.waiting()

    def dead(self) -> list[Job]:
        """Jobs that were given up, with the reason in `last_error`."""
        return self._engine.queue.dead()

    def revive(self, *ids: str) -> None:
        """Queue dead jobs again as if new; NotFound for a job that is not dead."""
        for identity in ids:
            self._engine.queue.revive(identity, self._engine.clock())

    def purge(self, *ids: str) -> None:
        """Delete dead jobs; NotFound for a job that is not dead."""
        for identity in ids:
            self._engine.queue.purge(identity)

    def status(self) -> tuple[QueueCounts, WorkerStatus]:
        """The counts of the queue, and the status of its worker; {} if none is running."""
        from hardwon.engine import worker

        return self._engine.queue.counts(), worker.status(self._engine.settings)


class Exchange:
    """What other machines send to a server, and copy from it."""

    def __init__(self, engine: Runtime) -> None:
        self._engine = engine

    def receive(self, batch: str, records: Sequence[Sequence[object]]) -> None:
        """Learn from what another machine noted; once, however often the batch is sent."""
        self._engine.receive(batch, records)

    def state(self, scope: Scope) -> tuple[int, str, float | None]:
        """The version of a scope's lessons; the salt and the share of the hold-out."""
        shelves = self._engine.shelves
        return shelves.states([scope])[scope], shelves.salt(), shelves.share(scope.tenant)

    def marks(self, scope: Scope) -> dict[int, int]:
        """A mark for every lesson of the scope, which changes with the lesson."""
        return self._engine.shelves.marks(scope)

    def lessons(self, scope: Scope, numbers: Sequence[int]) -> list[Lesson]:
        """These lessons, without those that are gone."""
        return self._engine.shelves.lessons(scope, numbers)


class Vectors:
    """The embeddings of lessons. Without an embedder there are none."""

    def __init__(self, engine: Runtime) -> None:
        self._engine = engine

    def fill(self, tell: Callable[[int], None] = lambda done: None) -> int:
        """Embed every lesson without a vector, as workers do; returns how many.

        `tell` is called with the number done so far.
        """
        done = 0
        for done in self._engine.semantic_search.fill():
            tell(done)
        return done

    def counts(self) -> tuple[str, int, int]:
        """The name of the embedder, how many lessons have its vector, and how many should."""
        return self._engine.semantic_search.counts()


class Goals:
    """Goals that ended, and what was learnt from them."""

    def __init__(self, engine: Runtime, own: Scope, attempt: Fallback) -> None:
        self._engine = engine
        self._scope = own
        self._attempt = attempt

    def ended(
        self,
        goal_id: object,
        objective: object,
        state: object = "completed",
        *,
        tasks: Iterable[object] = (),
        error: object = None,
    ) -> Job | None:
        """Queue a reflection on an ended goal; durable on return. Never raises."""

        def end() -> Job | None:
            goal = (goal_id, objective, state)
            return goals.ended(self._engine, self._scope, *goal, tasks=tasks, error=as_text(error))

        return self._attempt(end, None)

    def context(self, goal_id: object = None, *, objective: str = "") -> Injection:
        """What was learnt from this goal and similar ones; without both, from recent goals."""

        def ask() -> Injection:
            return goals.context(self._engine, self._scope, goal_id, objective)

        return self._attempt(ask, NOTHING)

    def reflections(self, goal_id: object = None, *, limit: int = 25) -> Sequence[Reflection]:
        """The reflections on a goal, or the newest on any goal."""
        return goals.kept(self._engine, self._scope, goal_id, limit=within(limit, 10_000))


class Runs:
    """Runs that ended, and how well they went."""

    def __init__(self, engine: Runtime, own: Scope, attempt: Fallback) -> None:
        self._engine = engine
        self._scope = own
        self._attempt = attempt

    def ended(
        self,
        task: str,
        *,
        tools: Iterable[str] = (),
        seconds: float = 0.0,
        retries: int = 0,
        failed: bool = False,
        error: object = None,
    ) -> Job | None:
        """Queue a judgement on how well a run went, if there is something to say."""

        def end() -> Job | None:
            problem = run_input.problem_of(error)
            lost = failed or bool(problem)
            from hardwon.core.values import execution

            run = execution.FinishedRun(task, tuple(tools), seconds, lost, retries, problem)
            from hardwon.learn import executions

            return executions.ended(self._engine, self._scope, run)

        return self._attempt(end, None)

    def context(self, text: str = "") -> Injection:
        """At most three lines on recent runs: the latest error, what recurs, what fits the text."""

        def ask() -> Injection:
            from hardwon.learn import executions

            return executions.context(self._engine, self._scope, text)

        return self._attempt(ask, NOTHING)

    def list(self, *, text: str = "", limit: int = 25) -> Sequence[EndedRun]:
        """The ended runs of the agent in its project, without their steps, newest first.

        With `text`, only those whose task contains it. Runs are kept for `runs.keep`.
        """
        return self._tenant.ended_runs(text=text, limit=within(limit, 1_000)).rows

    def get(self, identity: str) -> EndedRun:
        """One run with its steps and what it was shown when, or NotFound."""
        return self._tenant.ended_run(as_text(identity))

    @property
    def _tenant(self) -> tenants.Tenant:
        tenant, agent, project = self._scope
        from hardwon.api import tenants

        return tenants.tenant(self._engine, tenant, agent, project or "")


class Answers:
    """Answers checked and improved by the model."""

    def __init__(self, engine: Runtime) -> None:
        self._engine = engine

    def verify(self, task: str, answer: str) -> Verification:
        """The discrepancies of an answer, by a few model calls; `signals` go to `after_run`."""
        from hardwon.api import answers

        return answers.verified(self._engine, task, answer)

    def refine(self, task: str, answer: str) -> Refined:
        """The answer, rewritten as long as its score rises; its `signals` go to `after_run`."""
        from hardwon.api import answers

        return answers.refined(self._engine, task, answer)

    def imagine(self, query: str) -> str:
        """A hypothetical lesson to search with; "" unless `hyde.enabled`. Never in a hook."""
        from hardwon.api import answers

        return answers.imagined(self._engine, query)
