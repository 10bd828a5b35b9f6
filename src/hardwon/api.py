"""The public face: `Hardwon`, the agents in it, and the lessons of an agent."""

from __future__ import annotations

import os
from collections.abc import Mapping

from hardwon import _hurry
from hardwon._cold.cached import cached_property
from hardwon._cold.lazy import lazy
from hardwon._platform import ensure_supported
from hardwon.lessons import Lessons
from hardwon.runtime import ANY_TRIGGER, TEXT_LIMIT, Runtime, settings_at, utc_now
from hardwon.text.clean import LABEL_LIMIT, LESSON_LIMIT, as_text, one_line, required
from hardwon.text.secrets import screened
from hardwon.values.delivery import NOTHING, Door, Injection
from hardwon.values.lesson import Lesson, noted
from hardwon.values.scope import scope as scoped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime, timedelta
    from typing import Any, TypeVar

    from hardwon import (
        _sync,
        answering,
        forgetting,
        handed_over,
        moved_names,
        namespaces,
        reading,
        reporting,
        tenants,
    )
    from hardwon import projects as claims
    from hardwon.failures import call_keys, verdict
    from hardwon.learn import executions, failed_runs, goals, maintenance, trials
    from hardwon.learn.transcripts import mining
    from hardwon.learn.trials import Loops
    from hardwon.models.budget import Spent
    from hardwon.pipeline import capture
    from hardwon.ports import Embedder, Model, Run
    from hardwon.ranking.scores import Judged
    from hardwon.runtime import Answerer, Processor
    from hardwon.settings import Settings
    from hardwon.values import episode
    from hardwon.values import step as steps
    from hardwon.values.job import Job
    from hardwon.values.queue import Tally
    from hardwon.values.report import Report
    from hardwon.values.scope import Scope
    from hardwon.values.step import Step
    from hardwon.worker import WorkerProcess

    T = TypeVar("T")
else:
    trials, namespaces = lazy("hardwon.learn.trials"), lazy("hardwon.namespaces")
    call_keys, episode = lazy("hardwon.failures.call_keys"), lazy("hardwon.values.episode")
    mining = lazy("hardwon.learn.transcripts.mining")
    maintenance, goals = lazy("hardwon.learn.maintenance"), lazy("hardwon.learn.goals")
    steps = lazy("hardwon.values.step")
    verdict = lazy("hardwon.failures.verdict")
    executions, reporting = lazy("hardwon.learn.executions"), lazy("hardwon.reporting")
    capture, reading = lazy("hardwon.pipeline.capture"), lazy("hardwon.reading")
    handed_over, moved_names = lazy("hardwon.handed_over"), lazy("hardwon.moved_names")
    failed_runs, answering = lazy("hardwon.learn.failed_runs"), lazy("hardwon.answering")
    claims, tenants = lazy("hardwon.projects"), lazy("hardwon.tenants")
    forgetting, _sync = lazy("hardwon.forgetting"), lazy("hardwon._sync")


def open(
    target: str | os.PathLike[str] | None = None,
    *,
    settings: Settings | None = None,
    model: Model | Answerer | str | None = None,
    embedder: Embedder | None = None,
    clock: Callable[[], datetime] = utc_now,
) -> Hardwon:
    """A hardwon at `target`: nothing (`~/.hardwon`), a directory, `memory:`, `postgresql://…`.

    A `model` (a name, a function or an object) and an `embedder` of yours are used instead of
    those that `model.name` and `recall.embedder` name.
    """
    ensure_supported()
    place = os.fspath(target) if target is not None else ""
    set_here = settings_at(place, settings)
    engine = Runtime(set_here, place, model=model, embedder=embedder, clock=clock)
    engine.processors.update(PROCESSORS)
    if model is not None:
        engine.model  # noqa: B018 - one that cannot be used is refused here, not job by job
    return Hardwon(engine)


def attach(orchestrator: object, agent: Agent | None = None, **how: str) -> goals.Attachment:
    """Have an orchestrator tell an agent about every goal that ends; see `learn.goals.attach`."""
    return goals.attach(orchestrator, (agent or open().agent("default")).goals, **how)


# What works a job of each kind; each way of learning is imported when its first job is worked.
PROCESSORS: dict[str, Processor] = {
    ANY_TRIGGER: lambda engine, job: failed_runs.process(engine, job),
    "execution": lambda engine, job: executions.process(engine, job),
    "goal": lambda engine, job: goals.process(engine, job),
}


