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
_ERRORS = 2  # errors that are named behind an act
_ANSWER = 120  # characters of an answer that is named behind an act
_SHARE = 0.85  # of the budget that acts may take
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
    acts: dict[Act, str] = {}
    rows: dict[Lesson, str] = {}

    def room() -> int:
        used = (HEAD, FOOT, _COURSE, _FAILURES, *acts.values(), *rows.values())
        return budget - sum(map(tokens, used))

    cures = [act for act in course if act.passed]
    _add_fitting(acts, cures, by_kind, int(room() * (_SHARE if failures else 1.0)), tokens)
    told = {by_kind[met.kind] for act in acts for met in act.passed if met.kind in by_kind}
    others = {lesson: row for lesson in failures if lesson not in told and (row := _row(lesson))}
    for lesson in sorted(others, key=lambda lesson: not _explanation(lesson)):
        if not _explanation(lesson):  # the course tells more than the trail of one failure
            _add_fitting(acts, course, by_kind, room(), tokens)
        if tokens(others[lesson]) <= room():
            rows[lesson] = others[lesson]
    _add_fitting(acts, course, by_kind, room(), tokens)
    if not any(act.passed for act in acts) and (
        len(acts) < _LEAST or all(act.is_of_task for act in acts)
    ):
        acts = {}
    if not acts and not rows:
        return "", ()
    shown = [acts[act] for act in course if act in acts]
    text = [
        HEAD,
        *([_COURSE, *shown] if shown else []),
        *([_FAILURES, *rows.values()] if rows else []),
        FOOT,
    ]
    return "\n".join(text), tuple(lesson for lesson in failures if lesson in told or lesson in rows)


def _add_fitting(
    chosen: dict[Act, str],
    course: Sequence[Act],
    lessons: Mapping[str, Lesson],
    room: int,
    tokens: Callable[[str], int],
) -> None:
    """Add the most valuable acts that fit, each with its line.

    Long acts have to be worth more. The first act that gets past a failure makes the others less
    valuable.
    """
    lines = {act: _lines(act, lessons) for act in course if not harm(act.text)}
    known = {met for act in chosen for met in act.passed}
    rest = [act for act in lines if act not in chosen]
    while rest:
        best = max(rest, key=lambda act: act.worth(known) / tokens(act.text) ** 0.5)
        rest.remove(best)
        line = next((line for line in lines[best] if tokens(line) <= room), "")
        if line:
            chosen[best] = line
            room -= tokens(line)
            known |= {*best.passed}


def _lines(act: Act, lessons: Mapping[str, Lesson]) -> list[str]:
    """An act with the errors that it got past and what explained one of them, then shorter."""
    answers = {
        _without_head(met.words, act.program): _explanation(lessons.get(met.kind))
        for met in act.passed
        if met.words
    }
    errors = sorted(answers, key=lambda words: not answers[words])[:_ERRORS]
    if not errors:
        return [f"  {inert(act.text)}"]
    short = f"{act.text}   ← {', '.join(errors)}"
    answer = answers[errors[0]]
    full = [short.replace(errors[0], f"{errors[0]} ({answer})", 1)] if answer else []
    return [f"  {inert(line)}" for line in (*full, short)]


def _explanation(lesson: Lesson | None) -> str:
    """The answer that explained a failure; "" if none did, or it is long."""
    said = next((fix.said for fix in fixes_to_show(lesson.fixes) if fix.said), "") if lesson else ""
    return said if len(said) <= _ANSWER and not harm(said) else ""


def _without_head(quote: str, program: str) -> str:
    """A quoted error without the program if that is known, or a folded name in front."""
    words = quote[1:].removeprefix(f"{program}: ") if program else quote[1:]
    return f"“{re.sub(r'^(?:<name>:? )+', '', words)}"


def _row(lesson: Lesson) -> str:
    """A failure with what got past it; "" if that cannot be told.

    The answer that explained it says more than calls. A file that one run edited may have been
    wrong only in that run.
    """
    fix = next(iter(fixes_to_show(lesson.fixes)), None)
    if fix is None or fix.sort in (INSTEAD, NEXT) or (EDITED in fix.key and not fix.is_proven):
        return ""
    words = fix.said or fix.text.removeprefix("What worked: ")
    if "“" not in lesson.situation or harm(words):
        return ""
    when = one_line(lesson.situation).removeprefix(_SEEN)
    return f"  - {inert(when)}: {inert(one_line(words))} (#{lesson.id})"
