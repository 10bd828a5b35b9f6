"""Consolidate: one lesson for each failure kind in a scope, and no two that say the same."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from functools import lru_cache

from hardwon.core.text.clean import comparable
from hardwon.core.values.lesson import (
    LIVE,
    MINED,
    RULES,
    RUN,
    Kind,
    Lesson,
    Status,
    is_vouched,
    with_evidence,
)
from hardwon.core.values.scope import Scope
from hardwon.knowledge.ranking.query import Query, query, terms
from hardwon.storage.ports import LessonStore

_LOOKED_AT, _NAMED = 20, 5
_TELLING, _REACH = 24, 200  # the same text shares all words, so a few are enough
_SAME_SITUATION = 0.85  # share of common words
_SAME_CURE = 0.4  # share of common words of two corrections with the same fix
_UNSURE = 0.5  # a lesson of lower confidence has no fix of its own


def consolidate(
    lesson: Lesson, *, lessons: LessonStore, now: datetime, keeps_dates: bool = False
) -> Lesson:
    """Store the lesson, or add its evidence to the existing lesson that says the same.

    Returns the stored lesson. It is dated now, unless `keeps_dates`.
    """
    lesson = lesson.with_dates(now, keeps_dates=keeps_dates)
    for existing in _same_failure(lesson, lessons, now) if lesson.status in LIVE else ():
        if _is_about_another(existing, lesson):
            other_kinds = tuple(kind for kind in existing.kinds if kind not in lesson.kinds)
            lessons.update(existing._replace(kinds=other_kinds, updated_at=now))
            continue
        if _has_all(existing, lesson):
            return existing
        if _is_better(lesson, existing):
            twin = _twin(lesson, existing, lessons, now)
            if twin is None:
                return _supersede(existing, lesson, lessons, now)
            grown = twin.met_again(existing, now)  # it takes over the record
            lessons.update(grown)
            lessons.update(existing._replace(status=Status.SUPERSEDED, updated_at=now))
            return grown
        if agrees(existing, lesson) or not _is_free(existing, lesson):
            return _add_evidence(existing, lesson, lessons, now)
    return _keep(lesson._replace(met=max(1, lesson.met)), lessons, now)


def look_ahead(expected: Iterable[Lesson], lessons: LessonStore) -> None:
    """Let the open transaction read at once what `consolidate` will ask for these lessons."""
    queries: dict[Scope, list[Query]] = {}
    for lesson in expected:
        if lesson.status in LIVE:
            own = queries.setdefault(lesson.scope, [])
            own += _by_failure(lesson)
            own += () if lesson.signatures else (_by_words(lesson),)
    for scope, asked in queries.items():
        lessons.index.look_ahead(scope, asked)


def agrees(existing: Lesson, other: Lesson) -> bool:
    """Whether the other lesson has the same correction as the existing one, or none of its own."""
    if other.confidence < _UNSURE:
        return True
    return comparable(existing.correction) == comparable(other.correction)


def _is_about_another(existing: Lesson, lesson: Lesson) -> bool:
    """Whether the existing lesson is a model's about another failure that also helped here."""
    is_worded = existing.author not in {"person", RULES} and existing.origin != MINED
    is_own = not existing.kinds or existing.kinds[0] in lesson.kinds
    return is_worded and is_vouched(lesson) and not is_own and bool(lesson.kinds)


def _has_all(existing: Lesson, lesson: Lesson) -> bool:
    """Whether the existing lesson already holds all evidence of the new one."""
    evidence = set(map(str, lesson.evidence))
    return bool(evidence) and evidence <= set(map(str, existing.evidence))


def _is_better(lesson: Lesson, existing: Lesson) -> bool:
    """Whether the text of the new lesson has a better author than the existing one."""
    if not is_vouched(lesson) or lesson.confidence < _UNSURE or _is_read(existing):
        return False
    return existing.origin == MINED or (
        existing.author != "person" and not agrees(existing, lesson)
    )


def _is_free(existing: Lesson, lesson: Lesson) -> bool:
    """Whether two lessons about one failure may exist side by side.

    True if a person or a model wrote the existing one, or the new one does not come from a run.
    """
    is_another = _is_read(existing) and is_vouched(lesson)
    is_run = lesson.origin.startswith(f"{RUN}:")
    return existing.author == "person" or is_another or not is_run


def _is_read(lesson: Lesson) -> bool:
    """Whether a model read this lesson in a run; another task with the same error is another."""
    return lesson.author != RULES and lesson.origin.startswith((f"{RUN}:", "reader:"))