class Hardwon:
    """One opened store with its queue. Close it, or use it in a `with` block."""

    def __init__(self, engine: Runtime) -> None:
        self._engine = engine

    @property
    def settings(self) -> Settings:
        """What is set, and where it was set."""
        return self._engine.settings

    @property
    def model(self) -> str:
        """The name of the model that words the lessons; `rules` without a model."""
        return self._engine.model.name

    def agent(
        self,
        name: str,
        *,
        project: str | None = None,
        tenant: str = "default",
        run: str | None = None,
    ) -> Agent:
        """A handle for one agent; nothing it does touches another's lessons.

        With a `run` id the steps of the run are kept on disk: several processes share them.
        """
        return Agent(self._engine, scoped(name, project=project, tenant=tenant), run)

    def drain(self) -> Tally:
        """Work every queued job that is due, now."""
        return _sync.run_sync(self._engine.worker.drain)

    def work(self, mode: str = "forever", *, idle: timedelta | None = None) -> Tally:
        """Work the queue until SIGTERM or SIGINT, or until nothing came for `idle`.

        The mode `empty` ends when nothing is due, the mode `once` after one job.
        """
        return _sync.run_sync(lambda: self._engine.worker.serve(mode, idle=idle))

    @property
    def worker(self) -> WorkerProcess:
        """What this process counts when it works the queue."""
        return self._engine.worker

    def wake(self) -> int | None:
        """Make sure a worker is running: starts a process when none is; its id, if one was."""
        return self._engine.wake()

    @property
    def queue(self) -> namespaces.JobQueue:
        """The queue: `waiting`, `dead`, `revive`, `purge`, `status`."""
        return namespaces.JobQueue(self._engine)

    @property
    def projects(self) -> claims.Projects:
        """Which folders may write into a project: `list`, `trust`, `forget`."""
        return claims.Projects(self._engine)

    def tenant(
        self, name: str = "default", *, agent: str | None = None, project: str | None = None
    ) -> tenants.Tenant:
        """All agents of a tenant, or one agent or project: lists to look through, page by page."""
        return tenants.tenant(self._engine, name, agent, project)

    def spent(self) -> Spent:
        """What models have cost today, in all: `calls`, `tokens`, `money`."""
        return self._engine.accounts.today()

    def report(
        self,
        agent: str = "default",
        *,
        project: str | None = None,
        tenant: str = "default",
        since: timedelta | None = None,
        whole: bool = False,
    ) -> Report:
        """What was learnt, what was shown, and what happened then: of an agent in a project.

        With `whole` it is about every agent and project of the tenant. Default of `since`: 30 days.
        """
        own = scoped(agent, project=project, tenant=tenant)
        return reporting.report(self._engine, own, since=since, whole=whole)

    @property
    def vectors(self) -> namespaces.Vectors:
        """The embeddings of lessons: `fill`, `counts`."""
        return namespaces.Vectors(self._engine)

    def check(self) -> list[str]:
        """What is wrong with the stored data, in words; nothing when all is well."""
        return self._engine.store.check()

    def on_trouble(self, tell: Callable[[BaseException], None]) -> None:
        """Call `tell` with each error that a door hides from the agent, instead of logging it."""
        self._engine.trouble = tell

    def forget_tenant(self, tenant: str) -> None:
        """Remove a tenant with all it has: lessons, logs, jobs, dead letters, runs and loops."""
        forgetting.forget(self._engine, tenant)

    def close(self) -> None:
        """Release files. What is queued stays queued."""
        self._engine.close()

    if not TYPE_CHECKING:  # names of the last release; a type checker should refuse them

        def __getattr__(self, name: str) -> Any:
            return moved_names.moved(self, name, moved_names.OF_HARDWON)

    def __enter__(self) -> Hardwon:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Agent:
    """One agent in one project. The doors never raise into the agent's turn."""

    def __init__(self, engine: Runtime, own: Scope, run: str | None = None) -> None:
        self._engine = engine
        self.scope = own
        self.lessons = Lessons(engine, own)
        self._run_name = None if run is None else as_text(run)

    @property
    def dreams(self) -> maintenance.Dreams:
        """Consolidation of this agent's lessons while it is idle, with report and undo."""
        return maintenance.Dreams(self._engine, self.scope)

    @property
    def sessions(self) -> mining.Sessions:
        """Transcripts of coding agents on this machine, to be mined into this agent's memory."""
        return mining.Sessions(self._engine, self.scope)

    def start(self) -> Injection:
        """The failures that this project keeps meeting, and their fixes; once, at the start."""
        return self._attempt(lambda: self._engine.doors.start(self.scope, self.run), NOTHING)

    def before_turn(self, prompt: str, *, hyde: bool | None = None) -> Injection:
        """What to put before the model along with this prompt; falsy when nothing fits.

        With `hyde` the model first imagines the lesson that would help; default: `hyde.enabled`.
        """

        def turn() -> Injection:
            asked = screened(as_text(prompt), TEXT_LIMIT)  # cut first: a prompt may be of any size
            imagined = _imagined(self._engine, asked, hyde)
            return self._engine.doors.turn(self.scope, asked, self.run, imagined)

        return self._attempt(turn, NOTHING)

    def before_action(self, tool: str, args: object) -> Injection:
        """The known pitfall of exactly this call, or nothing."""

        def action() -> Injection:
            return self._engine.doors.action(self.scope, as_text(tool), args, self.run)

        return self._attempt(action, NOTHING)

    def after_action(
        self, tool: str, args: object, *, output: object = "", failed: bool | None = None
    ) -> Injection:
        """Records the step; after a failure that is known, what worked the last time.

        Without `failed` the output is judged; the verdict stands in `failed` of what is returned.
        The output may be anything: text, bytes, an exception. A run that goes in circles is told
        so; `stop` is set when it should be stopped.
        """

        def after() -> Injection:
            name, call = as_text(tool), call_keys.canonical(args)
            has_failed = failed
            if failed is None:
                has_failed = verdict.has_failed(name, output, call, self.run.so_far().steps)
            step = steps.Step(name, call, as_text(output), bool(has_failed))
            return self._engine.doors.after(self.scope, step, self.run)

        return self._attempt(after, NOTHING)

    def after_run(
        self,
        *,
        task: str,
        attempt: str = "",
        error: object = None,
        signals: Mapping[str, object] | None = None,
        steps: Sequence[Step] | None = None,
    ) -> Job | None:
        """Queues a reflection when the run is worth one; the job is durable on return."""
        late = () if steps is None else handed_over.learnt(self._engine, self.scope, steps)
        recorded = self.run.so_far().steps if steps is None else late
        flags = handed_over.flags_of(signals)
        problem = handed_over.problem_of(error)
        trigger = capture.trigger_of(bool(problem), flags, self._engine.settings.reflexion)
        job = None
        if trigger is not None:
            texts = as_text(task), as_text(attempt), problem
            ended = episode.Episode(self.scope, *texts, signals=tuple(flags.items()))
            job = self._engine.capture(ended, trigger, recorded=recorded)
        # Not before the job is durable: a full disk must not cost the steps.
        self._engine.doors.end(self.scope, self.run, as_text(task), problem, late)
        return job

    def end_run(self) -> None:
        """Note what came of every delivery of the run, and put its steps aside."""
        self._engine.doors.end(self.scope, self.run)

    def explain(
        self, door: str, text: str, *, tool: str = "bash", hyde: bool | None = None
    ) -> Sequence[Judged]:
        """Every candidate at the `turn`, `action` or `error` door: its score, parts and verdict."""
        imagined = _imagined(self._engine, text, hyde) if door == Door.TURN else ""
        asked = f"{text}\n{imagined}" if imagined else text
        return self._engine.doors.explain(self.scope, door, asked, tool)

    def learn(self, text: str, *, situation: str = "") -> Lesson:
        """Keep a lesson you already know: at once, without a model. `situation`: when it holds."""
        lesson = noted(self.scope, required(text, "lesson", LESSON_LIMIT))
        if situation:
            lesson = lesson._replace(situation=required(situation, "situation", LABEL_LIMIT))
        return self._engine.keep(lesson)

    def digest(self, *, tokens: int = 300) -> str:
        """The lessons that were met most often, as a block for the start of a session."""
        scope, run = self.scope, self.run
        return self._attempt(lambda: reading.digest(self._engine, scope, run, tokens=tokens), "")

    def readable(self, lessons: Sequence[Lesson]) -> Sequence[Lesson]:
        """The lessons that the agent may look up; those withheld from this run are left out."""
        return reading.readable(self._engine, self.scope, lessons, self.run)

    @property
    def loops(self) -> Loops:
        """Loops of trials: `run` one; states, reflections, search, analytics of all."""
        return trials.Loops(self._engine, self.scope)

    @property
    def goals(self) -> namespaces.Goals:
        """Goals that ended: `ended`, `context`, `reflections`."""
        return namespaces.Goals(self._engine, self.scope, self._attempt)

    @property
    def runs(self) -> namespaces.Runs:
        """Runs that ended: `list`, `get`; how well they went: `ended`, `context`."""
        return namespaces.Runs(self._engine, self.scope, self._attempt)

    @property
    def answers(self) -> namespaces.Answers:
        """Answers checked and improved by the model: `verify`, `refine`, `imagine`."""
        return namespaces.Answers(self._engine)

    def report(self, injection: Injection, outcome: str) -> None:
        """Say what came of a delivery: `helped`, `ignored`, `failed` …"""
        delivery = as_text(getattr(injection, "id", ""))
        self._engine.store.deliveries.report(self.scope, delivery, one_line(as_text(outcome), 200))

    @cached_property
    def run(self) -> Run:
        """The run at work: its task, its steps, what it was told."""
        return self._engine.doors.run(self.scope, self._run_name)

    if not TYPE_CHECKING:  # names of the last release; a type checker should refuse them

        def __getattr__(self, name: str) -> Any:
            return moved_names.moved(self, name, moved_names.OF_AGENT)

    def _attempt(self, call: Callable[[], T], otherwise: T) -> T:
        """Best effort: an agent's turn never fails because of its memory."""
        try:
            with _hurry.Hurry(self._engine.settings.postgres.patience.total_seconds()):
                return call()
        except Exception as error:  # noqa: BLE001 - whatever it is, the turn goes on
            _tell(self._engine, error)
            return otherwise


def _imagined(engine: Runtime, prompt: str, hyde: bool | None) -> str:
    """A lesson that the model imagines for the prompt, when the caller or the settings ask."""
    is_on = engine.settings.hyde.enabled if hyde is None else hyde
    return answering.enriched(engine, prompt) if is_on else ""


def _tell(engine: Runtime, error: Exception) -> None:
    try:
        engine.trouble(error)
    except Exception:  # noqa: BLE001 - a listener of the program must not end its turn
        return
