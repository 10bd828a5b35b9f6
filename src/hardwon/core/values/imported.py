"""Imported lessons: untrusted until a person vouches for them."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from hardwon.core.text.clean import one_line
from hardwon.core.values.evidence import Kind
from hardwon.core.values.lesson import CALLS_KEPT, SIGNATURES_KEPT, Status
from hardwon.core.values.provenance import evidence_of, quarantine_lesson

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from hardwon.core.values.lesson import Lesson

PACK = "pack"  # the author of lessons that no person has vouched for
_REASON = "imported; nobody has vouched for it"
_OWN, _FOREIGN = "pack:", "import:"  # the origins of lessons from packs, and from other systems
_IMPORTANCE, _CONFIDENCE = 0.5, 0.6  # at most; a lesson's own defaults
_KINDS_KEPT = 20


class Pack(NamedTuple):
    """Lessons to import, as their source states them."""

    lessons: Iterable[Lesson]  # perhaps still to be read
    size: int  # how many lessons
    origin: str  # of those that come in a pack
    trust: bool  # a person vouches for them
    per_origin: Mapping[str, int] = {}  # how many lessons of other systems have each origin

    def listed(self) -> Pack:
        """The same with all its lessons read."""
        lessons = list(self.lessons)
        per_origin = Counter(lesson.origin for lesson in lessons)
        return self._replace(lessons=lessons, size=len(lessons), per_origin=per_origin)

    def taken(self, lesson: Lesson) -> Lesson:
        """One of its lessons as it is stored."""
        return trust_lesson(lesson) if self.trust else admit_lesson(lesson, self.origin)

    def name(self, lesson: Lesson) -> tuple[str, ...]:
        """The identity of an imported lesson: its origin, plus its text if several share that."""
        if not is_of_pack(lesson) and self.per_origin.get(lesson.origin, 0) < 2:
            return (lesson.origin,)
        return (lesson.origin, one_line(lesson.correction))

    def name_of_new(self, lesson: Lesson) -> tuple[str, ...]:
        """The name that one of its lessons has when it is stored untrusted."""
        return self.name(lesson._replace(origin=_origin(lesson, self.origin)))


def claim_origin(lesson: Lesson) -> Lesson:
    """A lesson just read from a pack; its stated origin is only a claim."""
    return lesson._replace(origin=f"{_OWN}{lesson.origin}")


def trust_lesson(lesson: Lesson) -> Lesson:
    """The lesson as the pack states it, for a person who vouches for it."""
    return lesson._replace(origin=lesson.origin.removeprefix(_OWN))


def admit_lesson(lesson: Lesson, origin: str) -> Lesson:
    """The lesson as untrusted: its text and subject, but no status, guard or counts.

    `origin` is the origin of its pack.
    """
    bare = lesson._replace(
        origin=_origin(lesson, origin),
        author=PACK,
        guard=False,
        job="",
        hits=0,
        met=1,
        importance=min(lesson.importance, _IMPORTANCE),
        confidence=min(lesson.confidence, _CONFIDENCE),
        evidence=(),
        fixes=(),
        signatures=lesson.signatures[-SIGNATURES_KEPT:],
        calls=lesson.calls[-CALLS_KEPT:],
        kinds=lesson.kinds[-_KINDS_KEPT:],
    )
    return _quarantined(bare)


def _origin(lesson: Lesson, origin: str) -> str:
    """The origin of an untrusted lesson: that of its pack, or of the other system."""
    return origin if is_of_pack(lesson) else lesson.origin


def _quarantined(lesson: Lesson) -> Lesson:
    """The untrusted lesson in its first state; only this function decides that."""
    return quarantine_lesson(lesson._replace(status=Status.PROVEN), _REASON)


def is_held(lesson: Lesson | None) -> bool:
    """Whether a lesson waits only because no person has vouched for it."""
    if lesson is None or lesson.status != Status.QUARANTINED:
        return False
    return _REASON in evidence_of(lesson, Kind.QUARANTINED)


def is_of_pack(lesson: Lesson) -> bool:
    """Whether the lesson came in a pack."""
    return lesson.origin.startswith(_OWN)


def is_import(lesson: Lesson) -> bool:
    """Whether the lesson came in a pack or from another system."""
    return lesson.origin.startswith((_OWN, _FOREIGN))


def origin_of(source: str) -> str:
    """`pack:` and the name of the file or server, without its folder and credentials."""
    address = re.sub(r"//[^/]*@", "//", source.rstrip("/"))
    place = address.partition("://")[2] or address
    return f"{_OWN}{one_line(re.split(r'[/?#]', place)[-1], 100)}"
