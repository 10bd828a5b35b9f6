"""Lessons on their way in and out: checked fields, JSON lines and Markdown, and packs of others."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, NamedTuple, TypedDict

from hardwon.core.errors import InvalidInput
from hardwon.core.text.clean import one_line
from hardwon.core.values.lesson import (
    CALLS_KEPT,
    RULES,
    SIGNATURES_KEPT,
    Evidence,
    Fix,
    Kind,
    Lesson,
    Status,
    evidence_of,
    quarantine_lesson,
    read_evidence,
    read_fixes,
    statuses,
    unique,
)
from hardwon.core.values.scope import Scope

STATUSES = frozenset(statuses(Status.ALL))


class LessonDetails(TypedDict, total=False):
    """The optional fields of a new lesson."""

    mistake: str
    tags: Sequence[str]
    importance: float
    confidence: float
    expires_at: datetime | None
    kinds: Sequence[str]


class LessonEdits(TypedDict, total=False):
    """What can be changed about a lesson."""

    situation: str
    mistake: str
    correction: str
    tags: Sequence[str]
    status: str
    importance: float
    confidence: float


_LAST = 253_370_764_800.0  # 9999-01-01: later times have no date in Python
_TEXT, _NAME, _ITEMS = 64 * 1024, 2 * 1024, 100_000


class _Range(NamedTuple):
    """The least and the most of a number; it must be whole if `least` is."""

    least: float
    most: float


# How a field is checked: the most characters of a text, the range of a number, the rule of each
# item of a tuple, the possible values, or a type.
_COUNT = _Range(0, 2**53)  # JSON and SQLite both keep integers up to this exactly
_RULES: dict[str, Any] = {
    **dict.fromkeys(("situation", "correction", "mistake"), _TEXT),
    **dict.fromkeys(("trigger", "origin", "author", "job"), _NAME),
    **{name: [_TEXT] for name in ("tags", "signatures", "calls", "kinds")},
    "evidence": [Evidence],
    "fixes": [Fix],
    **dict.fromkeys(("importance", "confidence"), _Range(0.0, 1.0)),
    "status": STATUSES,
    **dict.fromkeys(("hits", "met"), _COUNT),
    **dict.fromkeys(("created_at", "updated_at", "last_seen_at", "expires_at"), datetime),
    "guard": bool,
}
_PARTS = {
    Evidence: (_NAME, _TEXT, _Range(0.0, _LAST)),
    Fix: (*(_TEXT,) * 5, _COUNT, _COUNT, _TEXT),
}


def check_lesson(lesson: Lesson) -> Lesson:
    """The lesson itself; raises InvalidInput that names the invalid fields."""
    invalid = invalid_fields(lesson)
    if invalid:
        raise InvalidInput(f"the lesson cannot be stored: invalid {', '.join(invalid)}")
    return lesson


def invalid_fields(lesson: Lesson) -> list[str]:
    """The fields whose value cannot be stored or read back."""
    fields = zip(Lesson._fields, lesson, strict=True)
    checks = ((name, value) for name, value in fields if name in _RULES)
    invalid = [name for name, value in checks if not _fits(value, _RULES[name])]
    return [name for name in invalid if name != "expires_at" or lesson.expires_at is not None]


def mend_lesson(lesson: Lesson) -> Lesson:
    """The lesson with defaults in place of invalid fields."""
    blank = Lesson(lesson.scope, "", "")
    return lesson._replace(**{name: getattr(blank, name) for name in invalid_fields(lesson)})


def _fits(value: Any, rule: Any) -> bool:
    """Whether a value keeps to a rule of `_RULES`."""
    if isinstance(rule, list):
        is_tuple = isinstance(value, tuple) and len(value) <= _ITEMS
        return value == () or (is_tuple and all(_fits(item, rule[0]) for item in value))
    if rule in _PARTS:
        return isinstance(value, rule) and all(map(_fits, value, _PARTS[rule]))
    if isinstance(rule, int):
        is_short = isinstance(value, str) and len(value) <= rule and "\0" not in value
        # A lone surrogate cannot be stored.
        return is_short and (value.isascii() or value.encode(errors="ignore").decode() == value)
    if isinstance(rule, _Range):
        is_number = type(value) is int or (type(value) is float and type(rule.least) is float)
        return is_number and rule.least <= value <= rule.most  # NaN is in no range
    if rule is datetime:
        is_dated = isinstance(value, datetime) and value.tzinfo is not None
        return is_dated and 0 <= value.timestamp() <= _LAST
    if rule is STATUSES:
        return isinstance(value, str) and value in rule
    return isinstance(value, rule)


TITLE = "# hardwon lessons"
_LISTS = tuple(name for name, rule in _RULES.items() if rule == [_TEXT])
_TIMES = tuple(name for name, rule in _RULES.items() if rule is datetime)
_LEFT_OUT = ("scope", "id", "job", "hits")  # fields of the store, not of the lesson
_FIELDS = frozenset(Lesson._fields) - {"scope", "id"}
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
    try:
        values = {
            name: _READERS[name](value) if name in _READERS else value
            for name, value in record.items()
            if name in _FIELDS and value is not None
        }
        lesson = Lesson(scope, **{"situation": "", "correction": "", **values})
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidInput(f"not a lesson: {error}") from error
    texts: tuple[Any, ...] = (lesson.situation, lesson.mistake, lesson.correction)
    if not all(isinstance(text, str) for text in texts):
        raise InvalidInput("not a lesson: situation, mistake and correction must be text")
    if not lesson.correction.strip():
        raise InvalidInput("not a lesson: it has no correction")
    if lesson.status == Status.ACTIVE:  # a record of an older version
        lesson = lesson._replace(
            status=Status.CANDIDATE if lesson.author == RULES else Status.PROVEN
        )
    if lesson.status not in STATUSES:
        lesson = lesson._replace(status=Status.QUARANTINED)
    return check_lesson(lesson)


def _reader_of_number(least: float, most: float) -> Callable[[Any], Any]:
    """Reads a number into these bounds, a whole one if `least` is; NaN becomes the minimum."""
    return lambda value: type(least)(min(most, max(least, float(value))))


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


_READERS: dict[str, Callable[[Any], Any]] = {
    # A single text counts as a list of one.
    **dict.fromkeys(_LISTS, lambda it: (it,) if isinstance(it, str) else tuple(map(str, it))),
    **dict.fromkeys(("importance", "confidence"), _reader_of_number(0.0, 1.0)),
    "met": _reader_of_number(1, 1_000_000),
    "hits": _reader_of_number(0, 1_000_000),
    "evidence": read_evidence,
    "fixes": read_fixes,
    **dict.fromkeys(_TIMES, _moment),
}


def _sort_by_text(lessons: Iterable[Lesson]) -> list[Lesson]:
    return sorted(lessons, key=lambda lesson: (lesson.situation, lesson.correction))


def to_lines(lessons: Iterable[Lesson]) -> str:
    """A pack as JSON lines: one lesson per line, sorted by text for readable diffs."""
    records = (to_record(lesson).items() for lesson in _sort_by_text(lessons))
    kept = ({k: v for k, v in record if k not in _LEFT_OUT} for record in records)
    return "".join(json.dumps(one, ensure_ascii=False, sort_keys=True) + "\n" for one in kept)


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
    rows = [TITLE, ""]
    for lesson in _sort_by_text(lessons):
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
        rows += [f"## {one_line(lesson.situation)}", "", *lines, ""]
    return "\n".join(rows)


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
            tags=_split_list(fields.get("Tags", "")),
            trigger=fields.get("Trigger", "manual"),
            signatures=_split_list(fields.get("Failures", "")),
            calls=tuple(re.findall(r"`([^`]+)`", fields.get("Calls", ""))),
            origin=fields.get("Origin", "pack"),
            author=fields.get("Author", ""),
            guard=fields.get("Guard") == "yes",
        )
        for name in ("importance", "confidence", "met"):
            with suppress(KeyError, ValueError):  # without it, or if it is no number: the default
                number = _READERS[name](fields[name.capitalize()])
                lesson = lesson._replace(**{name: number})
        yield check_lesson(lesson)


def _split_list(text: str) -> tuple[str, ...]:
    return tuple(item.strip() for item in text.split(",") if item.strip())


def with_earlier_text(current: Lesson, before: Lesson) -> Lesson:
    """A lesson with its earlier text and status; its counts stay."""
    return before._replace(
        id=current.id,
        scope=current.scope,
        hits=current.hits,
        met=current.met,
        last_seen_at=current.last_seen_at,
    )


PACK = "pack"  # the author of lessons that no person has vouched for
_REASON = "imported; nobody has vouched for it"
_OWN, _FOREIGN = "pack:", "import:"  # the origins of lessons from packs, and from other systems
_IMPORTANCE, _CONFIDENCE = 0.5, 0.6  # at most; a lesson's own defaults
_KINDS_KEPT = 20


class Pack(NamedTuple):
    """Lessons to import, as their source states them."""

    lessons: Iterable[Lesson]  # perhaps still to be read
    size: int  # how many lessons
    origin: str  # of those that come in a pack
    trust: bool  # a person vouches for them
    per_origin: Mapping[str, int] = {}  # how many lessons of other systems have each origin

    def read_all(self) -> Pack:
        """The same with all its lessons read."""
        lessons = list(self.lessons)
        per_origin = Counter(lesson.origin for lesson in lessons)
        return self._replace(lessons=lessons, size=len(lessons), per_origin=per_origin)

    def admit(self, lesson: Lesson) -> Lesson:
        """One of its lessons as it is stored."""
        return trust_lesson(lesson) if self.trust else admit_lesson(lesson, self.origin)

    def name(self, lesson: Lesson) -> tuple[str, ...]:
        """The identity of an imported lesson: its origin, plus its text if several share that."""
        if not is_of_pack(lesson) and self.per_origin.get(lesson.origin, 0) < 2:
            return (lesson.origin,)
        return (lesson.origin, one_line(lesson.correction))

    def name_of_new(self, lesson: Lesson) -> tuple[str, ...]:
        """The name that one of its lessons has when it is stored untrusted."""
        return self.name(lesson._replace(origin=_origin(lesson, self.origin)))


def claim_origin(lesson: Lesson) -> Lesson:
    """A lesson just read from a pack; its stated origin is only a claim."""
    return lesson._replace(origin=f"{_OWN}{lesson.origin}")


def trust_lesson(lesson: Lesson) -> Lesson:
    """The lesson as the pack states it, for a person who vouches for it."""
    return lesson._replace(origin=lesson.origin.removeprefix(_OWN))


def admit_lesson(lesson: Lesson, origin: str) -> Lesson:
    """The lesson as untrusted: its text and subject, but no status, guard or counts.

    `origin` is the origin of its pack.
    """
    bare = lesson._replace(
        origin=_origin(lesson, origin),
        author=PACK,
        guard=False,
        job="",
        hits=0,
        met=1,
        importance=min(lesson.importance, _IMPORTANCE),
        confidence=min(lesson.confidence, _CONFIDENCE),
        evidence=(),
        fixes=(),
        signatures=lesson.signatures[-SIGNATURES_KEPT:],
        calls=lesson.calls[-CALLS_KEPT:],
        kinds=lesson.kinds[-_KINDS_KEPT:],
    )
    # The first state of an untrusted lesson is decided only here.
    return quarantine_lesson(bare._replace(status=Status.PROVEN), _REASON)


def _origin(lesson: Lesson, origin: str) -> str:
    """The origin of an untrusted lesson: that of its pack, or of the other system."""
    return origin if is_of_pack(lesson) else lesson.origin


def is_held(lesson: Lesson | None) -> bool:
    """Whether a lesson waits only because no person has vouched for it."""
    if lesson is None or lesson.status != Status.QUARANTINED:
        return False
    return _REASON in evidence_of(lesson, Kind.QUARANTINED)


def is_of_pack(lesson: Lesson) -> bool:
    """Whether the lesson came in a pack."""
    return lesson.origin.startswith(_OWN)


def is_import(lesson: Lesson) -> bool:
    """Whether the lesson came in a pack or from another system."""
    return lesson.origin.startswith((_OWN, _FOREIGN))


def origin_of(source: str) -> str:
    """`pack:` and the name of the file or server, without its folder and credentials."""
    address = re.sub(r"//[^/]*@", "//", source.rstrip("/"))
    place = address.partition("://")[2] or address
    return f"{_OWN}{one_line(re.split(r'[/?#]', place)[-1], 100)}"
