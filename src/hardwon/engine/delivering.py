"""Delivering: render lessons, apply the hold-out, log the delivery, and note it in the run."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from datetime import datetime
from time import perf_counter_ns
from typing import TYPE_CHECKING, NamedTuple

from hardwon.core.errors import StorageError, Unavailable
from hardwon.core.settings import Settings
from hardwon.core.text.secrets import safe
from hardwon.core.values.delivery import NOTHING, Delivery, Door, Injection, Outcome
from hardwon.core.values.lesson import Lesson
from hardwon.core.values.run import Shown, Step
from hardwon.core.values.scope import Scope
from hardwon.engine.pipeline import inject, recall
from hardwon.knowledge.ranking.query import Match, Query
from hardwon.knowledge.ranking.scores import WEIGHTS, Judged, Outlook, is_of_other_tests
from hardwon.knowledge.reading import loops
from hardwon.storage.ports import Run, Store

if TYPE_CHECKING:
    from hardwon.engine.pipeline import hold_out


_QUERY_KEPT = 500  # characters of a query that are logged
_NAMES = 8  # exact failures that are noted for a lesson without a kind
_ONLY_HERE = "(the words stay on that machine: lessons of the repository's files are among them)"


class Found(NamedTuple):
    """The lessons that a search has found, and the state of the store then, if that is known."""

    matches: Sequence[Match] = ()
    state: object = None


FOUND_NOTHING = Found()


class BestEffort:
    """A `with` block that these errors only end: they must not cost the agent its turn."""

    def __init__(
        self, trouble: Callable[[BaseException], None], *errors: type[BaseException]
    ) -> None:
        self._trouble = trouble
        self._errors = errors

    def __enter__(self) -> None:
        """Nothing."""

    def __exit__(self, _: object, error: BaseException | None, __: object) -> bool:
        is_suppressed = isinstance(error, self._errors)
        if error is not None and is_suppressed:
            self._trouble(error)
        return is_suppressed


class Delivering:
    """Shows lessons to a run, and records that it did."""

    def __init__(
        self,
        store: Store,
        settings: Settings,
        clock: Callable[[], datetime],
        trouble: Callable[[BaseException], None],
    ) -> None:
        self._store = store
        self._settings = settings
        self._clock = clock
        self.best_effort = BestEffort(trouble, StorageError, Unavailable)
        self.if_reachable = BestEffort(trouble, Unavailable)
        self.weights = WEIGHTS  # benchmarks replace it

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

    def recall_lessons(
        self,
        scope: Scope,
        query: Query,
        outlook: Outlook,
        run: Run,
        *,
        is_wanted: Callable[[Lesson], bool] | None = None,
    ) -> Injection:
        """The lessons for a query, rendered and logged.

        What `is_wanted` names is shown even if the words of the query alone do not ask for it.
        """
        started = perf_counter_ns()
        candidates = self.weigh(scope, query, outlook)
        for at, candidate in enumerate(candidates):
            if is_wanted is not None and is_wanted(candidate.match.lesson):
                candidates[at] = candidate._replace(verdict="")
        return self.deliver(scope, query, candidates, run, started=started)

    def deliver(
        self, scope: Scope, query: Query, candidates: Sequence[Judged], run: Run, *, started: int
    ) -> Injection:
        """Render the candidates that are shown, and log the delivery."""
        fresh = recall.select_shown(candidates)
        if not fresh:
            return NOTHING
        now, block = self._clock(), self._block(query, fresh)
        if self._settings.proof.share or any(lesson.was_retired for lesson in block.lessons):
            fresh = self._withhold(query.door, fresh, block.lessons, self.coin(scope, run))
            block = self._block(query, fresh)
        if not block.lessons:
            return NOTHING
        injection = Injection(block.text, block.lessons, new_id(now), door=query.door)
        scores = {candidate.match.lesson.id: round(candidate.score, 4) for candidate in fresh}
        self._log(
            injection,
            query,
            scope,
            scores=tuple(scores[lesson.id] for lesson in block.lessons),
            tokens=block.tokens,
            began=now,
            micros=(perf_counter_ns() - started) // 1000,
        )
        return injection

    def open_run(
        self,
        scope: Scope,
        lessons: Sequence[Lesson],
        compose: Callable[[Sequence[Lesson]], tuple[str, tuple[Lesson, ...]]],
        run: Run,
    ) -> Injection:
        """What a run is told at its start: the text that `compose` makes of the lessons."""
        now, started = self._clock(), perf_counter_ns()
        if self._settings.proof.share or any(lesson.was_retired for lesson in lessons):
            candidates = [Judged(Match(lesson), 1.0) for lesson in lessons]
            kept = self._withhold(Door.START, candidates, lessons, self.coin(scope, run))
            lessons = [candidate.match.lesson for candidate in kept]
        text, told = compose(lessons)
        if not text:
            return NOTHING
        injection = Injection(text, told, new_id(now), door=Door.START)
        self._log(
            injection,
            Query(Door.START, ""),
            scope,
            scores=tuple(1.0 for _ in told),
            tokens=inject.tokens(text),
            began=now,
            micros=(perf_counter_ns() - started) // 1000,
        )
        return injection

    def deny(self, scope: Scope, lesson: Lesson, call: str) -> Injection:
        """The denial of a call that a person has forbidden with this lesson; it is logged."""
        now, text = self._clock(), inject.guarding(lesson)
        denial = Injection(text, (lesson,), new_id(now), denied=True, door=Door.ACTION)
        query, tokens = Query(Door.ACTION, call), inject.tokens(text)
        self._log(denial, query, scope, scores=(1.0,), tokens=tokens, began=now)
        return denial

    def with_loop(self, scope: Scope, block: Injection, steps: Sequence[Step]) -> Injection:
        """The block, with a warning in front if the run is in a loop."""
        values = self._settings.recall
        exempt = frozenset(values.loop_exempt.lower().replace(",", " ").split())
        loop = loops.find(steps, exempt=exempt) if values.loops else None
        if loop is None:
            return block
        now, text = self._clock(), loops.render(loop)
        warning = block._replace(text=f"{text}\n{block.text}".rstrip(), id=block.id or new_id(now))
        if not block:
            query = Query(Door.LOOP, f"{loop.step.tool} {loop.step.args}")
            self._log(warning, query, scope, scores=(), tokens=inject.tokens(text), began=now)
        return warning._replace(stop=loop.should_stop)

    def tell(self, run: Run, block: Injection, call: str = "") -> Injection:
        """The block, after noting in the run that it was shown."""
        if block:
            with self.best_effort:
                note_shown(run, block, call)
        return block

    def coin(self, scope: Scope, run: Run) -> hold_out.Coin:
        """How lessons are withheld from a run."""
        share = self._settings.proof.share
        from hardwon.engine.pipeline import hold_out

        return hold_out.Coin(self._store.units, share, scope, run, self._clock())

    def _block(self, query: Query, fresh: Sequence[Judged]) -> inject.Block:
        frame = _frame(query, fresh[0].match) if fresh else query.door
        budget = getattr(self._settings.recall, f"{query.door}_tokens")
        lessons = (candidate.match.lesson for candidate in fresh)
        return inject.render(lessons, door=frame, budget=budget)

    def _withhold(
        self, door: str, fresh: list[Judged], lessons: Sequence[Lesson], coin: hold_out.Coin
    ) -> list[Judged]:
        """The rendered candidates that the hold-out lets this run see."""
        rendered = [candidate for candidate in fresh if candidate.match.lesson in lessons]
        with self.best_effort:
            from hardwon.engine.pipeline import hold_out

            return hold_out.choose_shown(rendered, door, coin)
        return rendered

    def _log(
        self,
        injection: Injection,
        query: Query,
        scope: Scope,
        *,
        scores: tuple[float, ...],
        tokens: int,
        began: datetime,
        micros: int = 0,
    ) -> None:
        with self.best_effort:
            delivery = Delivery(
                id=injection.id,
                scope=scope,
                door=query.door,
                query=safe(query.text, _QUERY_KEPT),
                lessons=tuple(lesson.id for lesson in injection.lessons),
                scores=scores,
                tokens=tokens,
                micros=micros,
                at=began,
                outcome=Outcome.DENIED if injection.denied else "",
            )
            self._store.deliveries.log(delivery)


def new_id(now: datetime) -> str:
    """A new delivery id: unique, and sorted by time."""
    return f"{int(now.timestamp() * 1000):011x}{os.urandom(5).hex()}"


def note_shown(run: Run, block: Injection, call: str) -> None:
    """Note in the run what it was shown, and about which failures."""
    names = [
        name for lesson in block.lessons for name in lesson.kinds or lesson.signatures[-_NAMES:]
    ]
    is_private = any(lesson.stays_here for lesson in block.lessons)
    text = _ONLY_HERE if is_private else block.text
    delivery = Shown(block.id, block.door, tuple(dict.fromkeys(names)), text=text)
    run.note_shown([lesson.id for lesson in block.lessons], call, delivery)


def _frame(query: Query, best: Match) -> str:
    """The frame of a block; at an error it says how close the best match is."""
    if query.door != Door.ERROR:
        return query.door
    if is_of_other_tests(query, best):
        return "elsewhere"
    return "same" if best.is_same_failure else "kind" if best.is_same_kind else Door.TURN
