"""The doors: deliver lessons at the start, turn, action and error of a run, and record steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any

from hardwon.core import time_limits as background
from hardwon.core._fork import cached_property
from hardwon.core.errors import InvalidInput
from hardwon.core.project import author_of
from hardwon.core.settings import Settings
from hardwon.core.text.clean import clean
from hardwon.core.text.secrets import screen_excerpt
from hardwon.core.values.delivery import NOTHING, Door, Injection
from hardwon.core.values.lesson import MINED, Lesson, Status
from hardwon.core.values.report import Window
from hardwon.core.values.run import Author, EndedRun, RunSoFar, Step, Trigger
from hardwon.core.values.scope import Scope
from hardwon.engine.delivering import FOUND_NOTHING, Delivering, Found, note_shown
from hardwon.engine.pipeline import inject, playbook, recall, repeat, screen, screened_ports
from hardwon.knowledge.evidence.inner import with_failure
from hardwon.knowledge.ranking.query import Match, Near, Query
from hardwon.knowledge.ranking.scores import UNKNOWN, Judged
from hardwon.knowledge.reading import call_keys
from hardwon.storage.ports import Run, Store
from hardwon.storage.stores import runs

if TYPE_CHECKING:
    from hardwon.engine import recording
    from hardwon.knowledge.evidence.course import Act

_TASK = 4000  # characters of a prompt that are kept as the task of a run
_STARTED = "start"
_AT_THE_END = 2.0  # seconds that the end of a run waits for background learning
_ARGS = 8 * 1024  # characters of a call that are recorded
_RUNS = 12  # earlier runs of a project that are looked at when a run begins
_FAILURES = 60  # lessons that are looked at when a run begins
_ALWAYS = datetime(1970, 1, 1, tzinfo=UTC)


class Doors:
    """Delivers lessons and records steps. One for each opened store."""

    def __init__(
        self,
        store: Store,
        settings: Settings,
        clock: Callable[[], datetime],
        *,
        on_disk: bool,
        near: Callable[[Scope, str], Near],
        trouble: Callable[[BaseException], None],
        are_read: bool = False,
    ) -> None:
        self._store = store
        self._are_read = are_read  # whether a model reads ended runs
        self._near = near
        self._on_disk = on_disk
        self._settings = settings
        self._clock = clock
        self.delivering = Delivering(store, settings, clock, trouble)
        self._background = background.BackgroundCalls(trouble) if settings.postgres.url else None

    def run(
        self, scope: Scope, name: str | None, by: Author | None = None, program: str = ""
    ) -> Run:
        """A run: on disk if it has a name, else in memory; `by`, `program`: see `RunSoFar`."""
        if name is None or not self._on_disk:
            return screened_ports.screened_run(runs.MemoryRun(by=by))
        run = runs.FileRun(self._settings.home, scope, name, by=by, program=program)
        return screened_ports.screened_run(run)

    def start(self, scope: Scope, run: Run, *, again: bool = False) -> Injection:
        """The playbook of the project, once per run; `again` after its context was lost.

        Where no model has read a run, also what earlier runs show.
        """
        if _STARTED in run.so_far().counted and not again:
            return NOTHING
        with self.delivering.best_effort:
            run.note_marks([_STARTED])
        items = playbook.items(scope, self._store.lessons, self._clock())
        is_read = any(item.trigger == Trigger.RUN for item in items)
        course, failures = ([], []) if is_read else self._evidence(scope, items)
        values = self._settings.recall

        def compose(lessons: Sequence[Lesson]) -> tuple[str, tuple[Lesson, ...]]:
            words = inject.playbook(
                (lesson for lesson in lessons if lesson in items), budget=values.start_tokens
            )
            from hardwon.knowledge.evidence.opening import opening

            text, told = opening(
                course,
                [lesson for lesson in lessons if lesson not in items],
                budget=values.start_evidence_tokens,
                tokens=inject.tokens,
            )
            return f"{words.text}\n{text}".strip(), (*words.lessons, *told)

        block = self.delivering.open_run(scope, [*items, *failures], compose, run)
        return self.delivering.tell(run, block)

    def _evidence(self, scope: Scope, items: Sequence[Lesson]) -> tuple[list[Act], list[Lesson]]:
        """What earlier runs did to get their work done, and failures with what got past them."""
        earlier = [(run.task, run.steps) for run in self._earlier_runs(scope)]
        recent = self._store.lessons.recent(scope, status=Status.ACTIVE, limit=_FAILURES)
        own = [lesson for lesson in recent if lesson.scope == scope and lesson not in items]
        failures = sorted(
            (lesson for lesson in own if lesson.fixes),
            key=lambda lesson: (-lesson.met, -lesson.updated_at.timestamp()),
        )
        from hardwon.knowledge.evidence.course import course_of

        return course_of(earlier), failures

    def turn(self, scope: Scope, prompt: str, run: Run, imagined: str = "") -> Injection:
        """The lessons that fit the prompt; `imagined` is a hypothetical lesson to search with."""
        prompt = screen_excerpt(prompt, _TASK)
        with self.delivering.best_effort:
            run.begin(prompt)
        query = self.asked_at_turn(scope, f"{prompt}\n{imagined}".rstrip())
        query = query._replace(text=prompt)
        told = run.so_far().told
        outlook = UNKNOWN._replace(told=told)

        def is_wanted(lesson: Lesson) -> bool:  # the same task again brings what it met
            return lesson.id not in told and lesson.is_active and lesson.was_met_by(prompt)

        block = self.delivering.recall_lessons(scope, query, outlook, run, is_wanted=is_wanted)
        return self.delivering.tell(run, block)

    def action(self, scope: Scope, tool: str, args: Any, run: Run) -> Injection:
        """A denial of the call that failed here last, or that a person forbade; else nothing."""
        tool, call = clean(tool), screen_excerpt(call_keys.canonical(args), _ARGS)
        if (forbidding := self._forbidding(scope, tool, call)) is not None:
            return self.delivering.deny(scope, forbidding, call)
        past = run.so_far()
        candidates = self._find_repeat(scope, Step(tool, call), past)
        query = Query(Door.ACTION, call)
        block = self.delivering.deliver(scope, query, candidates, run, started=perf_counter_ns())
        if not (block and self._settings.hooks.stop_once):
            return self.delivering.tell(run, block, call)
        # Deny only if the run can note it: the same call must pass the second time.
        with self.delivering.best_effort:
            note_shown(run, block, call)
            return block._replace(denied=True)
        return block

    def _find_repeat(self, scope: Scope, pending: Step, past: RunSoFar) -> list[Judged]:
        """The lesson about the same call, which failed here last and has a fix; often none."""
        pending = call_keys.of_operation(pending)
        return repeat.judge_call(
            pending,
            past,
            scope,
            self._store.lessons,
            now=self._clock(),
            earlier=lambda: self._earlier_runs(scope),
        )

    def _earlier_runs(self, scope: Scope) -> Iterator[EndedRun]:
        """The latest kept runs of a project, oldest first."""
        return self._store.ended_runs.latest(Window(scope, _ALWAYS), limit=_RUNS)

    def after(self, scope: Scope, step: Step, run: Run) -> Injection:
        """Record a step; returns the lessons about its failure and a loop warning."""
        past, block, found = run.so_far(), NOTHING, FOUND_NOTHING
        step = self.prepare_step(step, past.steps)
        with self.delivering.best_effort:
            run.record(step)
        if step.failed or step.failure is not None:
            with self.delivering.if_reachable:
                block, found = self._tell_failure(scope, step, past, run)

        # With a remote database the turn hardly waits for what is learnt.
        learn = partial(self._learn, scope, step, past, block.lessons, found, run)
        counted = learn() if self._background is None else self._background.run(learn, list[str]())
        block = self.delivering.tell(run, block)
        block = self.delivering.with_loop(scope, block, [*past.turn, step])
        learnt = self.recorder.describe_learnt(scope, counted) if counted else ""
        return block._replace(failed=step.failed, learnt=learnt)

    def _learn(
        self,
        scope: Scope,
        step: Step,
        past: RunSoFar,
        shown: Sequence[Lesson],
        found: Found,
        run: Run,
    ) -> list[str]:
        """Learn from a step; what it counts is noted in its run."""
        if counted := self.recorder.learn(scope, step, past, shown, found):
            with self.delivering.best_effort:
                run.note_marks(counted)
        return counted

    def flush(self, limit: float) -> None:
        """Wait at most `limit` seconds until the background learning is done."""
        if self._background is not None:
            self._background.flush(limit)

    def _forbidding(self, scope: Scope, tool: str, call: str) -> Lesson | None:
        """The lesson with which a person has forbidden this call; None if there is none."""
        now = self._clock()
        for lesson in self._store.lessons.guards(scope):
            is_alive = lesson.expires_at is None or lesson.expires_at > now
            from hardwon.knowledge.reading import guards

            if is_alive and guards.guard_of(lesson).forbids(tool, call):
                return lesson
        return None

    def end(
        self, scope: Scope, run: Run, task: str = "", error: str = "", steps: Sequence[Step] = ()
    ) -> None:
        """End a run: note the outcome of every delivery, and archive the run.

        `task`, `error` and `steps` are what the caller only says now.
        """
        self.flush(_AT_THE_END)
        past = run.whole()
        if any(step.failure for step in past.steps):
            with self.delivering.best_effort:
                self.recorder.end(scope, past)
        if past.shown:
            from hardwon.engine.pipeline import ending

            with self.delivering.best_effort:
                ending.settle(past, run.name, scope, self._store)
        if not self._settings.runs.keep or not (past.steps or past.shown or steps):
            run.end()
            return
        has_new_facts = bool(steps or (task and not past.task))
        with self.delivering.best_effort:
            if task and not past.task:
                run.begin(screen_excerpt(task, _TASK))
            for step in steps:
                run.record(step)
        complete = run.whole() if has_new_facts else past
        name, now, outcome = run.name, self._clock(), complete.ending(error)
        with self.delivering.best_effort:
            if run.end(outcome, now.timestamp()):
                return  # a worker archives a run on disk; one in memory is archived now
            from hardwon.engine.pipeline import ending

            by = author_of(self._settings.runs)
            ended = ending.archive_run(complete, scope, name, ended=now, outcome=outcome, by=by)
            self._store.ended_runs.keep(ended)
            items, retires = playbook.items(scope, self._store.lessons, now), not self._are_read
            playbook.settle(items, complete, ended.id, store=self._store, now=now, retires=retires)

    @staticmethod
    def prepare_step(step: Step, before: Sequence[Step]) -> Step:
        """The step without secrets, with what went wrong in it."""
        return with_failure(call_keys.of_operation(screen.screen_step(step)), before)

    @cached_property
    def recorder(self) -> recording.Recording:
        """Learns from steps."""
        from hardwon.engine import recording

        return recording.Recording(self._store, self._settings, self._clock)

    def explain(self, scope: Scope, door: str, text: str, tool: str) -> list[Judged]:
        """Every candidate at a door, with its score and why it is or is not shown."""
        if door == Door.ACTION:
            call = screen_excerpt(call_keys.canonical(text), _ARGS)
            forbidden = self._forbidding(scope, tool, call)
            if forbidden is not None:
                return [Judged(Match(forbidden), 10.0, (("guard", 10.0),))]
            return self._find_repeat(scope, Step(tool, call), RunSoFar())
        if door == Door.ERROR:
            step = self.prepare_step(Step(tool, "", text, failed=True), ())
            query = self.asked_at_error(scope, step)
        elif door == Door.TURN:
            query = self.asked_at_turn(scope, text)
        else:
            raise InvalidInput(f"no such door: {door!r}; one of turn, action, error")
        return self.delivering.weigh(scope, query, UNKNOWN)

    def asked_at_turn(self, scope: Scope, prompt: str) -> Query:
        """The query of a prompt."""
        return recall.at_turn(prompt, partial(self._near, scope))

    def asked_at_error(self, scope: Scope, step: Step, task: str = "") -> Query:
        """The query of a failure; the task is added for the search by meaning."""
        return recall.at_error(step, task, partial(self._near, scope))

    def _tell_failure(
        self, scope: Scope, step: Step, past: RunSoFar, run: Run
    ) -> tuple[Injection, Found]:
        """The lessons about a failure, unless this run has met it before or it is no mistake."""
        failure = step.failure
        if failure is not None and past.has_met_exactly(failure):
            return NOTHING, FOUND_NOTHING
        from hardwon.knowledge.reading import mistakes

        is_mistake = mistakes.is_mistake(step, past.steps)
        if not (is_mistake or self.recorder.is_known(scope, step)):
            return NOTHING, FOUND_NOTHING
        is_again = failure is not None and past.has_met(failure.kind)
        query = self.asked_at_error(scope, step, past.task)
        outlook = UNKNOWN._replace(is_again=is_again, told=past.told)
        judged = self.delivering.weigh(scope, query, outlook)
        found = Found([candidate.match for candidate in judged], self._store.last_state())
        own = [_of_same_call(candidate, step) for candidate in judged]
        if self._settings.hooks.stop_once and past.warned == runs.call_name(step.args):
            for at, candidate in enumerate(own):
                if candidate.match.lesson.id in past.warnings:
                    own[at] = candidate._replace(verdict="told when this very call was denied")
        return self.delivering.deliver(scope, query, own, run, started=perf_counter_ns()), found


def _of_same_call(candidate: Judged, step: Step) -> Judged:
    """A candidate with what is known about this call; what is known of other calls is hidden."""
    lesson = candidate.match.lesson
    if candidate.verdict or not lesson.fixes or lesson.origin != MINED:
        return candidate
    from hardwon.knowledge.reading import fixes, mined_lesson

    known = fixes.fixes_of_call(lesson.fixes, step)
    if not known and candidate.match.is_same_failure:  # other calls, but the very same words
        known = tuple(map(fixes.with_failing_call, lesson.fixes))
    own = mined_lesson.with_text_of(lesson, known)
    if not own.fixes:
        return candidate._replace(verdict="known of other calls only")
    return candidate._replace(match=candidate.match._replace(lesson=own))
