"""What a run is told at its start when nobody has written a playbook: ways, then failures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardwon.core.text.clean import clip, one_line
from hardwon.core.text.frames import inert
from hardwon.core.text.harm import harm
from hardwon.core.values.lesson import INSTEAD, NEXT
from hardwon.core.values.run import Step
from hardwon.knowledge.evidence.calls import Call, calls_of
from hardwon.knowledge.evidence.ways import Way, in_order
from hardwon.knowledge.reading.mined_lesson import fixes_to_show

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hardwon.core.values.lesson import Lesson

HEAD = "[WHAT WORKED HERE BEFORE]"
FOOT = "[END WHAT WORKED HERE]"
_WAYS = "Calls that worked in earlier runs, in their usual order (<…>: a value of the task):"
_FAILURES = "Failures that were met here, and what got past them:"
_CALL = 120  # characters of a call
_HARD_CALL = 260  # the same of one that also failed: its details matter
_SHARE = 0.6  # of the budget that calls may take
_NAMED = 3  # words that may make the difference between two calls
_LEAST = 2  # the fewest calls that are worth a list


def opening(
    ways: Sequence[Way],
    failures: Sequence[Lesson],
    *,
    budget: int,
    tokens: Callable[[str], int],
) -> tuple[str, tuple[Lesson, ...]]:
    """The text for the start of a run and the lessons in it; ("", ()) if there is no evidence."""
    room = budget - tokens(HEAD) - tokens(FOOT) - tokens(_WAYS)
    calls = _fitting_ways(ways, int(room * (_SHARE if failures else 1.0)), tokens)
    room -= sum(tokens(_line(way)) for way in calls) + tokens(_FAILURES)
    rows: dict[Lesson, str] = {}
    families = {way.family for way in calls}
    for lesson in failures:
        words = _past_it(lesson, families)
        when = one_line(lesson.situation).removeprefix("When you see ")
        row = f"  - {inert(when)}: {inert(one_line(words))} (#{lesson.id})"
        if words and tokens(row) <= room and not harm(words):
            rows[lesson] = row
            room -= tokens(row)
    calls += _fitting_ways([way for way in ways if way not in calls], room, tokens)
    lines = [_WAYS, *map(_line, in_order(calls))] if len(calls) >= _LEAST else []
    lines += [_FAILURES, *rows.values()] if rows else []
    if not lines:
        return "", ()
    return "\n".join([HEAD, *lines, FOOT]), tuple(rows)


def _fitting_ways(ways: Sequence[Way], room: int, tokens: Callable[[str], int]) -> list[Way]:
    """The most valuable ways that fit."""
    chosen: list[Way] = []
    for way in ways:
        cost = tokens(_line(way))
        if cost <= room and not harm(way.call):
            chosen.append(way)
            room -= cost
    return chosen


def _line(way: Way) -> str:
    others = f"  (also: {', '.join(way.others)})" if way.others else ""
    return f"  $ {inert(clip(way.call, _HARD_CALL if way.failed else _CALL) + others)}"


def _past_it(lesson: Lesson, families: set[str]) -> str:
    """What got past a failure; of a call that stands above only what made the difference.

    The answer that explained it says more than calls.
    """
    fix = next(iter(fixes_to_show(lesson.fixes)), None)
    if fix is None or fix.sort in (INSTEAD, NEXT):
        return ""
    if fix.said:
        return fix.said
    working, failing = _last_call(fix.call), _last_call(fix.mistake)
    is_shown = working is not None and working.family in families
    difference = _difference(failing, working) if is_shown and working and failing else ""
    return difference or fix.text.removeprefix("What worked: ")


def _difference(failing: Call, working: Call) -> str:
    """What the working call has and the failing one lacks, or the other way round; else ""."""
    has, had = working.shape.split(), failing.shape.split()
    added = [word for word in has if word not in had]
    removed = [word for word in had if word not in has]
    names = added or removed
    if not 0 < len(names) <= _NAMED or len(removed) > _NAMED:
        return ""
    return f"{'with' if added else 'without'} {', '.join(f'`{name}`' for name in names)}"


def _last_call(text: str) -> Call | None:
    calls = calls_of(Step("bash", text))
    return calls[-1] if calls else None
