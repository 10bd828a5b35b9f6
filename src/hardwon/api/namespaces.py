"""Namespaces of a hardwon and of an agent: `hw.queue`, `agent.goals` and others."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from hardwon.api import run_input
from hardwon.api.lessons import within
from hardwon.core import time_limits
from hardwon.core.errors import HardwonError, InvalidInput, PermanentError
from hardwon.core.text.clean import as_text
from hardwon.core.text.secrets import screen_excerpt
from hardwon.core.values.delivery import NOTHING, Injection
from hardwon.core.values.job import Job, QueueCounts, WorkerStatus
from hardwon.core.values.lesson import Lesson
from hardwon.core.values.reflection import Reflection
from hardwon.core.values.run import EndedRun
from hardwon.core.values.scope import Scope
from hardwon.engine.runtime import TEXT_LIMIT, Runtime, prompt_text
from hardwon.storage.ports import Reply, Request

if TYPE_CHECKING:
    from hardwon.api import Agent, tenants
    from hardwon.engine.pipeline.reflect import Refined, Verification


_TRIAL = Request("Answer with one word and nothing else.", "Write the word: ready", max_tokens=100)


class _OfEngine:
    def __init__(self, engine: Runtime) -> None:
        self._engine = engine


class JobQueue(_OfEngine):
    """The queue for operators: list jobs, revive or purge dead ones, read the status."""

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


class Exchange(_OfEngine):
    """What other machines send to a server, and copy from it."""

    def receive(self, batch: str, records: Sequence[Sequence[object]]) -> None:
        """Learn from what another machine noted; once, however often the batch is sent."""
        self._engine.receive(batch, records)

    def kinds(self) -> frozenset[str]:
        """The kinds of records that can be received."""
        return self._engine.unscreened.kinds

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


class Vectors(_OfEngine):
    """The embeddings of lessons. Without an embedder there are none."""

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


class _OfAgent:
    def __init__(self, agent: Agent) -> None:
        self._engine, self._scope = agent._engine, agent.scope
        self._best_effort = agent._best_effort


class Goals(_OfAgent):
    """Goals that ended, and what was learnt from them."""

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
        with self._best_effort():
            from hardwon.learn.goals import goal

            told = (goal_id, objective, state)
            return goal.queue_reflection(
                self._engine, self._scope, *told, tasks=tasks, error=as_text(error)
            )
        return None

    def context(self, goal_id: object = None, *, objective: str = "") -> Injection:
        """What was learnt from this goal and similar ones; without both, from recent goals."""
        with self._best_effort():
            from hardwon.learn.goals import recall

            return recall.context(self._engine, self._scope, goal_id, objective)
        return NOTHING

    def reflections(self, goal_id: object = None, *, limit: int = 25) -> Sequence[Reflection]:
        """The reflections on a goal, or the newest on any goal."""
        from hardwon.learn.goals import recall

        return recall.stored_reflections(
            self._engine, self._scope, goal_id, limit=within(limit, 10_000)
        )


class Runs(_OfAgent):
    """Runs that ended, and how well they went."""

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
        with self._best_effort():
            from hardwon.learn import executions

            problem = run_input.problem_of(error)
            lost = failed or bool(problem)
            run = executions.FinishedRun(task, tuple(tools), seconds, lost, retries, problem)
            return executions.queue_judgement(self._engine, self._scope, run)
        return None

    def context(self, text: str = "") -> Injection:
        """At most three lines on recent runs: the latest error, what recurs, what fits the text."""
        with self._best_effort():
            from hardwon.learn import executions

            return executions.context(self._engine, self._scope, text)
        return NOTHING

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


class Answers(_OfEngine):
    """Answers checked and improved by the model."""

    def verify(self, task: str, answer: str) -> Verification:
        """The discrepancies of an answer, by a few model calls; `signals` go to `after_run`."""
        from hardwon.engine.pipeline import reflect

        texts = screen_excerpt(task, TEXT_LIMIT), screen_excerpt(answer, TEXT_LIMIT)
        model = self._engine.model
        return time_limits.run_sync(lambda: reflect.verify(*texts, model=model, prompt=prompt_text))

    def refine(self, task: str, answer: str) -> Refined:
        """The answer, rewritten as long as its score rises; its `signals` go to `after_run`."""
        from hardwon.engine.pipeline import reflect

        texts = screen_excerpt(task, TEXT_LIMIT), screen_excerpt(answer, TEXT_LIMIT)
        model = self._engine.model
        return time_limits.run_sync(lambda: reflect.refine(*texts, model=model, prompt=prompt_text))

    def imagine(self, query: str) -> str:
        """A hypothetical lesson to search with; "" unless `hyde.enabled`. Never in a hook."""
        engine = self._engine
        if not engine.settings.hyde.enabled or not engine.has_model:
            return ""
        return time_limits.run_sync(lambda: _hypothesis(engine, query))


def try_model(engine: Runtime) -> Reply:
    """The model's answer to one small request; an error says what is wrong."""
    if not engine.has_model:
        raise InvalidInput("no model is set; `hardwon config set model.name NAME` chooses one")
    model = engine.model
    reply = time_limits.run_sync(lambda: model.complete(_TRIAL))
    if not reply.text.strip():
        raise PermanentError(f"{model.name} answered with an empty text")
    return reply._replace(model=reply.model or model.name)


def imagine_lesson(engine: Runtime, prompt: str, hyde: bool | None) -> str:
    """A hypothetical lesson if `hyde` is on; "" if it takes over `recall.patience` or fails."""
    is_on = engine.settings.hyde.enabled if hyde is None else hyde
    if not is_on:
        return ""
    import asyncio

    try:
        if not engine.has_model:
            return ""
        patience = engine.settings.recall.patience.total_seconds()
        return time_limits.run_sync(lambda: asyncio.wait_for(_hypothesis(engine, prompt), patience))
    except (HardwonError, TimeoutError) as error:
        engine.trouble(error)
        return ""


async def _hypothesis(engine: Runtime, query: str) -> str:
    from hardwon.engine.pipeline import reflect

    system, known = prompt_text("hypothesis"), engine.hypotheses
    asked = screen_excerpt(query, TEXT_LIMIT)
    return await reflect.hypothesis(asked, model=engine.model, system=system, known=known)


# Names of the last release. They still work in this one, with a warning.
OF_HARDWON = {
    **{name: f"queue.{name}" for name in ("waiting", "dead", "revive", "purge")},
    "queue_status": "queue.status",
    "embed": "vectors.fill",
    "embedded": "vectors.counts",
}
OF_AGENT = {
    "goal_ended": "goals.ended",
    "goal_context": "goals.context",
    "run_ended": "runs.ended",
    "run_context": "runs.context",
    **{name: f"answers.{name}" for name in ("verify", "refine", "imagine")},
    "reflections": "goals.reflections",
    "trials": "loops.run",
}


def resolve_old_name(handle: object, name: str, places: dict[str, str]) -> Any:
    """The value of an old name of a handle, with a warning; AttributeError for other names."""
    place = places.get(name)
    if place is None:
        raise AttributeError(f"{type(handle).__name__!r} object has no attribute {name!r}")
    warnings.warn(f"{name} is now {place}", DeprecationWarning, stacklevel=3)
    space, _, verb = place.partition(".")
    return getattr(getattr(handle, space), verb)
