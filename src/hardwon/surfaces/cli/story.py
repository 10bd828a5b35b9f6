"""The history of a lesson: its origin, where it was shown, and what followed."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from hardwon.core.text.clean import one_line, plural
from hardwon.core.values.lesson import Evidence, Kind
from hardwon.surfaces.presentation import wording

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hardwon import Lesson
    from hardwon.core.values.report import Exposure, LessonVerdict

_LABELS = {
    Kind.MET: "met",
    Kind.TRIED: "tried without effect",
    Kind.SESSION: "read in",
    Kind.JOB: "reflected on in job",
    Kind.PARENT: "made of lesson",
    Kind.APPROVED: "approved by",
    Kind.QUARANTINED: "held back",
    Kind.RETIRED: "retired, shown to few runs from now on",
    Kind.SHOWN_BY: "shown by the steps of run",
    Kind.CONFIRMED: "worked in run",
    Kind.WEAKENED: "failed in run",
    Kind.WITHDRAWN: "withdrawn",
    Kind.DIFFERS: "contradicts lesson",
    Kind.NOTE: "note",
}
_LENGTH = 200  # characters of a piece of evidence


def history_lines(
    lesson: Lesson, exposures: Sequence[Exposure], verdict: LessonVerdict | None
) -> Iterator[str]:
    """The history of a lesson, one event per line; empty when nothing is known."""
    for piece in lesson.evidence:
        if piece.kind in _LABELS:
            yield f"  {_when(piece)}  {_LABELS[piece.kind]}: {one_line(_value(piece), _LENGTH)}"
    for fix in lesson.fixes:
        record = f"worked in {plural(fix.worked, 'run')}, failed in {fix.failed}"
        yield f"  fix ({record}): {one_line(fix.text, _LENGTH)}"
    for exposure in exposures:
        followed = exposure.outcome or "outcome unknown"
        times = plural(exposure.times, "time")
        shown = f"shown {wording.DOORS.get(exposure.door, exposure.door)}"
        yield f"  {exposure.last:%Y-%m-%d}  {shown}, {times}: {followed}"
    if verdict is not None:
        rates = wording.rates(verdict)
        yield f"  proof: {wording.verdict(verdict)}" + (f"; {rates}" if rates else "")


def _value(piece: Evidence) -> str:
    """The text of a piece of evidence; for a retirement without the digest of the wording."""
    return piece.value.partition(": ")[2] if piece.kind == Kind.RETIRED else piece.value


def _when(piece: Evidence) -> str:
    return f"{datetime.fromtimestamp(piece.at, UTC):%Y-%m-%d}" if piece.at > 0 else " (undated)"
