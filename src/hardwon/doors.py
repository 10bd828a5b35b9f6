"""The doors: where lessons are delivered, and where steps are recorded on the way."""

from __future__ import annotations

import os
from time import perf_counter_ns

from hardwon._cold.lazy import lazy
from hardwon.errors import InvalidInput, StorageError
from hardwon.pipeline import inject, measure, recall
from hardwon.ranking.query import Match, Query, query
from hardwon.ranking.scores import ANY, UNKNOWN, WARNED, WEIGHTS, Judged, Outlook
from hardwon.text.secrets import safe
from hardwon.values.delivery import NOTHING, Door, Injection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime
    from typing import Any

    from hardwon.failures import call_context, call_keys, guards, loops, signature
    from hardwon.pipeline import mine, screen
    from hardwon.ports import Run, Store
    from hardwon.ranking.query import Near
    from hardwon.settings import Settings
    from hardwon.stores import runs
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
    signature = lazy("hardwon.failures.signature")
    mine, screen = lazy("hardwon.pipeline.mine"), lazy("hardwon.pipeline.screen")

_TASK = 4000  # characters of a prompt that are kept as the task of a run
_ABOUT = 300  # characters of the task that say what an error was met at
_PROMPT = 1500  # characters of a prompt that are looked up, from its beginning and its end
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
            return runs.MemoryRun()
        return runs.FileRun(self._settings.home, scope, name)

    def turn(self, scope: Scope, prompt: str, run: Run, imagined: str = "") -> Injection:
        """What the agent should know before it starts; `imagined`: a lesson that might exist."""
        self._noted(lambda: run.begin(safe(prompt, _TASK)))
        asked = self.asked_at_turn(scope, f"{prompt}\n{imagined}".rstrip())
        asked = asked._replace(text=prompt)
        limit = self._settings.recall.turn_lessons
        outlook = UNKNOWN._replace(told=run.so_far().told)
        return self._tell(run, self._deliver(scope, asked, limit=limit, outlook=outlook))

    def action(self, scope: Scope, tool: str, args: Any, run: Run) -> Injection:
        """What is known about exactly this kind of call; nothing when it just worked."""
        call = call_keys.canonical(args)
        if denial := self._denial(scope, tool, call):
            return denial
        past = run.so_far()
        if _just_worked(call, past.steps):
            return NOTHING
        asked, outlook = self.asked_at_action(scope, tool, call, past.steps)
        outlook = outlook._replace(told=past.told)
        limit = self._settings.recall.action_lessons
        return self._tell(run, self._deliver(scope, asked, limit=limit, outlook=outlook), call)

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

    def after(self, scope: Scope, step: Step, run: Run) -> Injection:
        """Record a step; what is known about its failure, and whether the run goes in circles."""
        past, step = run.so_far(), self.screened(step)
        was_warned = bool(past.warned) and past.warned == runs.call_name(step.args)
        self._noted(lambda: run.record(step))
        known = NOTHING
        if step.failed:
            known = self._tell(run, self._failed(scope, step, past, was_warned=was_warned))
        else:
            self.learn(scope, step, past.steps, was_warned=was_warned)
        return self._with_loop(scope, known, [*past.turn, step])

    @staticmethod
    def screened(step: Step) -> Step:
        """The step without secrets; a failing one with its failure."""
        step = screen.screen_step(step)
        return step._replace(failure=signature.read_failure(step)) if step.failed else step

    def learn(
        self, scope: Scope, step: Step, before: Sequence[Step], *, was_warned: bool = False
    ) -> None:
        """Count the call, open a lesson for a failure, fill one in by what works."""
        values = self._settings.reflexion
        if not (values.enabled and values.on_error and values.persist):
            return
        known = (ANY, WARNED) if was_warned else (ANY,)
        made = call_context.keys(
            (known, *call_context.backoff_chains(step.tool, step.args, before))
        )
        failed = call_context.keys((known, *_blamed(step, before))) if step.failed else ()
        self._store.calls.made(scope, made, failed)
        learnt = mine.failed if step.failed else mine.worked
        if step.failed or any(one.failed for one in before):
            learnt(
                step,
                scope=scope,
                before=before,
                lessons=self._store.lessons,
                screen=screen.screen_lesson,
                now=self._clock(),
            )

    def explain(self, scope: Scope, door: str, text: str, tool: str) -> list[Judged]:
        """Every candidate at a door, with its score and why it is or is not shown."""
        asked, outlook = self._asked(scope, door, text, tool)
        forbidden = self._forbidding(scope, tool, asked.text) if door == Door.ACTION else None
        if forbidden is not None:
            return [Judged(Match(forbidden), 10.0, (("guard", 10.0),))]
        return recall.weigh(
            asked,
            scope=scope,
            lessons=self._store.lessons,
            now=self._clock(),
            limit=getattr(self._settings.recall, f"{door}_lessons"),
            outlook=outlook,
            weights=self.weights,
        )

    def _asked(self, scope: Scope, door: str, text: str, tool: str) -> tuple[Query, Outlook]:
        if door == Door.ACTION:
            return self.asked_at_action(scope, tool, call_keys.canonical(text), ())
        if door == Door.ERROR:
            return self.asked_at_error(scope, tool, text), UNKNOWN
        if door != Door.TURN:
            raise InvalidInput(f"no such door: {door!r}")
        return self.asked_at_turn(scope, text), UNKNOWN

    def asked_at_turn(self, scope: Scope, prompt: str) -> Query:
        """The query of a prompt."""
        prompt = (
            prompt if len(prompt) <= 2 * _PROMPT else f"{prompt[:_PROMPT]}\n{prompt[-_PROMPT:]}"
        )
        near = self._near(scope, prompt)
        return query(Door.TURN, prompt, usual=self._settings.recall.usual, near=near)

    def asked_at_action(
        self, scope: Scope, tool: str, call: str, before: Sequence[Step]
    ) -> tuple[Query, Outlook]:
        """The query of a pending call, and what is known about such calls."""
        asked = query(Door.ACTION, call, chains=call_context.backoff_chains(tool, call, before))
        odds = self._store.calls.odds(scope, (*asked.calls, ANY, WARNED))
        return asked, Outlook(odds, frozenset(), _overcome(before))

    def asked_at_error(self, scope: Scope, tool: str, output: str, task: str = "") -> Query:
        """The query of an error; what the agent was about adds to the meaning of it."""
        name = signature.signature(tool, output)
        near = self._near(scope, f"{signature.error_line(output)}\n{task[:_ABOUT]}")
        return query(Door.ERROR, output[-_ASKED:], signature=name.digest, near=near)

    def _failed(self, scope: Scope, step: Step, past: RunSoFar, *, was_warned: bool) -> Injection:
        """What is known about a failure; all that is noted about it is one commit."""
        name = signature.signature(step.tool, step.output)
        asked = self.asked_at_error(scope, step.tool, step.output, past.task)
        limit = self._settings.recall.error_lessons
        met = {signature.failure_of(one) for one in past.steps if one.failed}
        known = self._deliver(scope, asked, limit=limit, skip=frozenset(met))
        with self._store.together():
            self._store.failures.met(scope, name.digest, name.text, self._clock())
            self.learn(scope, step, past.steps, was_warned=was_warned)
        return known

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

    def _deliver(
        self,
        scope: Scope,
        asked: Query,
        *,
        limit: int,
        outlook: Outlook = UNKNOWN,
        skip: frozenset[str] = frozenset(),
    ) -> Injection:
        """Open a door: recall, render, remember."""
        started, now = perf_counter_ns(), self._clock()
        found = recall.weigh(
            asked,
            scope=scope,
            lessons=self._store.lessons,
            now=now,
            limit=limit,
            outlook=outlook,
            weights=self.weights,
        )
        fresh = [one for one in recall.shown(found) if not _is_echo(one, skip)]
        if not fresh:
            return NOTHING
        budget = getattr(self._settings.recall, f"{asked.door}_tokens")
        block = inject.render((one.match.lesson for one in fresh), door=asked.door, budget=budget)
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

    def _noted(self, note: Callable[[], None]) -> None:
        """Note what is told; a disk that takes no note must not cost the agent its lesson."""
        try:
            note()
        except StorageError as error:
            self._trouble(error)


def _just_worked(call: str, steps: Sequence[Step]) -> bool:
    """Whether this very call worked when the run made it last."""
    last = next((step for step in reversed(steps) if step.args == call), None)
    return last is not None and not last.failed


def _is_echo(one: Judged, met: frozenset[str]) -> bool:
    """Whether the lesson only repeats what this run has just seen, without a way around."""
    lesson = one.match.lesson
    return lesson.met < 2 and lesson.confidence < 0.5 and bool(met & set(lesson.signatures))


def _overcome(steps: Sequence[Step]) -> frozenset[str]:
    """The failures of a run after which something worked: it is on them, or past them."""
    worked = [place for place, step in enumerate(steps) if not step.failed]
    return frozenset(
        signature.failure_of(step) for step in steps[: worked[-1] if worked else 0] if step.failed
    )


def _blamed(step: Step, before: Sequence[Step]) -> tuple[tuple[str, ...], ...]:
    error = signature.error_line(step.output)
    return call_context.blamed(step.tool, step.args, error, before)


def _delivery_id(now: datetime) -> str:
    """Unique, and in the order of time."""
    return f"{int(now.timestamp() * 1000):011x}{os.urandom(5).hex()}"
