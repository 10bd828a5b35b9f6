"""The doors: where lessons are delivered, and where steps are recorded on the way."""

from __future__ import annotations

import os
from time import perf_counter_ns

from hardwon._cold import re
from hardwon._cold.lazy import lazy
from hardwon.errors import InvalidInput, StorageError
from hardwon.pipeline import edge, inject, measure, recall
from hardwon.ranking.query import Match, Query, query, terms
from hardwon.ranking.scores import ANY, RUN, UNKNOWN, WARNED, WEIGHTS, Judged, Outlook
from hardwon.text.secrets import screened
from hardwon.values.delivery import NOTHING, Door, Injection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime
    from typing import Any

    from hardwon.failures import call_context, call_keys, guards, loops, mistakes, reading
    from hardwon.pipeline import mine, screen
    from hardwon.ports import Run, Store
    from hardwon.ranking.query import Near
    from hardwon.settings import Settings
    from hardwon.stores import runs
    from hardwon.values import step as steps
    from hardwon.values.failure import Failure
    from hardwon.values.lesson import Lesson
    from hardwon.values.run import RunSoFar
    from hardwon.values.scope import Scope
    from hardwon.values.step import Step
else:
    runs = lazy("hardwon.stores.runs")
    call_context = lazy("hardwon.failures.call_context")
    call_keys = lazy("hardwon.failures.call_keys")
    guards = lazy("hardwon.failures.guards")
    loops = lazy("hardwon.failures.loops")
    mistakes, reading = lazy("hardwon.failures.mistakes"), lazy("hardwon.failures.reading")
    steps = lazy("hardwon.values.step")
    mine, screen = lazy("hardwon.pipeline.mine"), lazy("hardwon.pipeline.screen")

_TASK = 4000  # characters of a prompt that are kept as the task of a run
_STARTED = "start"
_ABOUT = 300  # characters of the task that say what an error was met at
_ARGS = 8 * 1024  # characters of a call, as they are recorded
_PROMPT = 1500  # characters of a prompt that are looked up, from its beginning and its end
_CALL = 200  # characters of a command that say what an error was met at
_ASKED = 2000  # characters of an error that are looked up, from its end


