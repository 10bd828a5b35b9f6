"""The text of a lesson that is embedded."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from hardwon.core.values.lesson import USER_SUPPLIED

if TYPE_CHECKING:
    from hardwon.core.values.lesson import Lesson


class Wording(NamedTuple):
    """The text fields of one stored lesson."""

    lesson: int
    situation: str
    mistake: str
    correction: str

    def text(self) -> str:
        """The text to embed: each part once, in reading order."""
        parts = (self.situation, self.mistake, self.correction)
        distinct = dict.fromkeys(part for part in parts if part and part != USER_SUPPLIED)
        return ". ".join(distinct)

    def texts(self) -> list[str]:
        """The texts its vector is made of: the whole text, and the situation once more.

        Queries say what happens, seldom what to do about it.
        """
        return list(dict.fromkeys((self.text(), self.situation or self.text())))


def lesson_wording(lesson: Lesson) -> Wording:
    """The text fields of a lesson."""
    return Wording(lesson.id, lesson.situation, lesson.mistake, lesson.correction)
