"""Consolidate: one lesson for each failure kind in a scope, and no two that say the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardwon.failures.signature import fold
from hardwon.ranking.query import Query, query, terms
from hardwon.values.evidence import Kind
from hardwon.values.lesson import LIVE, MINED, RULES, RUN, Lesson, Status, is_vouched
from hardwon.values.provenance import marked

if TYPE_CHECKING:
    from datetime import datetime

    from hardwon.ports import LessonStore

_LOOKED_AT, _NEAREST = 20, 5
_TELLING, _REACH = 24, 200  # a near-duplicate shares nearly all words: few of them tell
_SAME = 0.85
_SAME_CURE = 0.4  # of the words of two cures, where the fix behind them is the same
_UNSURE = 0.5  # a lesson less sure than this names no fix of its own


def consolidate(
    lesson: Lesson, *, lessons: LessonStore, now: datetime, keeps_dates: bool = False
) -> Lesson:
    """Store the lesson, or add its evidence to the known lesson that says the same.

    It is dated now, unless it keeps its own dates.
    """
    lesson = lesson.dated(now, keeps_dates=keeps_dates)
    for known in _same_failure(lesson, lessons, now) if lesson.status in LIVE else ():
        if _is_about_another(known, lesson):
            others = tuple(kind for kind in known.kinds if kind not in lesson.kinds)
            lessons.update(known._replace(kinds=others, updated_at=now))
            continue
        if _has_all(known, lesson):
            return known
        if _is_better(lesson, known):
            twin = _twin(lesson, known, lessons, now)
            return (
                _joined(twin, known, lessons, now)
                if twin
                else _replaced(known, lesson, lessons, now)
            )
        if agrees(known, lesson) or not _is_free(known, lesson):
            return _grown(known, lesson, lessons, now)
    return _kept(lesson._replace(met=max(1, lesson.met)), lessons, now)


def agrees(known: Lesson, other: Lesson) -> bool:
    """Whether the other lesson says the same as the known one, or nothing of its own."""
    if other.confidence < _UNSURE:
        return True
    return fold(known.correction).lower() == fold(other.correction).lower()


def _is_about_another(known: Lesson, lesson: Lesson) -> bool:
    """Whether a model's lesson only helped with this failure, which now has words of its own."""
    is_worded = known.author not in {"person", RULES} and known.origin != MINED
    is_own = not known.kinds or known.kinds[0] in lesson.kinds
    return is_worded and is_vouched(lesson) and not is_own and bool(lesson.kinds)


def _has_all(known: Lesson, lesson: Lesson) -> bool:
    """Whether all evidence of a lesson is known already."""
    evidence = set(map(str, lesson.evidence))
    return bool(evidence) and evidence <= set(map(str, known.evidence))


def _is_better(lesson: Lesson, known: Lesson) -> bool:
    """Whether the new words come from a better author than the known ones."""
    if not is_vouched(lesson) or lesson.confidence < _UNSURE:
        return False
    return known.origin == MINED or (known.author != "person" and not agrees(known, lesson))


def _is_free(known: Lesson, lesson: Lesson) -> bool:
    """Whether two lessons about one failure may stand side by side.

    Whether the words of rules or a model may be added to the known lesson.
    """
    return known.author == "person" or not lesson.origin.startswith(f"{RUN}:")


def _twin(lesson: Lesson, known: Lesson, lessons: LessonStore, now: datetime) -> Lesson | None:
    """The lesson of another failure kind that the same author worded alike, with the same fix."""
    if known.origin != MINED:
        return None
    fixes = {fix.key for fix in known.fixes}
    query = _by_words(lesson)
    candidates = (
        match.lesson for match in lessons.match(lesson.scope, query, now=now, limit=_LOOKED_AT)
    )
    return next(
        (
            other
            for other in candidates
            if (other.scope, other.origin) == (lesson.scope, lesson.origin)
            and fixes & {fix.key for fix in other.fixes}
            and likeness(other.correction, lesson.correction) >= _SAME_CURE
        ),
        None,
    )


def _joined(twin: Lesson, known: Lesson, lessons: LessonStore, now: datetime) -> Lesson:
    """A worded lesson that takes over the record of another kind with the same fix."""
    grown = twin.met_again(known, now)
    lessons.update(grown)
    lessons.update(known._replace(status=Status.SUPERSEDED, updated_at=now))
    return grown


def _grown(known: Lesson, lesson: Lesson, lessons: LessonStore, now: datetime) -> Lesson:
    """The known lesson with the evidence of another; only a run is one more meeting."""
    if _has_all(known, lesson):
        return known
    grown = known.met_again(lesson if lesson.job else lesson._replace(met=0), now)
    lessons.update(grown)
    return grown


def _replaced(known: Lesson, lesson: Lesson, lessons: LessonStore, now: datetime) -> Lesson:
    """The lesson in place of a known one, which is kept as superseded."""
    grown = known.met_again(lesson._replace(calls=() if known.calls else lesson.calls), now)
    met = grown.met if lesson.job else known.met
    record = {name: getattr(grown, name) for name in _RECORD}
    stored = lessons.add(marked(lesson._replace(met=met, **record), Kind.PARENT, known.id))
    lessons.update(known._replace(status=Status.SUPERSEDED, updated_at=now))
    return stored


_RECORD = ("calls", "signatures", "evidence", "kinds", "fixes")


def _kept(lesson: Lesson, lessons: LessonStore, now: datetime) -> Lesson:
    """Add the lesson unless it is known; mark it if it differs from one about the same failure."""
    for known in _alike(lesson, lessons, now):
        if likeness(known.correction, lesson.correction) >= _SAME:
            return _grown(known, lesson, lessons, now)
        lesson = marked(lesson, Kind.DIFFERS, known.id)
    return lessons.add(lesson)


def likeness(text: str, other: str) -> float:
    """The share of words that two texts have in common, of all their words."""
    return _in_common(set(terms(text)), set(terms(other)))


def _in_common(mine: set[str], yours: set[str]) -> float:
    return len(mine & yours) / max(1, len(mine | yours))


def _alike(lesson: Lesson, lessons: LessonStore, now: datetime) -> list[Lesson]:
    """Lessons of the same scope about nearly the same situation."""
    if lesson.signatures:  # then the failure tells which lesson is the same
        return []
    query = _by_words(lesson)
    candidates = (
        match.lesson for match in lessons.match(lesson.scope, query, now=now, limit=_NEAREST)
    )
    mine = set(terms(lesson.situation))
    return [
        known
        for known in candidates
        if known.scope == lesson.scope
        and not known.signatures
        and _in_common(mine, set(terms(known.situation))) >= _SAME
    ]


def _by_words(lesson: Lesson) -> Query:
    """What finds lessons that say nearly the same."""
    asked = query("turn", f"{lesson.situation} {lesson.correction}", reach=_REACH)
    longest = sorted(asked.terms, key=len, reverse=True)[:_TELLING]
    return asked._replace(terms=tuple(longest))


def _same_failure(lesson: Lesson, lessons: LessonStore, now: datetime) -> list[Lesson]:
    """The lessons of exactly this scope about one of its failures, the highest in state first."""
    queries = [
        *(Query("error", "", kind=digest) for digest in lesson.kinds),
        *(Query("error", "", signature=digest) for digest in lesson.signatures),
    ]
    by_id = {
        match.lesson.id: match.lesson
        for query in queries
        for match in lessons.match(lesson.scope, query, now=now, limit=_LOOKED_AT)
        if match.lesson.scope == lesson.scope
    }
    return sorted(by_id.values(), key=lambda known: (-LIVE.index(known.status), known.id))
