"""One dream: what it changed and why, and what it proposes."""

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from hardwon.core.values.lesson import (
    Evidence,
    Kind,
    Lesson,
    Status,
    clean_tags,
    join_evidence,
    merge_fixes,
    unique,
)
from hardwon.core.values.scope import Scope

DISPUTED = "disputed"  # the tag of lessons that contradict each other
CONSOLIDATING = ("merged", "promoted")  # kinds of change that make one lesson of several


class DreamState:
    """The states of a dream."""

    RUNNING = "running"
    DONE = "done"
    WOKEN = "woken"  # by a signal, its budget or the agent's return
    DIED = "died"  # its process was killed; the changes made by then stay
    UNDONE = "undone"


class Dream(NamedTuple):
    """The row of a dream; its first fields have the published names."""

    id: str
    scope: Scope
    started_at: datetime
    duration_seconds: float = 0.0
    memories_consolidated: int = 0
    kg_nodes_added: int = 0  # hardwon has no graph; kept for readers of the published table
    reflection: str = ""
    improvements: tuple[str, ...] = ()
    prefetch_done: bool = False
    report: str = ""
    state: str = DreamState.RUNNING


class DreamChange(NamedTuple):
    """What a dream did to one lesson, and what its undo needs."""

    kind: str  # merged, promoted, reworded, retired, disputed
    lesson: int
    project: str | None
    reason: str
    before: str = ""  # the status; "" for a lesson the dream added
    after: str = Status.ACTIVE
    tags: tuple[str, ...] = ()  # before the change


class Words(NamedTuple):
    """A model's wording of a lesson that rules had worded."""

    situation: str
    mistake: str
    correction: str
    author: str


class Edit(NamedTuple):
    """One intended change: a new lesson, or another status or tag for lessons."""

    kind: str
    reason: str
    lessons: tuple[tuple[Scope, int], ...]
    status: str = Status.SUPERSEDED  # "": as it is
    target: Scope | None = None  # the scope of the merged lesson
    tag: str = ""
    words: Words | None = None  # replace the text of the strongest lesson


def merge_lessons(lessons: Iterable[Lesson], target: Scope, dream: str, now: datetime) -> Lesson:
    """The lesson that replaces its parents: the strongest one's text, the evidence of all."""
    ordered = sorted(lessons, key=strength, reverse=True)
    parents = tuple(Evidence(Kind.PARENT, str(lesson.id)) for lesson in ordered)
    first = min(lesson.id for lesson in ordered)
    ends = [lesson.expires_at for lesson in ordered if lesson.expires_at]
    return ordered[0]._replace(
        id=0,
        scope=target,
        tags=clean_tags(_union(ordered, "tags")),
        signatures=_union(ordered, "signatures"),
        calls=_union(ordered, "calls"),
        evidence=join_evidence(*(lesson.evidence for lesson in ordered), parents),
        kinds=_union(ordered, "kinds"),
        fixes=merge_fixes(fix for lesson in ordered for fix in lesson.fixes),
        origin=f"dream:{dream}",
        job=f"dream:{dream}:{first}",
        importance=max(lesson.importance for lesson in ordered),
        confidence=max(lesson.confidence for lesson in ordered),
        hits=sum(lesson.hits for lesson in ordered),
        met=sum(lesson.met for lesson in ordered),
        created_at=min(lesson.created_at for lesson in ordered),
        updated_at=now,
        last_seen_at=max(lesson.last_seen_at for lesson in ordered),
        expires_at=max(ends) if len(ends) == len(ordered) else None,  # one may never expire
    )


def _union(lessons: list[Lesson], field: str) -> tuple[str, ...]:
    return unique(tuple(item for lesson in lessons for item in getattr(lesson, field)))


def strength(lesson: Lesson) -> tuple[float, ...]:
    """The sort key for whose text is kept: a person's before a model's, then by proof."""
    return (lesson.author == "person", lesson.confidence, lesson.met, lesson.hits, -lesson.id)
