"""Where a lesson comes from, and which lessons come from it."""

from collections.abc import Iterable

from hardwon.core.values.evidence import Evidence, Kind, join_evidence, values_of
from hardwon.core.values.lesson import Lesson, Status


def with_evidence(lesson: Lesson, kind: str, value: object) -> Lesson:
    """The lesson with one more piece of evidence."""
    return lesson._replace(evidence=join_evidence(lesson.evidence, [Evidence(kind, str(value))]))


def evidence_of(lesson: Lesson, kind: str) -> tuple[str, ...]:
    """The values of one kind of evidence."""
    return values_of(lesson.evidence, kind)


def without_evidence(lesson: Lesson, kind: str) -> Lesson:
    """The lesson without the evidence of one kind."""
    return lesson._replace(evidence=tuple(piece for piece in lesson.evidence if piece.kind != kind))


def quarantine_lesson(lesson: Lesson, reason: str) -> Lesson:
    """The lesson in quarantine, and why."""
    return with_evidence(lesson, Kind.QUARANTINED, reason)._replace(status=Status.QUARANTINED)


def confirmation(lesson: Lesson) -> str:
    """The confirmation for the author of a new lesson; says so if it is held back."""
    return "\n".join(
        (f"OK: recorded lesson #{lesson.id} — {lesson.row()}", *quarantine_note(lesson))
    )


def quarantine_note(lesson: Lesson) -> tuple[str, ...]:
    """The note on a lesson in quarantine; empty for any other."""
    if lesson.status != Status.QUARANTINED:
        return ()
    reason = "; ".join(evidence_of(lesson, Kind.QUARANTINED))
    return (f"held back: {reason}; waits for approval: hardwon lesson approve {lesson.id}",)


def approve_lesson(lesson: Lesson, by: str = "person") -> Lesson:
    """The lesson as approved by a person; the reason of its quarantine stays."""
    return with_evidence(lesson, Kind.APPROVED, by)._replace(status=Status.PROVEN)


def is_approved(lesson: Lesson, reason: str) -> bool:
    """Whether a person has released the lesson although this was the reason to hold it back."""
    return bool(evidence_of(lesson, Kind.APPROVED)) and reason in evidence_of(
        lesson, Kind.QUARANTINED
    )


def is_from(lesson: Lesson, origin: str) -> bool:
    """Whether the lesson has this origin, author, job or evidence."""
    origins = {lesson.origin, lesson.author, lesson.job, *map(str, lesson.evidence)}
    return origin in origins or lesson.origin.startswith(f"{origin}:")


def descendants(lessons: Iterable[Lesson], origin: str) -> list[Lesson]:
    """All lessons of an origin, and all lessons merged from those."""
    pool = list(lessons)
    family = {lesson.id: lesson for lesson in pool if is_from(lesson, origin)}
    has_grown = True
    while has_grown:
        children = {
            lesson.id: lesson
            for lesson in pool
            if lesson.id not in family and _parents(lesson) & family.keys()
        }
        has_grown = bool(children)
        family |= children
    return list(family.values())


def _parents(lesson: Lesson) -> set[int]:
    return {int(mark) for mark in evidence_of(lesson, Kind.PARENT) if mark.isdecimal()}
