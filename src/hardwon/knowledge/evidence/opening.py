"""What a run is told at its start when nobody has written a playbook: ways, then failures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardwon.core.text.clean import clip, one_line
from hardwon.core.text.frames import inert
from hardwon.core.text.harm import harm
from hardwon.knowledge.evidence.folding import shorten_values
from hardwon.knowledge.evidence.ways import Way, in_order

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hardwon.core.values.lesson import Lesson

HEAD = "[WHAT WORKED HERE BEFORE]"
FOOT = "[END WHAT WORKED HERE]"
_WAYS = "Calls that worked in earlier runs, in their usual order (<…>: a value of the task):"
_FAILURES = "Failures that were met here, and what got past them:"
_CALL = 120  # characters of a call
_HARD_CALL = 260  # the same of one that also failed: its details matter
_SHARE = 0.55  # of the budget that calls may take
_LEAST = 2  # the fewest calls that are worth a list


def opening(
    ways: Sequence[Way],
    failures: Sequence[Lesson],
    *,
    budget: int,
    tokens: Callable[[str], int],
) -> tuple[str, tuple[Lesson, ...]]:
    """The text for the start of a run and the lessons in it; ("", ()) if there is no evidence."""
    room = budget - tokens(HEAD) - tokens(FOOT)
    calls = _fitting_ways(ways, int(room * (_SHARE if failures else 1.0)), tokens)
    lines = [_WAYS, *(f"  $ {_shown(way)}" for way in in_order(calls))] if calls else []
    room -= sum(map(tokens, lines)) + tokens(_FAILURES)
    told: list[Lesson] = []
    shown = {_shown(way) for way in calls}
    for lesson in failures:
        line = _failure_line(lesson)
        if tokens(line) <= room and not _is_shown(lesson, shown):
            lines += [line] if told else [_FAILURES, line]
            room -= tokens(line)
            told.append(lesson)
    if not lines:
        return "", ()
    return "\n".join([HEAD, *lines, FOOT]), tuple(told)


def _fitting_ways(ways: Sequence[Way], room: int, tokens: Callable[[str], int]) -> list[Way]:
    """The most valuable ways that fit."""
    chosen: list[Way] = []
    room -= tokens(_WAYS)
    for way in ways:
        cost = tokens(f"  $ {_shown(way)}")
        is_new = all(_shown(way) != _shown(other) for other in chosen)
        if cost <= room and is_new and not harm(way.call):
            chosen.append(way)
            room -= cost
    return chosen if len(chosen) >= _LEAST else []


def _shown(way: Way) -> str:
    longest = _HARD_CALL if way.failed else _CALL
    return inert(clip(" ".join(shorten_values(way.call).split()), longest))


def _failure_line(lesson: Lesson) -> str:
    """A failure and what got past it; the answer that explained it says more than calls."""
    fix = lesson.fixes[0] if lesson.fixes else None
    words = fix.said if fix and fix.said else lesson.correction
    return f"  - {inert(one_line(lesson.situation))}: {inert(one_line(words))} (#{lesson.id})"


def _is_shown(lesson: Lesson, shown: set[str]) -> bool:
    """Whether the calls above say already all that the lesson says."""
    fix = lesson.fixes[0] if lesson.fixes else None
    return fix is not None and not fix.said and fix.call in shown
