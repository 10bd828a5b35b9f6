"""The doors: where lessons are delivered, and where steps are recorded on the way."""

from __future__ import annotations

from time import perf_counter_ns

from hardwon._cold import re
from hardwon._cold.lazy import lazy
from hardwon.errors import InvalidInput, StorageError
from hardwon.pipeline import edge, inject, measure, recall
from hardwon.ranking.odds import RUN
from hardwon.ranking.query import Match, Query, query, terms
from hardwon.ranking.scores import UNKNOWN, WEIGHTS, Judged, Outlook
from hardwon.text.secrets import screened
from hardwon.values.delivery import NOTHING, Door, Injection
from hardwon.values.run import RunSoFar, Shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime
    from typing import Any

    from hardwon.failures import call_keys, clues, guards, loops, mistakes, reading
    from hardwon.pipeline import foretell, hush, mine, screen, settle, withhold
    from hardwon.ports import Run, Store
    from hardwon.ranking.query import Near
    from hardwon.settings import Settings
    from hardwon.stores import runs
    from hardwon.values import step as steps
    from hardwon.values.failure import Failure
    from hardwon.values.lesson import Lesson
    from hardwon.values.scope import Scope
    from hardwon.values.step import Step
else:
    runs = lazy("hardwon.stores.runs")
    call_keys = lazy("hardwon.failures.call_keys")
    clues, guards = lazy("hardwon.failures.clues"), lazy("hardwon.failures.guards")
    loops = lazy("hardwon.failures.loops")
    mistakes, reading = lazy("hardwon.failures.mistakes"), lazy("hardwon.failures.reading")
    steps = lazy("hardwon.values.step")
    foretell, mine = lazy("hardwon.pipeline.foretell"), lazy("hardwon.pipeline.mine")
    screen, settle = lazy("hardwon.pipeline.screen"), lazy("hardwon.pipeline.settle")
    hush, withhold = lazy("hardwon.pipeline.hush"), lazy("hardwon.pipeline.withhold")

