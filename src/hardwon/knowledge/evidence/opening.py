"""What a run is told at its start when nobody has written a playbook: evidence of earlier runs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hardwon.core.text.clean import one_line
from hardwon.core.text.frames import inert
from hardwon.core.text.harm import harm
from hardwon.core.text.injection import suspicion
from hardwon.core.values.lesson import EDITED, INSTEAD, NEXT
from hardwon.core.values.run import Step
from hardwon.knowledge.evidence.calls import calls_of, only_looks
from hardwon.knowledge.evidence.wording import SHOW_CALLS
from hardwon.knowledge.reading.mined_lesson import fixes_to_show

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from hardwon.core.values.lesson import Fix, Lesson
    from hardwon.knowledge.evidence.course import Act

COURSE = (
    "What worked in earlier runs of this project, in this order, with their values (←: what failed"
    " before it, as it will for you). Do it so from the start; look up only what is left open:"
)
FAILURES = "Failures that earlier runs of this project met, and what got past them:"
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
    lines = {act: _lines(act, by_kind) for act in course if not harm(act.text)}
    page = _Page(budget - tokens(COURSE), tokens)
    page.add_acts(
        {act: its for act, its in lines.items() if act.passed},
        reserve=int(page.room * (1 - _SHARE)) if failures else 0,
    )
    rows = {lesson: row for lesson in failures if (row := _row(lesson))}
    others = {lesson: row for lesson, row in rows.items() if page.is_news(lesson)}
    page.add_rows({lesson: row for lesson, row in others.items() if _explanation(lesson)})
    page.add_acts(lines)  # the course tells more than the trail of one failure
    page.add_rows({lesson: row for lesson, row in others.items() if page.is_news(lesson)})
    acts = page.acts
    if not any(act.passed for act in acts) and (
        len(acts) < _LEAST or all(act.is_of_task for act in acts)
    ):
        acts = {}
    if not acts and not page.rows:
        return "", ()
    told_acts = [act for act in course if act in acts]
    pairs = zip([None, *told_acts], told_acts, strict=False)
    shown = [acts[act] for last, act in pairs if last is None or last.text != act.text]
    text = [
        *([COURSE, *shown] if shown else []),
        *([FAILURES, *page.rows.values()] if page.rows else []),
    ]
    told = {*page.rows, *(by_kind[kind] for kind in page.kinds & {*by_kind})}
    return "\n".join(text), tuple(lesson for lesson in failures if lesson in told)


class _Page:
    """What is told at the start, as far as it fits."""

    def __init__(self, room: int, tokens: Callable[[str], int]) -> None:
        self.room, self._tokens = room, tokens
        self.acts: dict[Act, str] = {}
        self.rows: dict[Lesson, str] = {}
        self.kinds: set[str] = set()  # the failures that its acts get past
        self.told: set[str] = set()  # the same, and what its acts name

    def is_news(self, lesson: Lesson) -> bool:
        """Whether nothing on the page tells of the failures of a lesson."""
        return lesson not in self.rows and self.kinds.isdisjoint(lesson.kinds)

    def add_rows(self, rows: Mapping[Lesson, str]) -> None:
        """Add the failures that fit, with what got past them."""
        for lesson, row in rows.items():
            cost = self._tokens(row) + (0 if self.rows else self._tokens(FAILURES))
            if cost <= self.room and lesson not in self.rows:
                self.rows[lesson] = row
                self.room -= cost

    def add_acts(self, lines: Mapping[Act, Sequence[str]], *, reserve: int = 0) -> None:
        """Add the most valuable acts that fit, each with the longest of its lines that does.

        Long acts have to be worth more. The first act that gets past a failure makes the others
        less valuable.
        """
        sizes = {act: self._tokens(act.text) ** 0.5 for act in lines if act not in self.acts}
        costs = {act: [(self._tokens(line), line) for line in lines[act]] for act in sizes}
        while fitting := {
            act: f for act in sizes if (f := _first(costs[act], self.room - reserve))
        }:
            worth = {act: act.worth(self.told) / sizes[act] for act in fitting}
            best = max(worth, key=worth.__getitem__)
            cost, self.acts[best] = fitting[best]
            self.room -= cost
            kinds = {met.kind for met in best.passed}
            self.kinds |= kinds
            self.told |= kinds | best.news
            del sizes[best]


def _first(lines: Sequence[tuple[int, str]], room: int) -> tuple[int, str] | None:
    return next(((cost, line) for cost, line in lines if cost <= room), None)


def _lines(act: Act, lessons: Mapping[str, Lesson]) -> list[str]:
    """An act with the errors that it got past and what explained one of them, then shorter."""
    answers: dict[str, str] = {}
    calls: dict[str, str] = {}  # what failed with each error, as far as it is short
    for met in act.passed:
        call = "" if harm(met.call) or suspicion(met.call) else met.call
        error = _without_head(met.words, act.program) or (f"`{call}` fails" if call else "")
        if error:
            answers[error] = answers.get(error) or _explanation(lessons.get(met.kind))
            is_named = met.words and call and f"`{call}`: " not in calls.values()
            calls.setdefault(error, f"`{call}`: " if is_named else "")
    errors = sorted(answers, key=lambda error: not answers[error])[:_ERRORS]
    if not errors:
        return [f"  {inert(act.text)}"]
    plain = f"{act.text}   ← {', '.join(errors)}"
    short = f"{act.text}   ← {', '.join(calls[error] + error for error in errors)}"
    answer = answers[errors[0]]
    full = [short.replace(errors[0], f"{errors[0]} ({answer})", 1)] if answer else []
    return [f"  {inert(line)}" for line in (*full, short, plain)]


def _explanation(lesson: Lesson | None) -> str:
    """The answer that explained a failure; "" if none did, or it is long."""
    fix = _first_fix(lesson) if lesson else None
    said = one_line(fix.said) if fix else ""
    return said if len(said) <= _ANSWER and not harm(said) else ""


def _first_fix(lesson: Lesson) -> Fix | None:
    """The best fix that may be told at the start.

    A file that one run edited may have been wrong only in that run.
    """
    fix = next(iter(fixes_to_show(lesson.fixes)), None)
    if fix is None or (fix.sort in (INSTEAD, NEXT) and not fix.is_proven):
        return None
    is_own = EDITED in fix.key and not (fix.is_proven or fix.said)
    return None if is_own else fix


def _without_head(quote: str, program: str) -> str:
    """A quoted error without the program if that is known, or a folded name in front."""
    if not quote:
        return ""
    words = quote[1:].removeprefix(f"{program}: ") if program else quote[1:]
    return f"“{re.sub(r'^(?:<name>:? )+', '', words)}"


def _is_of_run(fix: Fix) -> bool:
    """Whether a fix shows code of several lines, or how a call that only looks found something."""
    looked = [only_looks(call) for call in calls_of(Step("bash", fix.mistake))]
    return "\n" in fix.text or looked[-1:] == [True]


def _row(lesson: Lesson) -> str:
    """A failure with what got past it; "" if that cannot be told.

    The answer that explained it says more than calls.
    """
    fix = _first_fix(lesson)
    words = (fix.said or fix.text.removeprefix("What worked: ")) if fix else ""
    if not words or "“" not in lesson.situation or harm(words):
        return ""
    if fix and not fix.said and fix.sort in SHOW_CALLS and _is_of_run(fix):
        return ""
    when = one_line(lesson.situation).removeprefix(_SEEN)
    return f"  - {inert(when)}: {inert(one_line(words))} (#{lesson.id})"