class Doors:
    """Lessons out, steps in. One for each opened store."""

    def __init__(
        self,
        store: Store,
        settings: Settings,
        clock: Callable[[], datetime],
        *,
        on_disk: bool,
        near: Callable[[Scope, str], Near],
        trouble: Callable[[BaseException], None],
    ) -> None:
        self._store = store
        self._trouble = trouble
        self._near = near
        self._on_disk = on_disk
        self._settings = settings
        self._clock = clock
        self.weights = WEIGHTS  # a value to replace by one who measures another

    def run(self, scope: Scope, name: str | None) -> Run:
        """A run: on disk when it has a name, else in this process."""
        if name is None or not self._on_disk:
            return edge.screened_run(runs.MemoryRun())
        return edge.screened_run(runs.FileRun(self._settings.home, scope, name))

    def start(self, scope: Scope, run: Run) -> Injection:
        """What this project keeps meeting, once a run."""
        past = run.so_far()
        if _STARTED in past.counted:
            return NOTHING
        self._noted(lambda: run.counted([_STARTED]))
        # What was noted so far has to count: how many runs there were decides what is frequent.
        self._noted(lambda: self._store.deliveries.recent(scope, limit=1))
        runs = self._store.calls.odds(scope, (RUN,)).get(RUN, (0, 0))[0]
        asked = Query(Door.START, "", usual=self._settings.recall.usual)
        outlook = Outlook({}, past.told, runs)
        return self._tell(run, self._deliver(scope, asked, outlook))

    def turn(self, scope: Scope, prompt: str, run: Run, imagined: str = "") -> Injection:
        """What the prompt asks for; `imagined`: a lesson that might exist."""
        prompt = screened(prompt, _TASK)
        self._noted(lambda: run.begin(prompt))
        asked = self.asked_at_turn(scope, f"{prompt}\n{imagined}".rstrip())
        asked = asked._replace(text=prompt)
        outlook = UNKNOWN._replace(told=run.so_far().told)
        return self._tell(run, self._deliver(scope, asked, outlook))

    def action(self, scope: Scope, tool: str, args: Any, run: Run) -> Injection:
        """What is known about exactly this kind of call; nothing when it just worked."""
        call = screened(call_keys.canonical(args), _ARGS)
        if denial := self._denial(scope, tool, call):
            return denial
        past = run.so_far()
        if _just_worked(call, past.steps):
            return NOTHING
        asked, outlook = self.asked_at_action(scope, tool, call, past.steps)
        outlook = outlook._replace(told=past.told)
        block = self._deliver(scope, asked, outlook, skip=lambda one: _recommends(one, call))
        return self._tell(run, block, call)

    def after(self, scope: Scope, step: Step, run: Run) -> Injection:
        """Record a step; what is known about its failure, and whether the run goes in circles."""
        past = run.so_far()
        step = self.screened(step, past.steps)
        self._noted(lambda: run.record(step))
        told = self._failed(scope, step, past) if step.failed else NOTHING
        counted = self._learnt(scope, step, past, told.lessons)
        self._noted(lambda: run.counted(counted) if counted else None)
        block = self._with_loop(scope, self._tell(run, told), [*past.turn, step])
        return block._replace(failed=step.failed)

    def _learnt(
        self, scope: Scope, step: Step, past: RunSoFar, told: Sequence[Lesson]
    ) -> list[str]:
        """The same as `learn`; all that is noted about a failure is one commit."""
        if not step.failed:
            return self.learn(scope, step, past)
        with self._store.together():
            return self.learn(scope, step, past) + self._offered(scope, step, told)

    def _offered(self, scope: Scope, step: Step, told: Sequence[Lesson]) -> list[str]:
        """Note the lessons that were told because of their words."""
        memory = self._memory(scope)
        return [
            mine.offered(lesson, step.failure, memory)
            for lesson in told
            if step.failure and step.failure.kind not in lesson.kinds and lesson.scope == scope
        ]

    def _memory(self, scope: Scope) -> mine.Memory:
        return mine.Memory(scope, self._store.lessons, screen.screen_lesson, self._clock())

    def _denial(self, scope: Scope, tool: str, call: str) -> Injection:
        """What to say where a person has forbidden this call."""
        found = self._forbidding(scope, tool, call)
        if found is None:
            return NOTHING
        now, text = self._clock(), inject.guarding(found)
        denial = Injection(text, (found,), _delivery_id(now), denied=True)
        asked, tokens = Query(Door.ACTION, call), inject.tokens(text)
        self._log(denial, asked, scope, scores=(1.0,), tokens=tokens, began=now)
        return denial

    def _forbidding(self, scope: Scope, tool: str, call: str) -> Lesson | None:
        """The lesson by which a person has forbidden this call, if one has."""
        now = self._clock()
        for lesson in self._store.lessons.guards(scope):
            is_alive = lesson.expires_at is None or lesson.expires_at > now
            if is_alive and guards.guard_of(lesson).forbids(tool, call):
                return lesson
        return None

    def _tell(self, run: Run, block: Injection, call: str = "") -> Injection:
        """The block, once the run has noted that it was told."""
        if block.lessons:
            self._noted(lambda: run.told([lesson.id for lesson in block.lessons], call))
        return block

    @staticmethod
    def screened(step: Step, before: Sequence[Step]) -> Step:
        """The step without secrets; a failing one with its failure."""
        step = screen.screen_step(step)
        return step._replace(failure=reading.read_failure(step, before)) if step.failed else step

    def learn(self, scope: Scope, step: Step, past: RunSoFar) -> list[str]:
        """Count the call, its failure and the fixes it shows; marks of what counts once a run."""
        values = self._settings.reflexion
        if not (values.enabled and values.on_error and values.persist):
            return []
        self._count(scope, step, past)
        memory = self._memory(scope)
        if not step.failed:
            return mine.worked(step, past, memory) if _may_show(past) else []
        if step.failure is None:
            return []
        self._store.failures.met(scope, step.failure.kind, step.failure.text, memory.now)
        is_mistake = mistakes.is_mistake(step, past.steps)
        counted = mine.failed(step, past, memory) if is_mistake else []
        return counted + mine.shown(step, past, memory)

    def _count(self, scope: Scope, step: Step, past: RunSoFar) -> None:
        """Count the call by its keys: how often it was made, and how often it failed."""
        was_warned = bool(past.warned) and past.warned == runs.call_name(step.args)
        known = (ANY, *([WARNED] if was_warned else []), *([] if past.steps else [RUN]))
        chains = call_context.backoff_chains(step.tool, step.args, past.steps)
        blamed = (ANY, *known[1 : 1 + was_warned]), *_blamed(step, past.steps)
        failed = call_context.keys(blamed) if step.failed else ()
        self._store.calls.made(scope, call_context.keys((known, *chains)), failed)

    def explain(self, scope: Scope, door: str, text: str, tool: str) -> list[Judged]:
        """Every candidate at a door, with its score and why it is or is not shown."""
        asked, outlook = self._asked(scope, door, text, tool)
        forbidden = self._forbidding(scope, tool, asked.text) if door == Door.ACTION else None
        if forbidden is not None:
            return [Judged(Match(forbidden), 10.0, (("guard", 10.0),))]
        return self._weighed(scope, asked, outlook)

    def _asked(self, scope: Scope, door: str, text: str, tool: str) -> tuple[Query, Outlook]:
        if door == Door.ACTION:
            call = screened(call_keys.canonical(text), _ARGS)
            return self.asked_at_action(scope, tool, call, ())
        if door == Door.ERROR:
            step = steps.Step(tool, "", text, failed=True)
            return self.asked_at_error(scope, self.screened(step, ())), UNKNOWN
        if door != Door.TURN:
            raise InvalidInput(f"no such door: {door!r}")
        return self.asked_at_turn(scope, text), UNKNOWN

    def asked_at_turn(self, scope: Scope, prompt: str) -> Query:
        """The query of a prompt."""
        prompt = screened(prompt, 2 * _PROMPT)
        return query(Door.TURN, prompt, near=self._near(scope, prompt))

    def asked_at_action(
        self, scope: Scope, tool: str, call: str, before: Sequence[Step]
    ) -> tuple[Query, Outlook]:
        """The query of a pending call, and what is known about such calls."""
        chains = call_context.backoff_chains(tool, call, before)
        asked = query(Door.ACTION, call, chains=chains)._replace(terms=())
        odds = self._store.calls.odds(scope, (*asked.calls, ANY, WARNED))
        return asked, Outlook(odds, frozenset())

    def asked_at_error(self, scope: Scope, step: Step, task: str = "") -> Query:
        """The query of a failure; what the agent was about adds to the meaning of it."""
        failure = step.failure
        if failure is None or not failure.is_telling:
            return Query(Door.ERROR, step.output[-_ASKED:])
        near = self._near(scope, f"{failure.line}\n{task[:_ABOUT]}")
        words = f"{_named(step)}\n{failure.line}"
        asked = query(Door.ERROR, words, signature=failure.exact, kind=failure.kind, near=near)
        return asked._replace(text=step.output[-_ASKED:], about=tuple(terms(failure.text)))

    def _failed(self, scope: Scope, step: Step, past: RunSoFar) -> Injection:
        """What is known about a failure, when it is one that this run has not met yet."""
        is_known = step.failure is not None and mine.has_met(past, step.failure.kind)
        is_asked = mistakes.is_mistake(step, past.steps) or self._is_old_red(scope, step.failure)
        if is_known or not is_asked:
            return NOTHING
        return self._deliver(scope, self.asked_at_error(scope, step, past.task), UNKNOWN)

    def _is_old_red(self, scope: Scope, failure: Failure | None) -> bool:
        """Whether this very failure is known to be there without a run's own change."""
        lesson = self._memory(scope).about(failure) if failure and failure.exact else None
        return lesson is not None and any(fix.sort == "unchanged" for fix in lesson.fixes)

    def _with_loop(self, scope: Scope, known: Injection, steps: Sequence[Step]) -> Injection:
        values = self._settings.recall
        exempt = frozenset(values.loop_exempt.lower().replace(",", " ").split())
        loop = loops.find(steps, exempt=exempt) if values.loops else None
        if loop is None:
            return known
        text = loops.render(loop)
        now = self._clock()
        said = known._replace(
            text=f"{text}\n{known.text}".rstrip(), id=known.id or _delivery_id(now)
        )
        if not known:
            asked = Query(Door.LOOP, f"{loop.step.tool} {loop.step.args}")
            self._log(said, asked, scope, scores=(), tokens=inject.tokens(text), began=now)
        return said._replace(stop=loop.should_stop)

    def _weighed(self, scope: Scope, asked: Query, outlook: Outlook) -> list[Judged]:
        return recall.weigh(
            asked,
            scope=scope,
            lessons=self._store.lessons,
            now=self._clock(),
            limit=getattr(self._settings.recall, f"{asked.door}_lessons"),
            outlook=outlook,
            weights=self.weights,
        )

    def _deliver(
        self,
        scope: Scope,
        asked: Query,
        outlook: Outlook,
        *,
        skip: Callable[[Lesson], bool] = lambda lesson: False,
    ) -> Injection:
        """Open a door: recall, render, remember."""
        started, now = perf_counter_ns(), self._clock()
        fresh = [
            one
            for one in recall.shown(self._weighed(scope, asked, outlook))
            if not skip(one.match.lesson)
        ]
        if not fresh:
            return NOTHING
        budget = getattr(self._settings.recall, f"{asked.door}_tokens")
        lessons = (one.match.lesson for one in fresh)
        block = inject.render(lessons, door=_frame(asked.door, fresh[0]), budget=budget)
        if not block.lessons:
            return NOTHING
        injection = Injection(block.text, block.lessons, _delivery_id(now))
        scores = {one.match.lesson.id: round(one.score, 4) for one in fresh}
        self._log(
            injection,
            asked,
            scope,
            scores=tuple(scores[lesson.id] for lesson in block.lessons),
            tokens=block.tokens,
            began=now,
            micros=(perf_counter_ns() - started) // 1000,
        )
        return injection

    def _log(
        self,
        injection: Injection,
        asked: Query,
        scope: Scope,
        *,
        scores: tuple[float, ...],
        tokens: int,
        began: datetime,
        micros: int = 0,
    ) -> None:
        self._noted(
            lambda: measure.delivered(
                injection,
                asked,
                scope=scope,
                scores=scores,
                tokens=tokens,
                micros=micros,
                at=began,
                log=self._store.deliveries,
            )
        )

    def _noted(self, note: Callable[[], object]) -> None:
        """Note what is told; a disk that takes no note must not cost the agent its lesson."""
        try:
            note()
        except StorageError as error:
            self._trouble(error)


