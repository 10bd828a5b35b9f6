"""Lessons as a table in the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardwon.api.lessons import MOST, MOST_FOUND
from hardwon.core.text.clean import one_line, plural
from hardwon.core.values.lesson import Kind, Status, evidence_of
from hardwon.surfaces.cli import options
from hardwon.surfaces.cli.output import dump, fit_rows, say, width

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hardwon import Lesson, Scope
    from hardwon.api.lessons import Lessons

_SEEN = "When you see "  # how most lessons begin; a table has better use for the room


def first_lessons(lessons: Lessons, limit: int, status: str) -> Sequence[Lesson]:
    """The first lessons, and one more if there are more."""
    return lessons.list(limit=_with_one_more(limit, MOST), status=status)


def found_lessons(lessons: Lessons, text: str, limit: int) -> Sequence[Lesson]:
    """The lessons that a text finds, and one more if there are more."""
    return lessons.search(text, limit=_with_one_more(limit, MOST_FOUND))


def _with_one_more(limit: int, most: int) -> int:
    """One more than the limit, to see whether there are more; never above `most`."""
    return limit + 1 if 1 <= limit < most else limit


def show_lessons(
    lessons: Sequence[Lesson],
    as_json: bool,
    *,
    limit: int,
    none: str,
    head: tuple[str, ...],
    scope: Scope,
) -> None:
    """Print the first lessons as a table under a heading, or as JSON; say that there are more."""
    first = lessons[:limit]
    if as_json:
        dump(first)
        return
    counted = plural(len(first), *head)
    more = ", and more: --limit shows them" if len(lessons) > limit else ":"
    nothing = f"({none}{options.where(scope, joined='or')})"
    say(f"{counted}{options.where(scope)}{more}" if first else nothing)
    show_rows(first)


def show_rows(lessons: Sequence[Lesson]) -> None:
    """Columns: number, state, how often it was shown, when it applies, and what to do."""
    rows = fit_rows([_cells(lesson) for lesson in lessons], room=width() - 2)
    for lesson, row in zip(lessons, rows, strict=True):
        say(f"  {row}")
        reasons = evidence_of(lesson, Kind.QUARANTINED)
        for reason in reasons if lesson.status == Status.QUARANTINED else ():
            say(f"      held back: {reason}", dim=True)


def row(lesson: Lesson) -> str:
    """A lesson on one line: its number, when it applies, and what to do."""
    return f"#{lesson.id} [{one_line(lesson.headline())}] {one_line(lesson.correction)}"


def _cells(lesson: Lesson) -> tuple[str, ...]:
    hits = f"shown {lesson.hits:,}" if lesson.hits else ""
    label = f"[{one_line(lesson.headline()).removeprefix(_SEEN)}]"
    return f"#{lesson.id}", lesson.status, hits, label, one_line(lesson.correction)
