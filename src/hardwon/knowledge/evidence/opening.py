"""What a run is told at its start when nobody has written a playbook: evidence of earlier runs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hardwon.core.text.clean import one_line
from hardwon.core.text.frames import inert
from hardwon.core.text.harm import harm
from hardwon.core.values.lesson import EDITED, INSTEAD, NEXT
from hardwon.knowledge.reading.mined_lesson import fixes_to_show

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from hardwon.core.values.lesson import Lesson
    from hardwon.knowledge.evidence.course import Act, Met

HEAD = "[WHAT WORKED HERE BEFORE]"
FOOT = "[END WHAT WORKED HERE]"
_COURSE = (
    "This order worked in earlier runs (with their values). Do it so from the start, and look up"
    " only what it leaves open. Where ← stands, the work failed with that error until it was done:"
)
_FAILURES = "Failures that were met here, and what got past them:"
_SEEN = "When you see "
_ANSWER = 120  # characters of an answer that is named behind an act
_SHARE = 0.75  # of the budget that acts may take
_LEAST = 2  # the fewest acts that are worth a list


def opening(
    course: Sequence[Act],
    failures: Sequence[Lesson],
    *,
    budget: int,
    tokens: Callable[[str], int],
) -> tuple[str, tuple[Lesson, ...]]:
    """The text for the start of a run and the lessons in it; ("", ()) if there is no evidence."""
    by_kind = {kind: lesson for lesson in reversed(failures) for kind in lesson.kinds}
    lines = {act: _line(act, by_kind) for act in course}
    room = budget - sum(map(tokens, (HEAD, FOOT, _COURSE)))
    acts = _fitting(course, lines, int(room * (_SHARE if failures else 1.0)), tokens)
    room -= sum(tokens(lines[act]) for act in acts) + tokens(_FAILURES)
    told = [by_kind[met.kind] for act in acts for met in act.passed if met.kind in by_kind]
    rows: dict[Lesson, str] = {}
    for lesson in failures:
        is_news = lesson not in told and "“" in lesson.situation
        words = _past_it(lesson) if is_news else ""
        when = one_line(lesson.situation).removeprefix(_SEEN)
        row = f"  - {inert(when)}: {inert(one_line(words))} (#{lesson.id})"
        if words and tokens(row) <= room and not harm(words):
            rows[lesson] = row
            room -= tokens(row)
    known = {met for act in acts for met in act.passed}
    acts += _fitting([act for act in course if act not in acts], lines, room, tokens, known)
    if not any(act.passed for act in acts) and (
        len(acts) < _LEAST or all(act.is_of_task for act in acts)
    ):
        acts = []
    if not acts and not rows:
        return "", ()
    shown = [lines[act] for act in course if act in acts]
    text = [
        HEAD,
        *([_COURSE, *shown] if shown else []),
        *([_FAILURES, *rows.values()] if rows else []),
        FOOT,
    ]
    return "\n".join(text), tuple(dict.fromkeys((*told, *rows)))


def _fitting(
    course: Sequence[Act],
    lines: Mapping[Act, str],
    room: int,
    tokens: Callable[[str], int],
    known: AbstractSet[Met] = frozenset(),
) -> list[Act]:
    """The most valuable acts that fit; long ones have to be worth more.

    The first act that gets past a failure makes the others less valuable.
    """
    costs = {act: tokens(lines[act]) for act in course if not harm(act.text)}
    chosen: list[Act] = []
    while rest := [act for act, cost in costs.items() if cost <= room and act not in chosen]:
        best = max(rest, key=lambda act: act.worth(known) / costs[act] ** 0.5)
        chosen.append(best)
        room -= costs[best]
        known = known | {*best.passed}
    return chosen


def _line(act: Act, lessons: Mapping[str, Lesson]) -> str:
    """An act with an error that it got past, and what explained that error."""
    said = [(_explanation(lessons.get(met.kind)), met.words) for met in act.passed if met.words]
    if not said:
        return f"  {inert(act.text)}"
    answer, words = next((one for one in said if one[0]), said[0])
    error = _without_head(words, act.program)
    return f"  {inert(f'{act.text}   ← {error}' + (f' ({answer})' if answer else ''))}"


def _explanation(lesson: Lesson | None) -> str:
    """The answer that explained a failure; "" if none did, or it is long."""
    said = next((fix.said for fix in fixes_to_show(lesson.fixes) if fix.said), "") if lesson else ""
    return said if len(said) <= _ANSWER and not harm(said) else ""


def _without_head(quote: str, program: str) -> str:
    """A quoted error without the program if that is known, or a folded name in front."""
    words = quote[1:].removeprefix(f"{program}: ") if program else quote[1:]
    return f"“{re.sub(r'^(?:<name>:? )+', '', words)}"


def _past_it(lesson: Lesson) -> str:
    """What got past a failure; the answer that explained it says more than calls.

    A file that one run edited may have been wrong only in that run.
    """
    fix = next(iter(fixes_to_show(lesson.fixes)), None)
    if fix is None or fix.sort in (INSTEAD, NEXT) or (EDITED in fix.key and not fix.is_proven):
        return ""
    return fix.said or fix.text.removeprefix("What worked: ")
