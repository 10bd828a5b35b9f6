"""The origin of a lesson as plain values: what failed, what worked, and what followed."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from hardwon.core.values.lesson import Change, Kind, Lesson
from hardwon.core.values.report import LessonVerdict
from hardwon.knowledge.reading.guards import guard_of
from hardwon.surfaces import wording

SAME, GONE, NEW = "same", "gone", "new"
_ALIKE = 0.5  # calls with less in common are not compared word by word
_COMPARED = ("status", "situation", "mistake", "correction", "tags", "guard")


def cases(lesson: Lesson) -> list[dict[str, Any]]:
    """What runs called: the call that failed and the one that worked, the likeliest first."""
    found = []
    for fix in lesson.fixes:
        if fix.mistake and fix.call and fix.mistake != fix.call:
            old, new = _pieces(fix.mistake), _pieces(fix.call)
            likeness = difflib.SequenceMatcher(a=old, b=new, autojunk=False).ratio()
            changes = diff(fix.mistake, fix.call) if likeness > _ALIKE else []
            found.append({"failed": fix.mistake, "worked": fix.call, "diff": changes})
    return found


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
    rows = []
    for piece, label, words, at in wording.evidence(lesson):
        is_lesson = piece.kind in (Kind.PARENT, Kind.DIFFERS) and words.isdecimal()
        told, number = label[0].upper() + label[1:], int(words) if is_lesson else None
        rows.append({"told": told, "value": words, "lesson": number, "at": at or ""})
    return rows


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
    rows, after = [], _texts(lesson)
    for change in changes:
        before = _texts(change.before)
        changed = [name for name in before if before[name] != after[name]]
        fields = [{"name": name, "diff": diff(before[name], after[name])} for name in changed]
        rows.append({"act": change.act, "at": change.at, "fields": fields})
        after = before
    return rows


def _texts(lesson: Lesson) -> dict[str, str]:
    """What a change of a lesson may change, as texts."""
    texts = {}
    for name in _COMPARED:
        value = getattr(lesson, name)
        if isinstance(value, bool):
            value = "yes" if value else "no"
        texts[name] = ", ".join(value) if isinstance(value, tuple) else str(value)
    texts["denied calls"] = "\n".join(guard_of(lesson).calls if lesson.guard else ())
    return texts


def life(lesson: Lesson) -> list[dict[str, Any]]:
    """The main dates of a lesson: made, approved, last shown."""
    moments = [("made", lesson.created_at)]
    for piece in lesson.evidence:
        if piece.kind == Kind.APPROVED and piece.at > 0:
            moments.append(("approved", datetime.fromtimestamp(piece.at, UTC)))
    if lesson.hits:
        moments.append(("last shown", lesson.last_seen_at))
    moments.sort(key=lambda moment: moment[1])
    return [{"what": event, "at": at} for event, at in moments]
