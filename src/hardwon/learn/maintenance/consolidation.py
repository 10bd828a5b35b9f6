"""One night: look at every lesson, decide what to change, change it, and leave a report."""

from __future__ import annotations

import logging
import time
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from hardwon.errors import HardwonError, Unavailable
from hardwon.learn.maintenance import apply, patterns
from hardwon.learn.maintenance.lock import lease
from hardwon.learn.maintenance.report import report
from hardwon.learn.maintenance.reword import is_waiting, reworded
from hardwon.ranking.duplicates import compare, sketch
from hardwon.values.dream import CONSOLIDATING, DISPUTED, Dream, DreamState, Edit
from hardwon.values.lesson import Status

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from hardwon.ports import ReflectionStore
    from hardwon.ranking.duplicates import Conflict, Sketch
    from hardwon.runtime import Runtime
    from hardwon.values.lesson import Lesson
    from hardwon.values.reflection import Reflection
    from hardwon.values.scope import Scope

log = logging.getLogger("hardwon")
_CHUNK = 500  # lessons in one transaction: other writers get their turn in between
_MERGED = 500  # lessons merged into one; what is left of a larger crowd, the next dream merges
_RUNS = 5000  # looked at, of all projects together
_BREATH = 500  # lessons between two looks at the clock


class Woken(Exception):
    """The dream ends here; what it has done stays, and can be undone."""


class Night:
    """What a dream has found so far."""

    def __init__(
        self,
        engine: Runtime,
        scope: Scope,
        *,
        stop: Callable[[], bool],
        dry_run: bool = False,
        tell: Callable[[int, int], None] = lambda done, of: None,
    ) -> None:
        self.engine = engine
        self.dry_run = dry_run
        self.asked = scope  # where it was asked for
        self.scope = scope.everywhere()
        self.now = engine.clock()
        self.lessons = 0
        self.projects: set[str] = set()
        self.sketches: list[Sketch] = []
        self.unworded: list[tuple[Scope, int]] = []
        self.edits: list[Edit] = []
        self.conflicts: list[Conflict] = []
        self.past = patterns.Memories()
        self.patterns: list[patterns.ErrorPattern] = []
        self.reflection = ""
        self.improvements: tuple[str, ...] = ()
        self.troubles: list[str] = []
        self._stop = stop
        self.tell = tell
        self._end = time.monotonic() + engine.settings.dream.budget.total_seconds()

    def seen(self) -> str:
        """What was looked at, in words."""
        goals = len({(goal.scope, goal.subject) for goal in self.past.goals})
        return f"{self.lessons} lessons, {goals} goals, {len(self.past.runs)} runs"

    def breathe(self) -> None:
        """Raise Woken when it is time to stop."""
        if self._stop() or time.monotonic() > self._end:
            raise Woken

    def breathing(self, items: Iterable[Any]) -> Iterator[Any]:
        """The items, with a look at the clock now and then."""
        for number, item in enumerate(items):
            if number % _BREATH == 0:
                self.breathe()
            yield item


def dream(
    engine: Runtime,
    scope: Scope,
    *,
    dry_run: bool = False,
    stop: Callable[[], bool] = lambda: False,
    tell: Callable[[int, int], None] = lambda done, of: None,
) -> Dream:
    """Put the lessons of an agent in order; the row and report of the night.

    With `dry_run` nothing is changed or stored, and the report tells what would be.
    """
    night = Night(engine, scope, stop=stop, dry_run=dry_run, tell=tell)
    row = Dream(str(uuid4()), night.scope, night.now)
    if dry_run:
        return _dreamt(night, row)
    with lease(engine, row) or nullcontext():
        engine.store.dreams.save(row)
        try:
            row = _dreamt(night, row)
        except BaseException:
            apply.died(engine, row)
            raise
        engine.store.dreams.save(row)
    return row


def _dreamt(night: Night, row: Dream) -> Dream:
    """The row with what the night has brought."""
    began = time.monotonic()
    state, done = _run(night, row.id)
    row = row._replace(
        duration_seconds=round(time.monotonic() - began, 3),
        memories_consolidated=sum(len(edit.lessons) for edit in done if edit.kind in CONSOLIDATING),
        reflection=night.reflection[:2000],
        improvements=night.improvements,
        state=state,
    )
    return row._replace(report=report(row, night, done))


def _run(night: Night, dream_id: str) -> tuple[str, list[Edit]]:
    """Dream phase after phase; how it ended, and the edits that were made (or would be)."""
    done: list[Edit] = []
    try:
        for number, phase in enumerate(PHASES):
            night.tell(number, len(PHASES))
            night.breathe()
            _isolated(night, phase)
        if night.dry_run:
            return DreamState.DONE, night.edits
        chunks = list(_chunks(night.edits[: night.engine.settings.dream.changes]))
        for number, chunk in enumerate(chunks, len(PHASES)):
            night.tell(number, len(PHASES) + len(chunks))
            night.breathe()
            done += apply.apply(night.engine, dream_id, chunk, night.now)
    except Woken:
        return DreamState.WOKEN, done
    return DreamState.DONE, done


