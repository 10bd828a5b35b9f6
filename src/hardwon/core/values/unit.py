"""The unit of the hold-out: one run and one family of lessons, from its first exposure."""

from __future__ import annotations

from datetime import datetime
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

from hardwon.core.values.evidence import Kind, values_of
from hardwon.core.values.scope import Scope

if TYPE_CHECKING:
    from hardwon.core.values.lesson import Lesson

EXCLUDED = "read elsewhere"  # the outcome of a unit that belongs to no arm
DOOR = "unit"  # the door under which a run notes a unit
_PERSON = "person"
_MARK = "~"  # prefix of a unit's name in a run; ids of deliveries are hexadecimal


class Unit(NamedTuple):
    """Whether a run was shown a family of lessons, or is in the arm without it."""

    scope: Scope
    run: str
    family: str  # the failure kind that its lessons are about
    door: str  # of the first exposure
    withheld: bool
    share: float  # the share withheld at that time
    at: datetime
    lesson: int = 0  # the first of the family, as it would have been shown
    wording: str = ""  # its wording: another wording is another treatment
    position: int = 0  # among the lessons of its block, from 1
    score: float = 0.0


def family_of(lesson: Lesson) -> str:
    """The family that is withheld together: one failure kind; "" for lessons always shown."""
    if lesson.guard or lesson.author == _PERSON or not lesson.kinds:
        return ""
    return lesson.kinds[0]


def wording_of(lesson: Lesson) -> str:
    """A digest of the text that a lesson is shown with."""
    words = f"{lesson.situation}\0{lesson.correction}".encode("utf-8", "replace")
    return blake2b(words, digest_size=6).hexdigest()


def is_retired(lesson: Lesson) -> bool:
    """Whether the lesson hardly helps in its present wording."""
    marks = values_of(lesson.evidence, Kind.RETIRED)
    return bool(marks) and wording_of(lesson) in (mark.partition(":")[0] for mark in marks)


def unit_name(family: str) -> str:
    """The name under which a run notes a unit."""
    return f"{_MARK}{family}"


def family_of_name(name: str) -> str:
    """The family of a name from `unit_name`; "" for the id of a delivery."""
    return name[1:] if name.startswith(_MARK) else ""
