"""The origin of a lesson as plain values: what failed, what worked, and what followed."""

from __future__ import annotations

import difflib
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from hardwon.core.values.lesson import Change, Evidence, Fix, Kind, Lesson
from hardwon.knowledge.reading.guards import guard_of
from hardwon.surfaces.presentation import wording

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from hardwon.core.values.report import Exposure, LessonVerdict

SAME, GONE, NEW = "same", "gone", "new"
_ALIKE = 0.5  # calls with less in common are not compared word by word
_COMPARED = ("status", "situation", "mistake", "correction", "tags", "guard")
_LABELS = {
    Kind.MET: "Met",
    Kind.TRIED: "Tried without effect",
    Kind.SESSION: "Read in",
    Kind.JOB: "Reflected on in job",
    Kind.PARENT: "Made of lesson",
    Kind.APPROVED: "Approved by",
    Kind.QUARANTINED: "Held back",
    Kind.DIFFERS: "Contradicts lesson",
    Kind.RETIRED: "Retired by the hold-out",
    Kind.SHOWN_BY: "Shown by the steps of run",
    Kind.CONFIRMED: "Worked in run",
    Kind.WEAKENED: "Failed in run",
    Kind.WITHDRAWN: "Withdrawn",
    Kind.NOTE: "Note",
}


def cases(lesson: Lesson) -> list[dict[str, Any]]:
    """What runs called: the call that failed and the one that worked, the likeliest first."""
    told = (fix for fix in lesson.fixes if fix.mistake and fix.call)
    return [_case(fix) for fix in told if fix.mistake != fix.call]


def _case(fix: Fix) -> dict[str, Any]:
    is_alike = _likeness(fix.mistake, fix.call) > _ALIKE
    return {
        "failed": fix.mistake,
        "worked": fix.call,
        "diff": diff(fix.mistake, fix.call) if is_alike else [],
    }


def _likeness(failed: str, worked: str) -> float:
    """How similar two calls are, from 0 to 1."""
    return difflib.SequenceMatcher(a=_pieces(failed), b=_pieces(worked), autojunk=False).ratio()


def _pieces(text: str) -> list[str]:
    return re.findall(r"\s+|\w+|[^\w\s]", text)


def diff(before: str, after: str) -> list[tuple[str, str]]:
    """The differences of two texts, word by word: (same | gone | new, text)."""
    old, new = _pieces(before), _pieces(after)
    parts: list[tuple[str, str]] = []
    matcher = difflib.SequenceMatcher(a=old, b=new, autojunk=False)
    for _, start, end, first, last in matcher.get_opcodes():
        removed, added = "".join(old[start:end]), "".join(new[first:last])
        if removed == added:
            parts.append((SAME, removed))
        else:
            parts += [(mark, text) for mark, text in ((GONE, removed), (NEW, added)) if text]
    return parts


def fixes(lesson: Lesson) -> list[dict[str, Any]]:
    """The fixes of a lesson, with their counts."""
    return [
        {**fix._asdict(), "is_proven": fix.is_proven, "tried": fix.worked + fix.failed}
        for fix in lesson.fixes
    ]


def provenance(lesson: Lesson) -> list[dict[str, Any]]:
    """The origin of a lesson, oldest first as far as times are known."""
    return [_piece(piece) for piece in lesson.evidence if piece.kind in _LABELS]


def _piece(piece: Evidence) -> dict[str, Any]:
    is_lesson = piece.kind in (Kind.PARENT, Kind.DIFFERS) and piece.value.isdecimal()
    return {
        "told": _LABELS[piece.kind],
        "value": piece.value,
        "lesson": int(piece.value) if is_lesson else None,
        "at": datetime.fromtimestamp(piece.at, UTC).isoformat() if piece.at > 0 else "",
    }


def exposures(shown: Iterable[Exposure]) -> list[dict[str, Any]]:
    """Where a lesson was shown, and what followed."""
    return [{**exposure._asdict(), "last": exposure.last.isoformat()} for exposure in shown]


def verdict(judged: LessonVerdict) -> dict[str, Any]:
    """What the hold-out shows about a lesson: in how many of its runs the failure came back."""
    return {
        "lesson": judged.lesson,
        "text": judged.text,
        "verdict": wording.verdict(judged),
        "helps": judged.helps,
        "shown": [judged.shown_repeats, judged.shown],
        "withheld": [judged.withheld_repeats, judged.withheld],
    }


def history(lesson: Lesson, changes: Sequence[Change]) -> list[dict[str, Any]]:
    """Each change, newest first, with what it changed."""
    after = [lesson, *(change.before for change in changes)]
    return [
        {
            "act": change.act,
            "at": change.at.isoformat(),
            "fields": _field_changes(change.before, following),
        }
        for change, following in zip(changes, after, strict=False)
    ]


def _field_changes(before: Lesson, after: Lesson) -> list[dict[str, Any]]:
    pairs = ((name, _plain(before, name), _plain(after, name)) for name in _COMPARED)
    changes = [{"name": name, "diff": diff(old, new)} for name, old, new in pairs if old != new]
    forbidden = (
        "\n".join(guard_of(lesson).calls if lesson.guard else ()) for lesson in (before, after)
    )
    old, new = forbidden
    return changes if old == new else [*changes, {"name": "denied calls", "diff": diff(old, new)}]


def _plain(lesson: Lesson, name: str) -> str:
    value = getattr(lesson, name)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(value) if isinstance(value, tuple) else str(value)


def life(lesson: Lesson) -> list[dict[str, str]]:
    """The main dates of a lesson: made, approved, last shown."""
    moments = [("made", lesson.created_at.isoformat())]
    for piece in lesson.evidence:
        if piece.kind == Kind.APPROVED and piece.at > 0:
            moments.append(("approved", datetime.fromtimestamp(piece.at, UTC).isoformat()))
    if lesson.hits:
        moments.append(("last shown", lesson.last_seen_at.isoformat()))
    moments.sort(key=lambda moment: moment[1])
    return [{"what": event, "at": at} for event, at in moments]
