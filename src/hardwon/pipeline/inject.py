"""Inject: the block that is put before the model, whole lessons only, within a token budget."""

from __future__ import annotations

from collections.abc import Iterable

from hardwon.text.clean import LABEL_LIMIT, many_lines, one_line
from hardwon.values.lesson import Lesson

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple
else:
    from hardwon._cold.namedtuple import NamedTuple


class Frame(NamedTuple):
    """The lines around a block."""

    head: str
    foot: str
    label: int = 80  # characters of a lesson's label at most


TURN = Frame("[KNOWN PITFALLS — your prior lessons]", "[END KNOWN PITFALLS]", label=LABEL_LIMIT)
ACTION = Frame("[PITFALL OF THIS CALL — your prior lessons]", "[END PITFALL]")
ERROR = Frame("[YOU HAVE MET THIS BEFORE]", "[END MET BEFORE]")
FRAMES = {"turn": TURN, "action": ACTION, "error": ERROR}


class Block(NamedTuple):
    """A rendered block and the lessons that found room in it."""

    text: str
    lessons: tuple[Lesson, ...]
    tokens: int


def render(lessons: Iterable[Lesson], *, door: str, budget: int) -> Block:
    """The block of a door; a lesson that does not fit is left out, the next may still fit."""
    frame = FRAMES.get(door, TURN)
    spent = tokens(frame.head) + tokens(frame.foot)
    shown: list[Lesson] = []
    lines = [frame.head]
    for lesson in lessons:
        row = line(lesson, label=frame.label)
        cost = tokens(row)
        if spent + cost <= budget:
            shown.append(lesson)
            lines.append(row)
            spent += cost
    if not shown:
        return Block("", (), 0)
    return Block("\n".join([*lines, frame.foot]), tuple(shown), spent)


def line(lesson: Lesson, *, label: int = LABEL_LIMIT) -> str:
    """One lesson as a row of the block, its further lines indented.

    Brackets in its text cannot end the block.
    """
    name = _inert(one_line(lesson.headline(), label))
    words = _inert(many_lines(lesson.correction)).replace("\n", "\n    ")
    return f"  - [{name}] {words} (#{lesson.id})"


def guarding(lesson: Lesson) -> str:
    """The block of a lesson that forbids a call, whatever its length."""
    return "\n".join((ACTION.head, line(lesson, label=ACTION.label), ACTION.foot))


def tokens(text: str) -> int:
    """A careful estimate of the tokens of a text."""
    return max(len(text.encode("utf-8", "replace")) // 4, round(len(text.split()) * 1.33)) + 1


def _inert(text: str) -> str:
    """Text that cannot be taken for the frame of a block."""
    return text.replace("[END ", "(END ").replace("[KNOWN PITFALLS", "(KNOWN PITFALLS")