def _just_worked(call: str, steps: Sequence[Step]) -> bool:
    """Whether this very call worked when the run made it last."""
    last = next((step for step in reversed(steps) if step.args == call), None)
    return last is not None and not last.failed


def _named(step: Step) -> str:
    """What a call names: the command, or the tool and its arguments without their values."""
    if not step.args.startswith("{"):
        return step.args[:_CALL]
    return " ".join((step.tool, *re.findall(r'"(\w{1,40})":', step.args[:_ASKED])))


def _recommends(lesson: Lesson, call: str) -> bool:
    """Whether a fix of the lesson is this very call: it is never warned about."""
    wanted = " ".join(call.split())
    return any(fix.call and " ".join(fix.call.split()) == wanted for fix in lesson.fixes)


def _frame(door: str, best: Judged) -> str:
    """The frame of a block: an error says whether it is the same failure or the same kind."""
    if door != Door.ERROR:
        return door
    match = best.match
    return "same" if match.is_same_failure else "kind" if match.is_same_kind else Door.TURN


def _may_show(past: RunSoFar) -> bool:
    """Whether a working step can teach anything: something failed before, or was told."""
    return bool(past.told) or any(step.failed for step in past.steps)


def _blamed(step: Step, before: Sequence[Step]) -> tuple[tuple[str, ...], ...]:
    line = step.failure.line if step.failure else ""
    return call_context.blamed(step.tool, step.args, line, before)


def _delivery_id(now: datetime) -> str:
    """Unique, and in the order of time."""
    return f"{int(now.timestamp() * 1000):011x}{os.urandom(5).hex()}"
