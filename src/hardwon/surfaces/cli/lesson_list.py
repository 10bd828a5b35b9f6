"""Lessons as a table in the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardwon.surfaces.cli.output import dump, fitted, say, width
from hardwon.text.clean import one_line
from hardwon.text.numbers import plural
from hardwon.values.evidence import Kind
from hardwon.values.lesson import Status
from hardwon.values.provenance import marks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hardwon import Lesson, Scope


def show_lessons(
    lessons: Sequence[Lesson],
    as_json: bool,
    *,
    none: str,
    head: tuple[str, ...],
    scope: Scope,
) -> None:
    """Print lessons as a table under a heading, or as JSON."""
    if as_json:
        dump(lessons)
        return
    where = f" in {scope.project} and everywhere" if scope.project else ""
    say(f"{plural(len(lessons), *head)}{where}:" if lessons else f"({none}{where})")
    show_rows(lessons)


def show_rows(lessons: Sequence[Lesson]) -> None:
    """Columns: number, state, how often it was shown, when it applies, and what to do."""
    rows = fitted([_cells(lesson) for lesson in lessons], room=width() - 2)
    for lesson, row in zip(lessons, rows, strict=True):
        say(f"  {row}")
        reasons = marks(lesson, Kind.QUARANTINED)
        for reason in reasons if lesson.status == Status.QUARANTINED else ():
            say(f"      held back: {reason}", dim=True)


def _cells(lesson: Lesson) -> tuple[str, ...]:
    hits = f"shown {lesson.hits:,}" if lesson.hits else ""
    label = f"[{one_line(lesson.headline())}]"
    return f"#{lesson.id}", lesson.status, hits, label, one_line(lesson.correction)
