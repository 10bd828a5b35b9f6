"""What a run is told at its start when nobody has written a playbook: evidence of earlier runs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hardwon.core.text.clean import one_line
from hardwon.core.text.frames import inert
from hardwon.core.text.harm import harm
from hardwon.core.values.lesson import INSTEAD, NEXT
from hardwon.knowledge.reading.mined_lesson import fixes_to_show

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from hardwon.core.values.lesson import Lesson
    from hardwon.knowledge.evidence.course import Act

HEAD = "[WHAT WORKED HERE BEFORE]"
FOOT = "[END WHAT WORKED HERE]"
_COURSE = (
    "This order worked in earlier runs (with their values). Do it so from the start, and look up"
    " only what it leaves open. Where ← stands, the work failed with that error until it was done:"
)
_FAILURES = "Failures that were met here, and what got past them:"
_SEEN = "When you see "
_ERRORS = 1  # errors that are named behind an act
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
    lines = {act: _line(act) for act in course}
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
    acts += _fitting([act for act in course if act not in acts], lines, room, tokens)
    if len(acts) < _LEAST and not any(act.passed for act in acts):
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
    course: Sequence[Act], lines: Mapping[Act, str], room: int, tokens: Callable[[str], int]
) -> list[Act]:
    """The most valuable acts that fit; long ones have to be worth more."""
    chosen: list[Act] = []
    for act in sorted(course, key=lambda act: -act.worth / tokens(lines[act]) ** 0.5):
        cost = tokens(lines[act])
        if cost <= room and not harm(act.text):
            chosen.append(act)
            room -= cost
    return chosen


def _line(act: Act) -> str:
    """An act with the errors that it got past, as far as they can be quoted."""
    said = [_without_head(met.words, act.program) for met in act.passed if met.words]
    errors = f"   ← {', '.join(dict.fromkeys(said[:_ERRORS]))}" if said else ""
    return f"  {inert(f'{act.text}{errors}')}"


def _without_head(quote: str, program: str) -> str:
    """A quoted error without the program if that is known, or a folded name in front."""
    words = quote[1:].removeprefix(f"{program}: ") if program else quote[1:]
    return f"“{re.sub(r'^(?:<name>:? )+', '', words)}"


def _past_it(lesson: Lesson) -> str:
    """What got past a failure; the answer that explained it says more than calls."""
    fix = next(iter(fixes_to_show(lesson.fixes)), None)
    if fix is None or fix.sort in (INSTEAD, NEXT):
        return ""
    return fix.said or fix.text.removeprefix("What worked: ")
