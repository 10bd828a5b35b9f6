"""The public API: `Hardwon` and its agents."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from importlib import import_module
from typing import TYPE_CHECKING, Any, overload

from hardwon.api import namespaces, run_input
from hardwon.api.lessons import Lessons
from hardwon.core import _files, time_limits
from hardwon.core._fork import cached_property
from hardwon.core.errors import InvalidInput
from hardwon.core.settings import Settings, span
from hardwon.core.text.clean import LABEL_LIMIT, LESSON_LIMIT, as_text, one_line, require_text
from hardwon.core.text.secrets import screen_excerpt
from hardwon.core.values.delivery import NOTHING, Door, Injection
from hardwon.core.values.job import Job, Tally
from hardwon.core.values.lesson import Lesson, Status, lesson_of_person
from hardwon.core.values.report import Answer, Recurring, Report
from hardwon.core.values.run import Author, Episode, Step, Trigger
from hardwon.core.values.scope import Scope
from hardwon.core.values.scope import scope as scoped
from hardwon.engine import runtime
from hardwon.knowledge.reading import call_keys
from hardwon.storage.ports import Embedder, Model, Reply, Run

if TYPE_CHECKING:
    from hardwon.api import playbook, tenants
    from hardwon.api.client.remote import RemoteHardwon
    from hardwon.engine import trust
    from hardwon.engine.worker import WorkerProcess
    from hardwon.knowledge.ranking.scores import Judged
    from hardwon.learn import maintenance
    from hardwon.learn.goals import goal
    from hardwon.learn.traces import runs as trace_runs
    from hardwon.learn.transcripts import mining
    from hardwon.learn.trials.loops import Loops
    from hardwon.models.budget import Spent


_DIGESTED = 50  # the most recently consulted lessons, from which a digest is made
_SERVERS = ("http://", "https://")


@overload
def open(
    target: str,
    *,
    key: str,
    settings: Settings | None = ...,
    clock: Callable[[], datetime] = ...,
) -> RemoteHardwon: ...


@overload
def open(
    target: str | os.PathLike[str] | None = ...,
    *,
    settings: Settings | None = ...,
    model: Model | runtime.Answerer | str | None = ...,
    embedder: Embedder | None = ...,
    work: bool = ...,
    clock: Callable[[], datetime] = ...,
) -> Hardwon: ...


def open(
    target: str | os.PathLike[str] | None = None,
    *,
    key: str | None = None,
    settings: Settings | None = None,
    model: Model | runtime.Answerer | str | None = None,
    embedder: Embedder | None = None,
    work: bool = False,
    clock: Callable[[], datetime] = runtime.utc_now,
) -> Hardwon | RemoteHardwon:
    """A hardwon at `target`: nothing (`~/.hardwon`), a directory, `memory:`, or a URL.

    After `hardwon login` it is that server: a `RemoteHardwon`, which has the verbs that can be done
    over the network. `postgresql://…` is a database that many machines share; `https://…` is a
    server of hardwon and needs a `key`. A `model` (a name, a function or an object) and an
    `embedder` of yours are used instead of the ones set in `model.name` and `recall.embedder`.
    With `work` a thread of this process works the queue until `close`.
    """
    place = os.fspath(target) if target is not None else ""
    if not place.startswith(_SERVERS):
        is_local = place == runtime.MEMORY or _files.is_database(place)
        settings = runtime.settings_at(place, settings)
        if settings.server.url and not (is_local or settings.is_for_hooks):
            from hardwon.api.client import remote

            return remote.log_in(settings, clock=clock)
        engine = runtime.Runtime(settings, place, model=model, embedder=embedder, clock=clock)
        engine.processors.update(PROCESSORS)
        engine.chores += (collect_sent, _follow, _watch)
        engine.unscreened.on("session", lambda records: _sessions().take_in(engine, records))
        if settings.is_observed:
            from hardwon.engine import telemetry

            telemetry.observe(engine)
        if model is not None:
            engine.model  # noqa: B018 - an unusable model is refused here, not job by job
        if work:
            engine.work_in_background()
        return Hardwon(engine)
    if model is not None or embedder is not None or work:
        raise InvalidInput("models, embedders and workers are set where the server runs")
    from hardwon.api.client import remote  # loads http, which others do not need

    return remote.connect(place, key=key, settings=settings, clock=clock)


def attach(orchestrator: object, agent: Agent | None = None, **how: str) -> goal.Attachment:
    """Report every ended goal of an orchestrator to an agent; see `learn.goals.goal.attach`."""
    from hardwon.learn.goals import goal

    return goal.attach(orchestrator, (agent or open().agent("default")).goals.ended, **how)


def _processor(way: str) -> runtime.Processor:
    """The processor of a way of learning, which is imported for its first job."""
    return lambda engine, job: import_module(f"hardwon.learn.{way}").process(engine, job)


PROCESSORS = {
    runtime.ANY_TRIGGER: _processor("failed_runs"),
    "execution": _processor("executions"),
    "goal": _processor("goals.goal"),
    "run": _processor("reader"),
    "notice": lambda engine, job: import_module("hardwon.engine.notices").process(engine, job),
}


def _watch(engine: runtime.Runtime) -> Iterator[object]:
    """Queue notices for people, if they are on."""
    if engine.settings.notices.webhook:
        from hardwon.engine import notices

        yield from notices.watch(engine)


def collect_sent(engine: runtime.Runtime) -> Iterator[object]:
    """Record the traces that have ended, and the sessions that other machines have sent."""
    if os.path.isdir(os.path.join(engine.settings.home, "traces")):
        yield from import_module("hardwon.learn.traces.runs").collect(engine)
    if os.path.isdir(os.path.join(engine.settings.home, "sessions", "sent")):
        yield from _sessions().collect(engine)


def _follow(engine: runtime.Runtime) -> Iterator[object]:
    """Record what is new in the sessions of the coding agents on this machine, if that is on."""
    if engine.settings.runs.follow and engine.on_disk and not engine.settings.is_on_copy:
        yield from import_module("hardwon.learn.transcripts.past").follow(engine)


def _sessions() -> Any:
    return import_module("hardwon.learn.transcripts.sending")


class Hardwon:
    """One opened store with its queue. Close it, or use it in a `with` block."""

    def __init__(self, engine: runtime.Runtime) -> None:
        self._engine = engine

    @property
    def settings(self) -> Settings:
        """All settings, and where each was set."""
        return self._engine.settings

    @property
    def model(self) -> str:
        """The name of the model that writes the lessons; `rules` without a model."""
        return self._engine.model.name

    def try_model(self) -> Reply:
        """The model's answer to one small request; an error says what is wrong with it."""
        return namespaces.try_model(self._engine)

    @property
    def reader(self) -> str:
        """The name of the model that reads ended runs; "" if none does."""
        return self._engine.model.name if self._engine.reads_runs else ""

    @property
    def last_reading(self) -> datetime | None:
        """When a run was last read on this machine, or its items were written down."""
        return self._engine.last_reading

    def agent(
        self,
        name: str,
        *,
        project: str | None = None,
        tenant: str = "default",
        run: str | None = None,
    ) -> Agent:
        """A handle for one agent; it never touches another agent's lessons.

        With a `run` id the steps of the run are kept on disk, so that several processes share them.
        """
        return Agent(self._engine, scoped(name, project=project, tenant=tenant), run)

    def drain(self) -> Tally:
        """Work every queued job that is due, now, and return the counts."""
        return time_limits.run_sync(self._engine.drain)

    def work(self, mode: str = "forever", *, idle: timedelta | None = None) -> Tally:
        """Work the queue until SIGTERM or SIGINT, or until nothing came for `idle`.

        The mode `empty` ends when nothing is due, the mode `once` after one job.
        """
        return time_limits.run_sync(lambda: self._engine.worker.serve(mode, idle=idle))

    @property
    def worker(self) -> WorkerProcess:
        """The worker of this process with its counts; that in the background if there is one."""
        background = self._engine.background
        return background.worker if background else self._engine.worker

    def wake(self) -> int | None:
        """Make sure a worker is running; returns the process id if one was started."""
        return self._engine.wake()

    @property
    def queue(self) -> namespaces.JobQueue:
        """The queue: `waiting`, `dead`, `revive`, `purge`, `status`."""
        return namespaces.JobQueue(self._engine)

    @property
    def projects(self) -> trust.Projects:
        """Which folders may write into a project: `list`, `trust`, `forget`."""
        from hardwon.engine import trust

        return trust.Projects(self._engine)

    def tenant(
        self, name: str = "default", *, agent: str | None = None, project: str | None = None
    ) -> tenants.Tenant:
        """Paged lists over all agents of a tenant, or over one agent or project."""
        from hardwon.api import tenants

        return tenants.tenant(self._engine, name, agent, project)

    def spent(self) -> Spent:
        """What models have cost today in total: `calls`, `tokens`, `money`."""
        return self._engine.accounts.today()

    def report(
        self,
        agent: str = "default",
        *,
        project: str | None = None,
        tenant: str = "default",
        since: timedelta | str | None = None,
        whole: bool = False,
    ) -> Report:
        """What an agent in a project learnt, what it was shown, and what happened then.

        `whole` covers every agent and project of the tenant. Default of `since`: 30 days.
        """
        own = scoped(agent, project=project, tenant=tenant)
        from hardwon.engine import reports

        return reports.report(self._engine, own, since=since, whole=whole)

    @property
    def vectors(self) -> namespaces.Vectors:
        """The embeddings of lessons: `fill`, `counts`."""
        return namespaces.Vectors(self._engine)

    @property
    def exchange(self) -> namespaces.Exchange:
        """What other machines send and copy: `receive`, `state`, `marks`, `lessons`."""
        return namespaces.Exchange(self._engine)

    def check(self) -> list[str]:
        """The problems of the stored data, in words; [] if there are none."""
        return self._engine.store.check()

    def on_trouble(self, tell: Callable[[BaseException], None]) -> None:
        """Call `tell` with each error that a door hides from the agent, instead of logging it."""
        self._engine.trouble = tell

    def forget_tenant(self, tenant: str) -> None:
        """Delete a tenant with all its lessons, logs, jobs, dead letters, runs and loops."""
        from hardwon.api import tenants

        tenants.forget(self._engine, tenant)

    def close(self) -> None:
        """Release files; queued jobs stay queued. With `work` it waits for the jobs in flight."""
        self._engine.close()

    if not TYPE_CHECKING:  # names of the last release; a type checker should refuse them

        def __getattr__(self, name: str) -> Any:
            return namespaces.resolve_old_name(self, name, namespaces.OF_HARDWON)

    def __enter__(self) -> Hardwon:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Agent:
    """One agent in one project. The doors never raise into the agent's turn."""

    def __init__(self, engine: runtime.Runtime, own: Scope, run: str | None = None) -> None:
        self._engine = engine
        self.scope = own
        self.lessons = Lessons(engine, own)
        self.by: Author | None = None  # whose runs it makes, if not of the person of this machine
        self.program = ""  # the coding agent whose runs they are
        self._run_name = None if run is None else as_text(run)

    @property
    def dreams(self) -> maintenance.Dreams:
        """Maintenance of this agent's lessons while it is idle, with report and undo."""
        from hardwon.learn import maintenance

        return maintenance.Dreams(self._engine, self.scope)

    @property
    def sessions(self) -> mining.Sessions:
        """Transcripts of coding agents on this machine, to be mined into this agent's memory."""
        from hardwon.learn.transcripts import mining

        return mining.Sessions(self._engine, self.scope)

    @property
    def traces(self) -> trace_runs.Traces:
        """Takes OTLP traces of this agent in, which become runs."""
        from hardwon.learn.traces import runs as trace_runs

        return trace_runs.Traces(self._engine, self.scope)

    def start(self, *, again: bool = False) -> Injection:
        """The playbook of this project, once, at the start of a run; else its usual failures.

        `again` shows it once more, to a run whose context was lost.
        """
        with self._best_effort():
            return self._engine.doors.start(self.scope, self.run, again=again)
        return NOTHING

    def before_turn(self, prompt: str, *, hyde: bool | None = None) -> Injection:
        """The lessons to put before the model with this prompt; falsy if none fits.

        With `hyde` the model first imagines the lesson that would help; default: `hyde.enabled`.
        """
        with self._best_effort():
            asked = screen_excerpt(
                as_text(prompt), runtime.TEXT_LIMIT
            )  # cut first, as prompts may be huge
            imagined = namespaces.imagine_lesson(self._engine, asked, hyde)
            return self._engine.doors.turn(self.scope, asked, self.run, imagined)
        return NOTHING

    def before_action(self, tool: str, args: object) -> Injection:
        """A warning if this call will probably fail, or is forbidden; falsy if not."""
        with self._best_effort():
            return self._engine.doors.action(self.scope, as_text(tool), args, self.run)
        return NOTHING

    def after_action(
        self, tool: str, args: object, *, output: object = "", failed: bool | None = None
    ) -> Injection:
        """Record a step; returns the known fix if it failed in a known way.

        Without `failed` the output is judged; the result's `failed` holds the verdict. The output
        may be anything: text, bytes, an exception. A run in a loop gets a warning; `stop` is set
        when it should be stopped.
        """
        with self._best_effort():
            name, call = as_text(tool), call_keys.canonical(args)
            if failed is None:
                from hardwon.knowledge.reading import verdict

                failed = verdict.has_failed(name, output, call, self.run.so_far().steps)
            step = Step(name, call, as_text(output), bool(failed))
            return self._engine.doors.after(self.scope, step, self.run)
        return NOTHING

    def after_run(
        self,
        *,
        task: str,
        attempt: str = "",
        error: object = None,
        signals: Mapping[str, object] | None = None,
        steps: Sequence[Step] | None = None,
    ) -> Job | None:
        """End a run; queue a reflection if the run is worth one. The job is durable on return."""
        late: tuple[Step, ...] = ()
        if steps is not None:
            late = run_input.learn_steps(self._engine, self.scope, as_text(task), steps)
        recorded = self.run.so_far().steps if steps is None else late
        flags, problem = run_input.flags_of(signals), run_input.problem_of(error)
        from hardwon.engine.pipeline import ending

        trigger = ending.trigger_of(bool(problem), flags, self._engine.settings.reflexion)
        texts = as_text(task), as_text(attempt), problem
        ended = Episode(self.scope, *texts, signals=tuple(flags.items()))
        is_read = trigger in (None, Trigger.ERROR) and self._engine.reads(recorded)
        job = None
        if is_read:
            job = self._engine.read_run(ended, self.run, recorded)
        elif trigger is not None:
            job = self._engine.capture(ended, trigger, recorded=recorded)
        # Only after the job is durable: a full disk must not cost the steps.
        self._engine.doors.end(self.scope, self.run, as_text(task), problem, late)
        return job

    def end_run(self) -> Job | None:
        """End a run: note outcomes of its deliveries, archive its steps.

        It is queued only for a model that reads runs.
        """
        ended, steps = Episode(self.scope, ""), self.run.so_far().steps
        is_read = self._engine.reads(steps)
        job = self._engine.read_run(ended, self.run, steps) if is_read else None
        self._engine.doors.end(self.scope, self.run)
        return job

    def explain(
        self, door: str, text: str, *, tool: str = "bash", hyde: bool | None = None
    ) -> Sequence[Judged]:
        """Every candidate at the `turn`, `action` or `error` door: its score, parts and verdict."""
        imagined = namespaces.imagine_lesson(self._engine, text, hyde) if door == Door.TURN else ""
        asked = f"{text}\n{imagined}" if imagined else text
        return self._engine.doors.explain(self.scope, door, asked, tool)

    def fix(self, error: str, *, limit: int = 5) -> Sequence[Answer]:
        """What got past this error, in this project first, then in the agent's others."""
        from hardwon.engine import lookup

        return lookup.answers_to_error(self._engine, self.scope, as_text(error), limit=limit)

    def how(self, words: str, *, limit: int = 5, is_for_person: bool = False) -> Sequence[Answer]:
        """The calls that worked and fit these words, in this project first, then in others.

        A person also sees the fixes of lessons that an agent is not yet shown for words.
        """
        from hardwon.engine import lookup

        return lookup.answers_to_words(
            self._engine, self.scope, as_text(words), limit=limit, is_for_person=is_for_person
        )

    def recurring(self, *, since: timedelta | str, limit: int = 20) -> Sequence[Recurring]:
        """The failures that most runs met, in all projects of this agent, with their cures.

        `since` says how far to look back: a timedelta or a text such as `30d`.
        """
        from hardwon.engine import lookup

        start = self._engine.clock() - span(since, "since")
        return lookup.recurring_failures(self._engine, self.scope, start, limit=limit)

    def learn(self, text: str, *, situation: str = "") -> Lesson:
        """Store a lesson that you already know, without a model. `situation`: when it holds."""
        lesson = lesson_of_person(self.scope, require_text(text, "lesson", LESSON_LIMIT))
        if situation:
            lesson = lesson._replace(situation=require_text(situation, "situation", LABEL_LIMIT))
        return self._engine.keep(lesson)

    def digest(self, *, tokens: int = 300) -> str:
        """The lessons that were met most often, as a block for the start of a session."""
        from hardwon.engine.pipeline import inject

        with self._best_effort():
            store = self._engine.store.lessons
            recent = store.recent(self.scope, status=Status.ACTIVE, limit=_DIGESTED)
            return inject.digest(self.readable(recent), budget=tokens)
        return ""

    def readable(self, lessons: Sequence[Lesson]) -> Sequence[Lesson]:
        """The lessons that the agent may look up; those withheld from this run are left out."""
        engine = self._engine
        if not (engine.settings.proof.share or any(lesson.was_retired for lesson in lessons)):
            return lessons
        from hardwon.engine.pipeline import hold_out

        return hold_out.read_outside(lessons, engine.doors.coin(self.scope, self.run))

    @property
    def playbook(self) -> playbook.Playbook:
        """What the project has taught: `list`, `edit`, `pin`, `move`, `undo`, `add`, `write` …"""
        from hardwon.api import playbook

        return playbook.Playbook(self._engine, self.scope, self.lessons, self.run)

    @property
    def loops(self) -> Loops:
        """Loops of trials: `run` one; states, reflections, search, analytics of all."""
        from hardwon.learn.trials import loops

        return loops.Loops(self._engine, self.scope)

    @property
    def goals(self) -> namespaces.Goals:
        """Goals that ended: `ended`, `context`, `reflections`."""
        return namespaces.Goals(self)

    @property
    def runs(self) -> namespaces.Runs:
        """Runs that ended: `list`, `get`; how well they went: `ended`, `context`."""
        return namespaces.Runs(self)

    @property
    def answers(self) -> namespaces.Answers:
        """Answers checked and improved by the model: `verify`, `refine`, `imagine`."""
        return namespaces.Answers(self._engine)

    def report(self, injection: Injection, outcome: str) -> None:
        """Report the outcome of a delivery: `helped`, `ignored`, `failed` …"""
        delivery = one_line(as_text(getattr(injection, "id", "")), 200)
        self._engine.store.deliveries.report(self.scope, delivery, one_line(as_text(outcome), 200))

    @cached_property
    def run(self) -> Run:
        """The current run: its task, its steps, the lessons it was shown."""
        return self._engine.doors.run(self.scope, self._run_name, self.by, self.program)

    if not TYPE_CHECKING:  # names of the last release; a type checker should refuse them

        def __getattr__(self, name: str) -> Any:
            return namespaces.resolve_old_name(self, name, namespaces.OF_AGENT)

    def _best_effort(self) -> time_limits.WaitBudget:
        patience = self._engine.settings.postgres.patience.total_seconds()
        return time_limits.WaitBudget(patience, self._engine.trouble)
