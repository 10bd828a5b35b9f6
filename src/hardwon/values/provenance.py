"""Where a lesson comes from, and what comes from it: parents, reasons and origins in its evidence.

Evidence holds marks of the form `kind:value`: `job:<id>` (the episode it was made of),
`parent:<lesson id>`, `quarantined:<reason>`, `approved:<who>`, `reword:<why>`.
"""

from collections.abc import Iterable

from hardwon.values.lesson import Lesson, Status, unique

PARENT, QUARANTINED, APPROVED, REWORD = "parent:", "quarantined:", "approved:", "reword:"


def marked(lesson: Lesson, mark: str, value: object) -> Lesson:
    """The lesson with one more mark in its evidence."""
    return lesson._replace(evidence=unique((*lesson.evidence, f"{mark}{value}")))


def marks(lesson: Lesson, mark: str) -> tuple[str, ...]:
    """The values of one kind of mark."""
    return tuple(one.removeprefix(mark) for one in lesson.evidence if one.startswith(mark))


def without(lesson: Lesson, mark: str) -> Lesson:
    """The lesson without the marks of one kind."""
    kept = tuple(one for one in lesson.evidence if not one.startswith(mark))
    return lesson._replace(evidence=kept)


def with_reason(lesson: Lesson, reason: str) -> Lesson:
    """The lesson in quarantine, and why."""
    return marked(lesson, QUARANTINED, reason)._replace(status=Status.QUARANTINED)


def approved(lesson: Lesson, by: str = "person") -> Lesson:
    """The lesson released by a person; it remembers what it was held back for."""
    return marked(lesson, APPROVED, by)._replace(status=Status.ACTIVE)


def born_of(lesson: Lesson, parents: Iterable[int]) -> Lesson:
    """The lesson with the lessons it was made of."""
    for parent in parents:
        lesson = marked(lesson, PARENT, parent)
    return lesson


def is_from(lesson: Lesson, origin: str) -> bool:
    """Whether the lesson names this origin: its own, a way of learning, an author, an episode."""
    named = {lesson.origin, lesson.author, lesson.job, *lesson.evidence}
    return origin in named or lesson.origin.startswith(f"{origin}:")


def descendants(lessons: Iterable[Lesson], origin: str) -> list[Lesson]:
    """All lessons of an origin, and all that were made of those."""
    pool = list(lessons)
    found = {lesson.id: lesson for lesson in pool if is_from(lesson, origin)}
    grown = True
    while grown:
        more = {
            lesson.id: lesson
            for lesson in pool
            if lesson.id not in found and _parents(lesson) & found.keys()
        }
        grown = bool(more)
        found |= more
    return list(found.values())


def _parents(lesson: Lesson) -> set[int]:
    return {int(one) for one in marks(lesson, PARENT) if one.isdecimal()}
