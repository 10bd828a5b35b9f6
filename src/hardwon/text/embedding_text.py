"""What a lesson says, as one text whose meaning can be measured."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from hardwon.values.lesson import USER_SUPPLIED

if TYPE_CHECKING:
    from hardwon.values.lesson import Lesson


class Wording(NamedTuple):
    """The words of one stored lesson."""

    lesson: int
    situation: str
    mistake: str
    correction: str

    def text(self) -> str:
        """Each thing said once, in the order in which people read it."""
        parts = (self.situation, self.mistake, self.correction)
        said = dict.fromkeys(part for part in parts if part and part != USER_SUPPLIED)
        return ". ".join(said)


def wording_of(lesson: Lesson) -> Wording:
    """The words of a lesson."""
    return Wording(lesson.id, lesson.situation, lesson.mistake, lesson.correction)
