"""One night: look at every lesson, decide what to change, change it, and leave a report."""

from __future__ import annotations

import logging
import time
from itertools import islice
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from hardwon.domain.dream import DISPUTED, Dream, DreamState, Edit
from hardwon.domain.duplicates import compare, sketch
from hardwon.domain.lesson import Status
from hardwon.learn.dreams import patterns, wake
from hardwon.learn.dreams.report import report

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from hardwon.domain.duplicates import Conflict, Sketch
    from hardwon.domain.lesson import Lesson
    from hardwon.domain.scope import Scope
    from hardwon.engine import Engine

log = logging.getLogger("hardwon")
_CHUNK = 100  # edits in one transaction: other writers get their turn in between
_BREATH = 500  # lessons between two looks at the clock


class Woken(Exception):
    """The dream ends here; what it has done stays, and can be undone."""


class Night:
    """What a dream has found so far."""

    def __init__(self, engine: Engine, scope: Scope, *, stop: Callable[[], bool]) -> None:
        self.engine = engine
        self.scope = scope.everywhere()
        self.now = engine.clock()
        self.lessons = 0
        self.projects: set[str] = set()
        self.sketches: list[Sketch] = []
        self.edits: list[Edit] = []
        self.conflicts: list[Conflict] = []
        self.patterns: list[patterns.Pattern] = []
        self.reflection = ""
        self.improvements: tuple[str, ...] = ()
        self.troubles: list[str] = []
        self._stop = stop
        self._end = time.monotonic() + engine.settings.dream.budget.total_seconds()

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
    engine: Engine,
    scope: Scope,
    *,
    dry_run: bool = False,
    stop: Callable[[], bool] = lambda: False,
) -> Dream:
    """Put the lessons of an agent in order; the row and report of the night.

    With `dry_run` nothing is changed or stored, and the report tells what would be.
    """
    began = time.monotonic()
    night = Night(engine, scope, stop=stop)
    row = Dream(str(uuid4()), night.scope, night.now)
    if not dry_run:
        engine.store.dreams.save(row)
    state, done = _run(night, None if dry_run else row.id)
    row = row._replace(
        duration_seconds=round(time.monotonic() - began, 3),
        memories_consolidated=sum(len(edit.lessons) for edit in done if edit.target),
        reflection=night.reflection[:2000],
        improvements=night.improvements,
        state=state,
    )
    row = row._replace(report=report(row, night, done, dry_run=dry_run))
    if not dry_run:
        engine.store.dreams.save(row)
    return row


def _run(night: Night, dream_id: str | None) -> tuple[str, list[Edit]]:
    """Dream phase after phase; how it ended, and the edits that were made (or would be)."""
    done: list[Edit] = []
    try:
        for phase in PHASES:
            night.breathe()
            _isolated(night, phase)
        if dream_id is None:
            return DreamState.DONE, night.edits
        edits = iter(night.edits[: night.engine.settings.dream.changes])
        while chunk := list(islice(edits, _CHUNK)):
            night.breathe()
            done += wake.apply(night.engine, dream_id, chunk, night.now)
    except Woken:
        return DreamState.WOKEN, done
    return DreamState.DONE, done


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
        else:
            night.sketches.append(sketch(lesson))


def consolidate(night: Night) -> None:
    """Merge what says the same; what several projects say holds everywhere."""
    found = compare(night.breathing(night.sketches))
    night.conflicts = found.conflicts
    for group in found.groups:
        scopes = {one.scope for one in group}
        whose = tuple((one.scope, one.id) for one in group)
        if len(scopes) == 1:
            night.edits.append(Edit("merged", "they say the same", whose, target=scopes.pop()))
        else:
            projects = sum(scope.project is not None for scope in scopes)
            reason = f"seen in {projects} projects" if projects > 1 else "holds everywhere already"
            night.edits.append(Edit("promoted", reason, whose, target=night.scope))


def dispute(night: Night) -> None:
    """Flag lessons that contradict each other, for a person to decide."""
    scopes = {one.id: one.scope for one in night.sketches}
    for pair in night.conflicts:
        whose = tuple((scopes[number], number) for number in (pair.first, pair.second))
        night.edits.append(Edit("disputed", pair.why, whose, status=Status.ACTIVE, tag=DISPUTED))


def look_back(night: Night) -> None:
    """Find what keeps failing, and what to do about it."""
    store = night.engine.store
    scopes = {night.scope, *store.dreams.scopes(night.scope)}
    runs = [run for own in scopes for run in store.runs.recent(own, now=night.now, limit=1000)]
    failures = [pair for own in scopes for pair in store.failures.commonest(own, limit=200)]
    night.patterns = patterns.extract(dict.fromkeys(runs), failures)
    night.reflection, night.improvements = patterns.conclude(
        night.engine, night.patterns, night.conflicts, lessons=night.lessons
    )


PHASES: tuple[Callable[[Night], None], ...] = (survey, consolidate, dispute, look_back)


def _over(lesson: Lesson, night: Night) -> str:
    """Why a lesson is retired; "" when it is not."""
    if lesson.expires_at and lesson.expires_at <= night.now:
        return "its time is over"
    unused = night.now - max(lesson.last_seen_at, lesson.updated_at)
    is_weak = lesson.hits == 0 and lesson.met <= 1 and lesson.confidence < 0.5
    if is_weak and unused > night.engine.settings.dream.stale:
        return f"unsure, and neither shown nor met for {unused.days} days"
    return ""
