"""The doors: tell lessons at the start, turn, action and error of a run, and record its steps.

What is told is rendered, perhaps withheld by the hold-out, logged, and noted in the run.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any, NamedTuple

from hardwon.core import time_limits as background
from hardwon.core._fork import cached_property
from hardwon.core.errors import InvalidInput, StorageError, Unavailable
from hardwon.core.text.clean import clean
from hardwon.core.text.secrets import safe, screen_excerpt
from hardwon.core.values.delivery import NOTHING, Delivery, Door, Injection, Outcome
from hardwon.core.values.lesson import MINED, Lesson, Status
from hardwon.core.values.run import Author, RunSoFar, Shown, Step, Trigger
from hardwon.core.values.scope import Scope
from hardwon.engine.pipeline import inject, playbook, recall, screen
from hardwon.knowledge.evidence.inner import with_failure
from hardwon.knowledge.ranking.query import Match, Query
from hardwon.knowledge.ranking.scores import UNKNOWN, WEIGHTS, Judged, Outlook, is_of_other_tests
from hardwon.knowledge.reading import call_keys, loops
from hardwon.storage.ports import Run
from hardwon.storage.stores import runs

if TYPE_CHECKING:
    from hardwon.engine import recording
    from hardwon.engine.pipeline import hold_out
    from hardwon.engine.runtime import Runtime
    from hardwon.knowledge.evidence.course import Act

_TASK = 4000  # characters of a prompt that are kept as the task of a run
_STARTED = "start"
_AT_THE_END = 2.0  # seconds that the end of a run waits for background learning
_ARGS = 8 * 1024  # characters of a call that are recorded
_FAILURES = 60  # lessons that are looked at when a run begins
_QUERY_KEPT = 500  # characters of a query that are logged
_NAMES = 8  # exact failures that are noted for a lesson without a kind
_ONLY_HERE = "(the words stay on that machine: lessons of the repository's files are among them)"


class Found(NamedTuple):
    """The lessons that a search has found, and the state of the store then, if that is known."""

    matches: Sequence[Match] = ()
    state: object = None


class BestEffort:
    """A `with` block that errors of storage only end: they must not cost the agent its turn."""

    def __init__(self, engine: Runtime) -> None:
        self._engine = engine

    def __enter__(self) -> None:
        """Nothing."""

    def __exit__(self, _: object, error: BaseException | None, __: object) -> bool:
        if not isinstance(error, StorageError | Unavailable):
            return False
        self._engine.trouble(error)
        return True


class Doors:
    """Tells lessons and records steps. One for each opened store."""

    def __init__(self, engine: Runtime) -> None:
        self._engine = engine
        self._store, self._settings, self._clock = engine.store, engine.settings, engine.clock
        self.best_effort = BestEffort(engine)
        self.weights = WEIGHTS  # benchmarks replace it
        self._background: background.BackgroundCalls | None = None
        if engine.settings.postgres.url:
            self._background = background.BackgroundCalls(lambda error: engine.trouble(error))

    def run(
        self, scope: Scope, name: str | None, by: Author | None = None, program: str = ""
    ) -> Run:
        """A run: on disk if it has a name, else in memory; `by`, `program`: see `RunSoFar`."""
        if name is None or not self._engine.on_disk:
            return screen.screened_run(runs.MemoryRun(by=by))
        run = runs.FileRun(self._settings.home, scope, name, by=by, program=program)
        return screen.screened_run(run)

    def start(self, scope: Scope, run: Run, *, again: bool = False) -> Injection:
        """The playbook of the project, once per run; `again` after its context was lost.

        Where no model has read a run, also what earlier runs show.
        """
        if _STARTED in run.so_far().counted and not again:
            return NOTHING
        with self.best_effort:
            run.note_marks([_STARTED])
        items = playbook.items(scope, self._store.lessons, self._clock())
        is_read = any(item.trigger == Trigger.RUN for item in items)
        course, failures = ([], []) if is_read else self._evidence(scope, items)
        now, started, values = self._clock(), perf_counter_ns(), self._settings.recall
        candidates = [Judged(Match(lesson), 1.0) for lesson in (*items, *failures)]
        visible = self._withhold(Door.START, candidates, [*items, *failures], scope, run)
        lessons = [candidate.match.lesson for candidate in visible]
        from hardwon.knowledge.evidence.opening import opening

        worded = [lesson for lesson in lessons if lesson in items]
        words = inject.playbook(worded, budget=values.start_tokens)
        evidence, told = opening(
            course,
            [lesson for lesson in lessons if lesson not in items],
            budget=values.start_evidence_tokens,
            tokens=inject.tokens,
        )
        text, shown = f"{words.text}\n{evidence}".strip(), (*words.lessons, *told)
        if not text:
            return NOTHING
        query, scores = Query(Door.START, ""), tuple(1.0 for _ in shown)
        block = self._log(scope, query, text, shown, scores, began=now, started=started)
        self.note_shown(run, block)
        return block

    def _evidence(self, scope: Scope, items: Sequence[Lesson]) -> tuple[list[Act], list[Lesson]]:
        """What earlier runs did to get their work done, and failures with what got past them."""
        earlier = [(run.task, run.steps) for run in recall.earlier_runs(scope, self._store)]
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
        with self.best_effort:
            run.begin(prompt)
        asked = f"{prompt}\n{imagined}".rstrip()

        def is_wanted(lesson: Lesson) -> bool:  # the same task again brings what it met
            return lesson.is_active and lesson.was_met_by(prompt)

        return self.tell_at_turn(scope, asked, prompt, run, is_wanted)

    def tell_at_turn(
        self, scope: Scope, asked: str, prompt: str, run: Run, is_wanted: Callable[[Lesson], bool]
    ) -> Injection:
        """The lessons for a prompt, found with the text `asked`.

        What `is_wanted` names is shown once even if the words alone do not ask for it.
        """
        query = recall.at_turn(asked, self.near_to(scope))._replace(text=prompt)
        told, started = run.so_far().told, perf_counter_ns()
        candidates = self.weigh(scope, query, UNKNOWN._replace(told=told))
        known = self._store.lessons.get_all(scope, sorted(told)) if told else []
        covered = {kind for one in known if playbook.is_item(one) for kind in one.kinds}
        for at, candidate in enumerate(candidates):
            lesson = candidate.match.lesson
            is_covered = lesson.kinds and covered.issuperset(lesson.kinds)
            if is_covered and not playbook.is_item(lesson):
                candidates[at] = candidate._replace(verdict="an item of the playbook told it")
            elif lesson.id not in told and is_wanted(lesson):
                candidates[at] = candidate._replace(verdict="")
        block = self.deliver(scope, query, candidates, run, started=started)
        self.note_shown(run, block)
        return block

    def action(self, scope: Scope, tool: str, args: Any, run: Run) -> Injection:
        """A denial of the call that failed here last, or that a person forbade; else nothing."""
        tool, call = clean(tool), screen_excerpt(call_keys.canonical(args), _ARGS)
        query = Query(Door.ACTION, call)
        if (forbidding := self._forbidding(scope, tool, call)) is not None:
            text, began = inject.guarding(forbidding), self._clock()
            return self._log(scope, query, text, (forbidding,), (1.0,), began=began, denied=True)
        pending, now = call_keys.of_operation(Step(tool, call)), self._clock()
        candidates = recall.judge_call(scope, pending, run.so_far(), self._store, now)
        block = self.deliver(scope, query, candidates, run, started=perf_counter_ns())
        # Deny only if the run can note it: the same call must pass the second time.
        is_noted = self.note_shown(run, block, call)
        return block._replace(denied=True) if is_noted and self._settings.hooks.stop_once else block

    def _forbidding(self, scope: Scope, tool: str, call: str) -> Lesson | None:
        """The lesson with which a person has forbidden this call; None if there is none."""
        now = self._clock()
        for lesson in self._store.lessons.guards(scope):
            is_alive = lesson.expires_at is None or lesson.expires_at > now
            from hardwon.knowledge.reading import guards

            if is_alive and guards.guard_of(lesson).forbids(tool, call):
                return lesson
        return None

    def after(self, scope: Scope, step: Step, run: Run) -> Injection:
        """Record a step; returns the lessons about its failure and a loop warning."""
        past, block, found = run.so_far(), NOTHING, Found()
        step = self.prepare_step(step, past.steps)
        with self.best_effort:
            run.record(step)
        if step.failed or step.failure is not None:
            try:
                block, found = self._at_error(scope, step, past, run)
            except Unavailable as error:
                self._engine.trouble(error)

        # With a remote database the turn hardly waits for what is learnt.
        learn = partial(self._learn, scope, step, past, block.lessons, found, run)
        counted = learn() if self._background is None else self._background.run(learn, list[str]())
        self.note_shown(run, block)
        block = self.with_loop(scope, block, [*past.turn, step])
        learnt = self.recorder.describe_learnt(scope, counted) if counted else ""
        return block._replace(failed=step.failed, learnt=learnt)

    @staticmethod
    def prepare_step(step: Step, before: Sequence[Step]) -> Step:
        """The step without secrets, with what went wrong in it."""
        return with_failure(call_keys.of_operation(screen.screen_step(step)), before)

    def _at_error(
        self, scope: Scope, step: Step, past: RunSoFar, run: Run
    ) -> tuple[Injection, Found]:
        """The lessons about a failure, unless this run has met it before or it is no mistake."""
        failure = step.failure
        if failure is not None and past.has_met_exactly(failure):
            return NOTHING, Found()
        from hardwon.knowledge.reading import mistakes

        if not (mistakes.is_mistake(step, past.steps) or self.recorder.is_known(scope, step)):
            return NOTHING, Found()
        is_again = failure is not None and past.last_failing(failure.kind) is not None
        query = recall.at_error(step, past.task, self.near_to(scope))
        judged = self.weigh(scope, query, UNKNOWN._replace(is_again=is_again, told=past.told))
        found = Found([candidate.match for candidate in judged], self._store.last_state(scope))
        own = [_of_same_call(candidate, step) for candidate in judged]
        if self._settings.hooks.stop_once and past.warned == runs.call_name(step.args):
            for at, candidate in enumerate(own):
                if candidate.match.lesson.id in past.warnings:
                    own[at] = candidate._replace(verdict="told when this very call was denied")
        return self.deliver(scope, query, own, run, started=perf_counter_ns()), found

    def near_to(self, scope: Scope) -> recall.Nearest | None:
        """Finds the lessons of a scope near in meaning to a text; None if that is off."""
        engine = self._engine
        return partial(engine.semantic_search.near, scope) if engine.embeds else None

    def weigh(self, scope: Scope, query: Query, outlook: Outlook) -> list[Judged]:
        """Every candidate for a query, with its score and why it is or is not shown."""
        return recall.weigh(
            query,
            scope=scope,
            lessons=self._store.lessons,
            now=self._clock(),
            limit=getattr(self._settings.recall, f"{query.door}_lessons"),
            outlook=outlook,
            weights=self.weights,
        )

    def deliver(
        self, scope: Scope, query: Query, candidates: Sequence[Judged], run: Run, *, started: int
    ) -> Injection:
        """Render the candidates that are shown, and log the delivery."""
        shown = [candidate for candidate in candidates if not candidate.verdict]
        if not shown:
            return NOTHING
        now, block = self._clock(), self._render(query, shown)
        visible = self._withhold(query.door, shown, block.lessons, scope, run)
        if visible is not shown:
            block = self._render(query, visible)
        if not block.lessons:
            return NOTHING
        scores = {candidate.match.lesson.id: round(candidate.score, 4) for candidate in visible}
        return self._log(
            scope,
            query,
            block.text,
            block.lessons,
            tuple(scores[lesson.id] for lesson in block.lessons),
            tokens=block.tokens,
            began=now,
            started=started,
        )

    def _render(self, query: Query, shown: Sequence[Judged]) -> inject.Block:
        """The block of these lessons; at an error its frame says how close the best match is."""
        frame = query.door
        if frame == Door.ERROR and shown:
            best = shown[0].match
            frame = "same" if best.is_same_failure else "kind" if best.is_same_kind else Door.TURN
            frame = "elsewhere" if is_of_other_tests(query, best) else frame
        budget = getattr(self._settings.recall, f"{query.door}_tokens")
        lessons = (candidate.match.lesson for candidate in shown)
        return inject.render(lessons, door=frame, budget=budget)

    def _withhold(
        self,
        door: str,
        candidates: list[Judged],
        rendered: Sequence[Lesson],
        scope: Scope,
        run: Run,
    ) -> list[Judged]:
        """The rendered candidates that this run may see; the very same list without a hold-out."""
        if not (self._settings.proof.share or any(lesson.was_retired for lesson in rendered)):
            return candidates
        shown = [candidate for candidate in candidates if candidate.match.lesson in rendered]
        with self.best_effort:
            from hardwon.engine.pipeline import hold_out

            return hold_out.choose_shown(shown, door, self.coin(scope, run))
        return shown

    def coin(self, scope: Scope, run: Run) -> hold_out.Coin:
        """How lessons are withheld from a run."""
        share = self._settings.proof.share
        from hardwon.engine.pipeline import hold_out

        return hold_out.Coin(self._store.units, share, scope, run, self._clock())

    def _log(
        self,
        scope: Scope,
        query: Query,
        text: str,
        lessons: Sequence[Lesson] = (),
        scores: tuple[float, ...] = (),
        *,
        began: datetime,
        started: int = 0,
        tokens: int = 0,
        denied: bool = False,
    ) -> Injection:
        """The injection of this text; its delivery is logged."""
        block = Injection(text, tuple(lessons), new_id(began), denied=denied, door=query.door)
        with self.best_effort:
            delivery = Delivery(
                id=block.id,
                scope=scope,
                door=query.door,
                query=safe(query.text, _QUERY_KEPT),
                lessons=tuple(lesson.id for lesson in lessons),
                scores=scores,
                tokens=tokens or inject.tokens(text),
                micros=(perf_counter_ns() - started) // 1000 if started else 0,
                at=began,
                outcome=Outcome.DENIED if denied else "",
            )
            self._store.deliveries.log(delivery)
        return block

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
            with self.best_effort:
                run.note_marks(counted)
        return counted

    @cached_property
    def recorder(self) -> recording.Recording:
        """Learns from steps."""
        from hardwon.engine import recording

        return recording.Recording(self._store, self._settings, self._clock)

    def note_shown(self, run: Run, block: Injection, call: str = "") -> bool:
        """Note in the run what it was shown, and about which failures; whether it was noted."""
        if not block:
            return False
        names = [
            name for lesson in block.lessons for name in lesson.kinds or lesson.signatures[-_NAMES:]
        ]
        is_private = any(lesson.stays_here for lesson in block.lessons)
        text = _ONLY_HERE if is_private else block.text
        delivery = Shown(block.id, block.door, tuple(dict.fromkeys(names)), text=text)
        with self.best_effort:
            run.note_shown([lesson.id for lesson in block.lessons], call, delivery)
            return True
        return False

    def with_loop(self, scope: Scope, block: Injection, steps: Sequence[Step]) -> Injection:
        """The block, with a warning in front if the run is in a loop."""
        values = self._settings.recall
        exempt = frozenset(values.loop_exempt.lower().replace(",", " ").split())
        loop = loops.find(steps, exempt=exempt) if values.loops else None
        if loop is None:
            return block
        warning = loops.render(loop)
        if block:
            return block._replace(text=f"{warning}\n{block.text}", stop=loop.should_stop)
        query = Query(Door.LOOP, f"{loop.step.tool} {loop.step.args}")
        told = self._log(scope, query, warning, began=self._clock())
        return told._replace(door="", stop=loop.should_stop)

    def end(
        self, scope: Scope, run: Run, task: str = "", error: str = "", steps: Sequence[Step] = ()
    ) -> None:
        """End a run: note the outcome of every delivery, and archive the run.

        `task`, `error` and `steps` are what the caller only says now.
        """
        self.flush(_AT_THE_END)
        past = run.whole()
        if any(step.failure for step in past.steps):
            with self.best_effort:
                self.recorder.end(scope, past)
        from hardwon.engine.pipeline import ending

        if past.shown:
            with self.best_effort:
                ending.settle(past, run.name, scope, self._store)
        if not self._settings.runs.keep or not (past.steps or past.shown or steps):
            run.end()
            return
        has_new_facts = bool(steps or (task and not past.task))
        with self.best_effort:
            if task and not past.task:
                run.begin(screen_excerpt(task, _TASK))
            for step in steps:
                run.record(step)
        complete = run.whole() if has_new_facts else past
        name, now, outcome = run.name, self._clock(), complete.ending(error)
        with self.best_effort:
            if run.end(outcome, now.timestamp()):
                return  # a worker archives a run on disk; one in memory is archived now
            from hardwon.engine import upkeep

            upkeep.keep_run(self._engine, complete, scope, name, ended=now, outcome=outcome)

    def flush(self, limit: float) -> None:
        """Wait at most `limit` seconds until the background learning is done."""
        if self._background is not None:
            self._background.flush(limit)

    def explain(self, scope: Scope, door: str, text: str, tool: str) -> list[Judged]:
        """Every candidate at a door, with its score and why it is or is not shown."""
        if door == Door.ACTION:
            call = screen_excerpt(call_keys.canonical(text), _ARGS)
            forbidden = self._forbidding(scope, tool, call)
            if forbidden is not None:
                return [Judged(Match(forbidden), 10.0, (("guard", 10.0),))]
            pending = call_keys.of_operation(Step(tool, call))
            return recall.judge_call(scope, pending, RunSoFar(), self._store, self._clock())
        if door == Door.ERROR:
            step = self.prepare_step(Step(tool, "", text, failed=True), ())
            query = recall.at_error(step, "", self.near_to(scope))
        elif door == Door.TURN:
            query = recall.at_turn(text, self.near_to(scope))
        else:
            raise InvalidInput(f"no such door: {door!r}; one of turn, action, error")
        return self.weigh(scope, query, UNKNOWN)


def new_id(now: datetime) -> str:
    """A new delivery id: unique, and sorted by time."""
    return f"{int(now.timestamp() * 1000):011x}{os.urandom(5).hex()}"


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
