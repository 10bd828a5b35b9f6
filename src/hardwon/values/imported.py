"""Imported lessons: untrusted until a person vouches for them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hardwon.text.clean import one_line
from hardwon.values.evidence import Kind
from hardwon.values.lesson import CALLS_KEPT, SIGNATURES_KEPT, Status
from hardwon.values.provenance import marks, with_reason

if TYPE_CHECKING:
    from hardwon.values.lesson import Lesson

PACK = "pack"  # the author of lessons that no person has vouched for
_REASON = "imported; nobody has vouched for it"
_OWN, _FOREIGN = "pack:", "import:"  # the origins of lessons from packs, and from other systems
_IMPORTANCE, _CONFIDENCE = 0.5, 0.6  # at most; a lesson's own defaults
_KINDS_KEPT = 20


def claimed(lesson: Lesson) -> Lesson:
    """A lesson just read from a pack; its stated origin is only a claim."""
    return lesson._replace(origin=f"{_OWN}{lesson.origin}")


def trusted(lesson: Lesson) -> Lesson:
    """The lesson as the pack states it, for a person who vouches for it."""
    return lesson._replace(origin=lesson.origin.removeprefix(_OWN))


def admitted(lesson: Lesson, origin: str) -> Lesson:
    """The lesson as untrusted: its text and subject, but no status, guard or counts.

    `origin` is the origin of its pack.
    """
    bare = lesson._replace(
        origin=origin if is_of_pack(lesson) else lesson.origin,
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


def _quarantined(lesson: Lesson) -> Lesson:
    """The untrusted lesson in its first state; only this function decides that."""
    return with_reason(lesson._replace(status=Status.PROVEN), _REASON)


def is_held(lesson: Lesson | None) -> bool:
    """Whether a lesson waits only because no person has vouched for it."""
    if lesson is None or lesson.status != Status.QUARANTINED:
        return False
    return _REASON in marks(lesson, Kind.QUARANTINED)


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
