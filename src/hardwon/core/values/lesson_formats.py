"""Lessons as text for a repository: JSON lines for programs, Markdown for people."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from hardwon.core.errors import InvalidInput
from hardwon.core.text.clean import one_line
from hardwon.core.values import evidence, fix
from hardwon.core.values.lesson import RULES, Lesson, Status, unique
from hardwon.core.values.lesson_check import STATUSES, check_lesson

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from hardwon.core.values.scope import Scope

TITLE = "# hardwon lessons"
_LISTS = ("tags", "signatures", "calls", "kinds")
_RECORDS = {"evidence": evidence.read_evidence, "fixes": fix.read_fixes}
_TIMES = ("created_at", "updated_at", "last_seen_at", "expires_at")
_LEFT_OUT = ("scope", "id", "job", "hits")  # fields of the store, not of the lesson
_FIELDS = frozenset(Lesson._fields) - {"scope", "id"}
_BOUNDS: dict[str, tuple[float, float]] = {
    "importance": (0.0, 1.0),
    "confidence": (0.0, 1.0),
    "met": (1, 1_000_000),
    "hits": (0, 1_000_000),
}
_LINE = re.compile(r"- \*\*(\w+):\*\* (.*)")


def to_record(lesson: Lesson) -> dict[str, Any]:
    """The lesson as JSON types, without its scope."""
    values = lesson._asdict()
    del values["scope"]
    for name in _TIMES:
        values[name] = values[name].isoformat() if values[name] else None
    return values


def from_record(record: dict[str, Any], scope: Scope) -> Lesson:
    """The lesson of a record, in this scope; unknown fields are ignored."""
    values = {
        name: value for name, value in record.items() if name in _FIELDS and value is not None
    }
    try:
        values |= {name: _strings(values[name]) for name in _LISTS if name in values}
        values |= {name: _bounded(name, values[name]) for name in _BOUNDS if name in values}
        values |= {name: read(values[name]) for name, read in _RECORDS.items() if name in values}
        values |= {name: _moment(values[name]) for name in _TIMES if name in values}
        lesson = Lesson(scope, **{"situation": "", "correction": "", **values})
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidInput(f"not a lesson: {error}") from error
    texts: tuple[Any, ...] = (lesson.situation, lesson.mistake, lesson.correction)
    if not all(isinstance(text, str) for text in texts):
        raise InvalidInput("not a lesson: situation, mistake and correction must be text")
    if not lesson.correction.strip():
        raise InvalidInput("not a lesson: it has no correction")
    return check_lesson(_with_known_status(lesson))


def _with_known_status(lesson: Lesson) -> Lesson:
    """The lesson; one with an unknown status goes to quarantine."""
    if lesson.status == Status.ACTIVE:  # a record of an older version
        return lesson._replace(status=Status.CANDIDATE if lesson.author == RULES else Status.PROVEN)
    return lesson if lesson.status in STATUSES else lesson._replace(status=Status.QUARANTINED)


def _bounded(name: str, value: Any) -> Any:
    """The number within the bounds of its field; NaN becomes the minimum."""
    least, most = _BOUNDS[name]
    within = min(most, max(least, float(value)))
    return int(within) if isinstance(least, int) else within


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _strings(items: Any) -> tuple[str, ...]:
    """A list of texts; a single text counts as a list of one."""
    return (items,) if isinstance(items, str) else tuple(map(str, items))


def to_lines(lessons: Iterable[Lesson]) -> str:
    """A pack as JSON lines: one lesson per line, sorted by text for readable diffs."""
    ordered = sorted(lessons, key=lambda lesson: (lesson.situation, lesson.correction))
    records = (
        {k: v for k, v in to_record(lesson).items() if k not in _LEFT_OUT} for lesson in ordered
    )
    return "".join(
        json.dumps(record, ensure_ascii=False, sort_keys=True) + "\n" for record in records
    )


def from_lines(lines: Iterable[str], scope: Scope) -> Iterator[Lesson]:
    """The lessons of a pack of JSON lines; raises InvalidInput that names the line."""
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
            if not isinstance(record, dict):
                raise InvalidInput("not a lesson: not an object")
            yield from_record(record, scope)._replace(job="", hits=0)
        except (ValueError, RecursionError) as error:
            raise InvalidInput(f"line {number}: {error}") from error


def to_markdown(lessons: Iterable[Lesson]) -> str:
    """A pack as Markdown: one heading per lesson, its fields as a list."""
    ordered = sorted(lessons, key=lambda lesson: (lesson.situation, lesson.correction))
    return "\n".join([TITLE, "", *(_section(lesson) for lesson in ordered)])


def from_markdown(text: str, scope: Scope) -> Iterator[Lesson]:
    """The lessons of a Markdown pack; other text is ignored."""
    for section in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        heading, _, body = section.partition("\n")
        lines = (_LINE.match(line) for line in body.split("\n"))
        fields = {match[1]: match[2] for match in lines if match}
        if "Correction" not in fields:
            continue
        lesson = Lesson(
            scope,
            situation=heading.strip(),
            correction=fields["Correction"],
            mistake=fields.get("Mistake", ""),
            tags=_listed(fields.get("Tags", "")),
            trigger=fields.get("Trigger", "manual"),
            signatures=_listed(fields.get("Failures", "")),
            calls=tuple(re.findall(r"`([^`]+)`", fields.get("Calls", ""))),
            origin=fields.get("Origin", "pack"),
            author=fields.get("Author", ""),
            importance=_number(fields.get("Importance"), 0.5, "importance"),
            confidence=_number(fields.get("Confidence"), 0.6, "confidence"),
            met=int(_number(fields.get("Met"), 1, "met")),
            guard=fields.get("Guard") == "yes",
        )
        yield check_lesson(lesson)


def _section(lesson: Lesson) -> str:
    fields = {
        "Mistake": one_line(lesson.mistake),
        "Correction": one_line(lesson.correction),
        "Tags": ", ".join(lesson.tags),
        "Trigger": lesson.trigger,
        "Origin": lesson.origin,
        "Author": lesson.author,
        "Failures": ", ".join(lesson.signatures),
        "Calls": " ".join(f"`{call.replace('`', '')}`" for call in unique(lesson.calls)),
        "Importance": f"{lesson.importance:g}",
        "Confidence": f"{lesson.confidence:g}",
        "Met": str(lesson.met),
        "Guard": "yes" if lesson.guard else "",
    }
    lines = [f"- **{name}:** {value}" for name, value in fields.items() if value]
    return "\n".join([f"## {one_line(lesson.situation)}", "", *lines, ""])


def _listed(text: str) -> tuple[str, ...]:
    return tuple(item.strip() for item in text.split(",") if item.strip())


def _number(text: str | None, default: float, name: str) -> float:
    try:
        return float(_bounded(name, float(text))) if text else default
    except ValueError:
        return default


def with_earlier_text(current: Lesson, before: Lesson) -> Lesson:
    """A lesson with its earlier text and status; its counts stay."""
    return before._replace(
        id=current.id,
        scope=current.scope,
        hits=current.hits,
        met=current.met,
        last_seen_at=current.last_seen_at,
    )