_TASK = 4000  # characters of a prompt that are kept as the task of a run
_STARTED = "start"
_ABOUT = 300  # characters of the task that say what an error was met at
_ARGS = 8 * 1024  # characters of a call, as they are recorded
_PROMPT = 1500  # characters of a prompt that are looked up, from its beginning and its end
_CALL = 200  # characters of a command that say what an error was met at
_NAMES = 8  # failures by which a lesson without a kind is known when it comes back
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
        counts = self._store.calls.counts(scope, (RUN,))
        runs = counts[RUN].made if RUN in counts else 0
        asked = Query(Door.START, "", usual=self._settings.recall.usual)
        outlook = Outlook(past.told, runs)
        return self._tell(run, self._recalled(scope, asked, outlook, run))

    def turn(self, scope: Scope, prompt: str, run: Run, imagined: str = "") -> Injection:
        """What the prompt asks for; `imagined`: a lesson that might exist."""
        prompt = screened(prompt, _TASK)
        self._noted(lambda: run.begin(prompt))
        asked = self.asked_at_turn(scope, f"{prompt}\n{imagined}".rstrip())
        asked = asked._replace(text=prompt)
        outlook = UNKNOWN._replace(told=run.so_far().told)
        return self._tell(run, self._recalled(scope, asked, outlook, run))

    def action(self, scope: Scope, tool: str, args: Any, run: Run) -> Injection:
        """The proven fix of a failure that the call will probably end in; else nothing."""
        call = screened(call_keys.canonical(args), _ARGS)
        if denial := self._denial(scope, tool, call):
            return denial
        started, past = perf_counter_ns(), run.so_far()
        found = self._foretold(scope, steps.Step(tool, call), past, least=self.weights.likely)
        block = self._deliver(scope, Query(Door.ACTION, call), found, run, started=started)
        is_sure = bool(block) and found[0].score >= self.weights.sure
        if not (is_sure and self._settings.hooks.stop_once):
            return self._tell(run, block, call)
        # Only where the run can note that it was told: the same call again has to pass.
        return block._replace(denied=self._noted(lambda: _told(run, block, call)))

    def _foretold(
        self, scope: Scope, pending: Step, past: RunSoFar, *, least: float
    ) -> list[Judged]:
        """The lessons about what a pending call may end in, likeliest first."""
        known = foretell.Known(scope, self._store.calls, self._store.lessons, self._clock())
        found = foretell.foretold(pending, past, known, least=least)
        return foretell.judged(found, likely=self.weights.likely)

    def after(self, scope: Scope, step: Step, run: Run) -> Injection:
        """Record a step; what is known about its failure, and whether the run goes in circles."""
        past = run.so_far()
        step = self.screened(step, past.steps)
        self._noted(lambda: run.record(step))
        told = self._failed(scope, step, past, run) if step.failed else NOTHING
        counted = self._learnt(scope, step, past, told.lessons)
        self._noted(lambda: run.counted(counted) if counted else None)
        block = self._with_loop(scope, self._tell(run, told), [*past.turn, step])
        learnt = mine.learnt(counted, self._memory(scope)) if counted else ""
        return block._replace(failed=step.failed, learnt=learnt)

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
        denial = Injection(text, (found,), measure.new_id(now), denied=True, door=Door.ACTION)
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
            self._noted(lambda: _told(run, block, call))
        return block

    def end(self, scope: Scope, run: Run) -> None:
        """Note what came of every delivery of the run, and forget the run."""
        past = run.so_far()
        if past.shown:
            self._noted(lambda: settle.settle(past, run.name, scope, self._store))
            self._noted(lambda: hush.note(past, scope, self._store))
        run.end()

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
        is_mistake = step.failed and mistakes.is_mistake(step, past.steps)
        self._store.calls.made(scope, foretell.made(step, past.steps, is_mistake=is_mistake))
        memory = self._memory(scope)
        if not step.failed:
            return mine.worked(step, past, memory) if _may_show(past) else []
        if step.failure is None:
            return []
        self._store.failures.met(scope, step.failure.kind, step.failure.text, memory.now)
        counted = self._counted(scope, step, past, memory) if is_mistake else []
        return counted + mine.shown(step, past, memory)

    def _counted(self, scope: Scope, step: Step, past: RunSoFar, memory: mine.Memory) -> list[str]:
        """Count a mistake, and the order of calls that would have spared it."""
        known = foretell.Known(scope, self._store.calls, self._store.lessons, memory.now)
        return mine.failed(step, past, memory, counted=foretell.order(step, past.steps, known))

    def explain(self, scope: Scope, door: str, text: str, tool: str) -> list[Judged]:
        """Every candidate at a door, with its score and why it is or is not shown."""
        if door == Door.ACTION:
            call = screened(call_keys.canonical(text), _ARGS)
            return self._explained(scope, steps.Step(tool, call))
        return self._weighed(scope, self._asked(scope, door, text, tool), UNKNOWN)

    def _explained(self, scope: Scope, pending: Step) -> list[Judged]:
        forbidden = self._forbidding(scope, pending.tool, pending.args)
        if forbidden is not None:
            return [Judged(Match(forbidden), 10.0, (("guard", 10.0),))]
        return self._foretold(scope, pending, RunSoFar(), least=0.0)

    def _asked(self, scope: Scope, door: str, text: str, tool: str) -> Query:
        if door == Door.ERROR:
            step = steps.Step(tool, "", text, failed=True)
            return self.asked_at_error(scope, self.screened(step, ()))
        if door != Door.TURN:
            raise InvalidInput(f"no such door: {door!r}")
        return self.asked_at_turn(scope, text)

    def asked_at_turn(self, scope: Scope, prompt: str) -> Query:
        """The query of a prompt."""
        prompt = screened(prompt, 2 * _PROMPT)
        return query(Door.TURN, prompt, near=self._near(scope, prompt))

    def asked_at_error(self, scope: Scope, step: Step, task: str = "") -> Query:
        """The query of a failure; what the agent was about adds to the meaning of it."""
        failure = step.failure
        if failure is None or not failure.is_telling:
            return Query(Door.ERROR, step.output[-_ASKED:])
        near = self._near(scope, f"{failure.line}\n{task[:_ABOUT]}")
        words = f"{_named(step)}\n{failure.line}"
        asked = query(Door.ERROR, words, signature=failure.exact, kind=failure.kind, near=near)
        return asked._replace(
            text=step.output[-_ASKED:],
            about=tuple(dict.fromkeys(terms(clues.telling(failure.text)))),
            clues=clues.asked(step, failure.line),
        )

    def _failed(self, scope: Scope, step: Step, past: RunSoFar, run: Run) -> Injection:
        """What is known about a failure, when it is one that this run has not met yet."""
        is_known = step.failure is not None and mine.has_met(past, step.failure.kind)
        is_asked = mistakes.is_mistake(step, past.steps) or self._is_old_red(scope, step.failure)
        if is_known or not is_asked:
            return NOTHING
        return self._recalled(scope, self.asked_at_error(scope, step, past.task), UNKNOWN, run)

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
            text=f"{text}\n{known.text}".rstrip(), id=known.id or measure.new_id(now)
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

    def _recalled(self, scope: Scope, asked: Query, outlook: Outlook, run: Run) -> Injection:
        """What is found for a query, rendered and remembered."""
        started = perf_counter_ns()
        found = self._weighed(scope, asked, outlook)
        if asked.door != Door.ERROR and recall.shown(found):
            found = hush.hushed(found, scope, self._store.calls)
        return self._deliver(scope, asked, found, run, started=started)

    def _deliver(
        self, scope: Scope, asked: Query, found: Sequence[Judged], run: Run, *, started: int
    ) -> Injection:
        """Open a door: render what is to be shown, and remember it."""
        now, fresh = self._clock(), recall.shown(found)
        block = self._block(asked.door, fresh)
        if self._settings.proof.share or any(one.was_retired for one in block.lessons):
            fresh = self._kept(asked.door, fresh, block.lessons, self.coin(scope, run))
            block = self._block(asked.door, fresh)
        if not block.lessons:
            return NOTHING
        injection = Injection(block.text, block.lessons, measure.new_id(now), door=asked.door)
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

    def _block(self, door: str, fresh: Sequence[Judged]) -> inject.Block:
        frame = _frame(door, fresh[0]) if fresh else door
        budget = getattr(self._settings.recall, f"{door}_tokens")
        return inject.render((one.match.lesson for one in fresh), door=frame, budget=budget)

    def _kept(
        self, door: str, fresh: list[Judged], lessons: Sequence[Lesson], coin: withhold.Coin
    ) -> list[Judged]:
        """Those of the rendered lessons that the hold-out lets this run see."""
        found = [one for one in fresh if one.match.lesson in lessons]
        try:
            return withhold.shown(found, door, coin)
        except StorageError as error:
            self._trouble(error)
            return found

    def coin(self, scope: Scope, run: Run) -> withhold.Coin:
        """How lessons are withheld from a run."""
        share = self._settings.proof.share
        return withhold.Coin(self._store.units, share, scope, run, self._clock())

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

    def _noted(self, note: Callable[[], object]) -> bool:
        """Note what is told; a disk that takes no note must not cost the agent its lesson."""
        try:
            note()
        except StorageError as error:
            self._trouble(error)
            return False
        return True


def _named(step: Step) -> str:
    """What a call names: the command, or the tool and its arguments without their values."""
    if not step.args.startswith("{"):
        return step.args[:_CALL]
    return " ".join((step.tool, *re.findall(r'"(\w{1,40})":', step.args[:_ASKED])))


def _told(run: Run, block: Injection, call: str) -> None:
    """Let the run note what it is told, and about which failures that is."""
    names = [name for one in block.lessons for name in one.kinds or one.signatures[-_NAMES:]]
    shown = Shown(block.id, block.door, tuple(dict.fromkeys(names)))
    run.told([lesson.id for lesson in block.lessons], call, shown)


def _frame(door: str, best: Judged) -> str:
    """The frame of a block: an error says whether it is the same failure or the same kind."""
    if door != Door.ERROR:
        return door
    match = best.match
    return "same" if match.is_same_failure else "kind" if match.is_same_kind else Door.TURN


def _may_show(past: RunSoFar) -> bool:
    """Whether a working step can teach anything: something failed before, or was told."""
    return bool(past.told) or any(step.failed for step in past.steps)