def _chunks(edits: Iterable[Edit]) -> Iterator[list[Edit]]:
    """The edits in parts that touch about as many lessons each."""
    chunk: list[Edit] = []
    touched = 0
    for edit in edits:
        chunk.append(edit)
        touched += len(edit.lessons)
        if touched >= _CHUNK:
            yield chunk
            chunk, touched = [], 0
    if chunk:
        yield chunk


def _isolated(night: Night, phase: Callable[[Night], None]) -> None:
    """A phase that fails costs the night that phase and no more."""
    try:
        phase(night)
    except Woken:
        raise
    except Exception as error:
        log.exception("the dream's phase %r failed", phase.__name__)
        night.troubles.append(f"{phase.__name__}: {error}")


def survey(night: Night) -> None:
    """Sketch every lesson, and find those whose time is over."""
    for lesson in night.breathing(night.engine.store.dreams.lessons(night.scope)):
        night.lessons += 1
        if lesson.scope.project:
            night.projects.add(lesson.scope.project)
        if reason := _over(lesson, night):
            whose = ((lesson.scope, lesson.id),)
            night.edits.append(Edit("retired", reason, whose, status=Status.RETIRED))
            continue
        if lesson.scope.claimed() is None:  # what is kept apart must not reach others
            night.sketches.append(sketch(lesson))
        if is_waiting(lesson):
            night.unworded.append((lesson.scope, lesson.id))


def consolidate(night: Night) -> None:
    """Merge what says the same; what several projects say holds everywhere."""
    found = compare(night.breathing(night.sketches))
    night.conflicts = found.conflicts
    for group in (part for whole in found.groups for part in _parts(whole)):
        scopes = {one.scope for one in group}
        whose = tuple((one.scope, one.id) for one in group)
        if len(scopes) == 1:
            night.edits.append(Edit("merged", "they say the same", whose, target=scopes.pop()))
        else:
            projects = sum(scope.project is not None for scope in scopes)
            reason = f"seen in {projects} projects" if projects > 1 else "holds everywhere already"
            night.edits.append(Edit("promoted", reason, whose, target=night.scope))


def _parts(group: list[Sketch]) -> list[list[Sketch]]:
    """A group as it may be merged at once: a crowd comes in even parts."""
    count = -(-len(group) // _MERGED)
    return [group[at::count] for at in range(count)]


def dispute(night: Night) -> None:
    """Flag lessons that contradict each other, for a person to decide."""
    scopes = {one.id: one.scope for one in night.sketches}
    for pair in night.conflicts:
        whose = tuple((scopes[number], number) for number in (pair.first, pair.second))
        night.edits.append(Edit("disputed", pair.why, whose, status="", tag=DISPUTED))


def reword(night: Night) -> None:
    """Have a model word what rules worded; a dry run asks none."""
    if not night.engine.has_model:
        return
    taken = {number for edit in night.edits for _, number in edit.lessons}
    free = [place for place in night.unworded if place[1] not in taken]
    for place in free[: night.engine.settings.dream.reworded]:
        night.breathe()
        try:
            words = None if night.dry_run else reworded(night.engine, place)
        except HardwonError as error:  # the budget is spent, or the model is away
            night.troubles.append(f"reword: {error}")
            return
        if words or night.dry_run:
            reason = f"by {words.author if words else night.engine.model.name}"
            made = Edit("reworded", reason, (place,), target=place[0], words=words)
            night.edits.append(made)


def look_back(night: Night) -> None:
    """Find what keeps failing, and what to do about it."""
    store = night.engine.store
    scopes = {night.scope, night.asked, *store.dreams.scopes(night.scope)}
    night.past = patterns.Memories(
        _goals(night, scopes),
        _recent(night, store.runs, scopes),
        [pair for own in scopes for pair in store.failures.commonest(own, limit=200)],
    )
    scoped = (*night.past.goals, *night.past.runs)
    night.projects.update(one.scope.project for one in scoped if one.scope.project)
    night.patterns = patterns.extract(night.past)
    night.reflection, night.improvements = patterns.conclude(
        night.engine, night.patterns, night.conflicts, seen=night.seen()
    )


def _goals(night: Night, scopes: Collection[Scope]) -> list[Reflection]:
    """What was reflected on goals; none while a shared store is away."""
    try:
        return _recent(night, night.engine.store.reflections, scopes)
    except Unavailable as error:
        night.troubles.append(f"goals: {error}")
        return []


def _recent(night: Night, kept: ReflectionStore, scopes: Collection[Scope]) -> list[Reflection]:
    """The newest of all scopes, each once: what holds everywhere is seen from every project."""
    share = max(20, _RUNS // len(scopes))
    found = (one for own in scopes for one in kept.recent(own, now=night.now, limit=share))
    return list(dict.fromkeys(found))


PHASES: tuple[Callable[[Night], None], ...] = (
    survey,
    consolidate,
    dispute,
    look_back,
    reword,
)


def _over(lesson: Lesson, night: Night) -> str:
    """Why a lesson is retired; "" when it is not."""
    if lesson.expires_at and lesson.expires_at <= night.now:
        return "its time is over"
    unused = night.now - max(lesson.last_seen_at, lesson.updated_at)
    is_weak = lesson.hits == 0 and lesson.met <= 1 and lesson.confidence < 0.5
    if is_weak and unused > night.engine.settings.dream.stale:
        return f"unsure, and neither shown nor met for {unused.days} days"
    return ""