def _twin(lesson: Lesson, existing: Lesson, lessons: LessonStore, now: datetime) -> Lesson | None:
    """The lesson about another failure kind with a similar text and the same fix."""
    if existing.origin != MINED:
        return None
    fixes = {fix.key for fix in existing.fixes}
    for match in lessons.match(lesson.scope, _by_words(lesson), now=now, limit=_LOOKED_AT):
        other = match.lesson
        if (
            (other.scope, other.origin) == (lesson.scope, lesson.origin)
            and not fixes.isdisjoint(fix.key for fix in other.fixes)
            and likeness(other.correction, lesson.correction) >= _SAME_CURE
        ):
            return other
    return None


def _add_evidence(existing: Lesson, lesson: Lesson, lessons: LessonStore, now: datetime) -> Lesson:
    """The existing lesson with the evidence of the new one; only a run counts as met again."""
    if _has_all(existing, lesson):
        return existing
    grown = existing.met_again(lesson if lesson.job else lesson._replace(met=0), now)
    lessons.update(grown)
    return grown


def _supersede(existing: Lesson, lesson: Lesson, lessons: LessonStore, now: datetime) -> Lesson:
    """The new lesson in place of the existing one, which is kept as superseded."""
    grown = existing.met_again(lesson._replace(calls=() if existing.calls else lesson.calls), now)
    met = grown.met if lesson.job else existing.met
    record = {name: getattr(grown, name) for name in _RECORD}
    stored = lessons.add(
        with_evidence(lesson._replace(met=met, **record), Kind.PARENT, existing.id)
    )
    lessons.update(existing._replace(status=Status.SUPERSEDED, updated_at=now))
    return stored


_RECORD = ("calls", "signatures", "evidence", "kinds", "fixes")


def _keep(lesson: Lesson, lessons: LessonStore, now: datetime) -> Lesson:
    """Add the lesson unless one has the same text; name those that differ for a person to decide.

    A word, a number or the order of words can turn advice into its opposite.
    """
    alike: list[Lesson] = []
    if not lesson.signatures:  # `_same_failure` compares these
        matches = lessons.match(lesson.scope, _by_words(lesson), now=now, limit=_LOOKED_AT)
        own = [match.lesson for match in matches if match.lesson.scope == lesson.scope]
        alike = [
            existing
            for existing in own
            if not existing.signatures
            and likeness(existing.situation, lesson.situation) >= _SAME_SITUATION
        ]
    text = _text(lesson)
    if same := next((existing for existing in alike if _text(existing) == text), None):
        return _add_evidence(same, lesson, lessons, now)
    different = [existing for existing in alike if _text(existing)[1] != text[1]]
    for existing in different[:_NAMED]:
        lesson = with_evidence(lesson, Kind.DIFFERS, existing.id)
    return lessons.add(lesson)


def _text(lesson: Lesson) -> tuple[str, str]:
    return comparable(lesson.situation), comparable(lesson.correction)


def likeness(text: str, other: str) -> float:
    """The share of words that two texts have in common, in 0 … 1."""
    words, other_words = set(terms(text)), set(terms(other))
    return len(words & other_words) / max(1, len(words | other_words))


def _by_words(lesson: Lesson) -> Query:
    """The query that finds lessons with nearly the same text."""
    return _query_of(f"{lesson.situation} {lesson.correction}")


@lru_cache(maxsize=128)
def _query_of(text: str) -> Query:
    words_query = query("turn", text, reach=_REACH)
    longest = sorted(words_query.terms, key=len, reverse=True)[:_TELLING]
    return words_query._replace(terms=tuple(longest))


def _by_failure(lesson: Lesson) -> list[Query]:
    """The queries that find lessons about the same failures."""
    return [
        *(Query("error", "", kind=digest) for digest in lesson.kinds),
        *(Query("error", "", signature=digest) for digest in lesson.signatures),
    ]


def _same_failure(lesson: Lesson, lessons: LessonStore, now: datetime) -> list[Lesson]:
    """The lessons of exactly this scope about the same failure, the highest status first."""
    by_id = {
        match.lesson.id: match.lesson
        for query in _by_failure(lesson)
        for match in lessons.match(lesson.scope, query, now=now, limit=_LOOKED_AT)
        if match.lesson.scope == lesson.scope
    }
    return sorted(by_id.values(), key=lambda existing: (-LIVE.index(existing.status), existing.id))
