"""Convert values to rows and back, even if rows are damaged."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from datetime import UTC, date, datetime
from typing import Any

from hardwon.core.values.delivery import Delivery
from hardwon.core.values.dream import Dream
from hardwon.core.values.lesson import EPOCH, Evidence, Fix, Kind, Lesson, quarantine_lesson
from hardwon.core.values.lesson_formats import from_record, invalid_fields, to_record
from hardwon.core.values.reflection import Reflection
from hardwon.core.values.report import FailureKind, day_of
from hardwon.core.values.run import EndedRun, Shown, Step, read_step
from hardwon.core.values.scope import Scope
from hardwon.storage.sql.dialect import Row

_moment = datetime.fromtimestamp
_TEXTS = "situation, mistake, correction, trigger_name, origin, author, job, status"
_LISTS = "tags, signatures, calls, evidence, kinds, fixes"
_NUMBERS = "importance, confidence, hit_count, met_count, guard"
_TIMES = "created_at, updated_at, last_seen_at, expires_at"
# The text that people search in.
SEARCHED = "situation || ' ' || mistake || ' ' || correction || ' ' || tags"
ALL_TEXT = " || ".join(f"{_TEXTS}, {_LISTS}".split(", "))
COLUMNS = f"{_TEXTS}, {_LISTS}, {_NUMBERS}, {_TIMES}"
NAMES = COLUMNS.split(", ")
DELIVERY = "id, shelf, door, query, lessons, scores, tokens, micros, at, outcome"
REFLECTION = "subject, insight, created_at, title, state, importance, expires_at, detail, job"
DREAM = (
    "id, started_at, duration_seconds, memories_consolidated, kg_nodes_added, reflection,"
    " improvements_proposed, improvements_json, prefetch_done, report, state"
)

ENDED_RUN = (
    "id, run, task, begun_at, ended_at, outcome, made, failed, told, kinds, steps, shown, person,"
    " machine, program, shelf"
)
_CITING = (Kind.SHOWN_BY, Kind.CONFIRMED, Kind.WEAKENED)  # which name a run and its steps
NOT_KEPT = "(not kept: no lesson cites this step)"
_UNREADABLE = (ValueError, TypeError, OverflowError, OSError, RecursionError)


def values_of(lesson: Lesson) -> dict[str, object]:
    """The columns of a lesson by name, in the order of `COLUMNS`."""
    expires = lesson.expires_at
    names = (lesson.tags, lesson.signatures, lesson.calls)
    lists: tuple[tuple[object, ...], ...] = (*names, lesson.evidence, lesson.kinds, lesson.fixes)
    values = (
        *(lesson.situation, lesson.mistake, lesson.correction, lesson.trigger),
        *(lesson.origin, lesson.author, lesson.job, lesson.status),
        *(json.dumps(items, ensure_ascii=False) if items else "[]" for items in lists),
        *(lesson.importance, lesson.confidence, lesson.hits, lesson.met, lesson.guard),
        *(lesson.created_at.timestamp(), lesson.updated_at.timestamp()),
        *(lesson.last_seen_at.timestamp(), expires and expires.timestamp()),
    )
    return dict(zip(NAMES, values, strict=True))


def _list(text: str) -> tuple[Any, ...]:
    if text == "[]":
        return ()
    items = json.loads(text)
    if not isinstance(items, list):
        raise ValueError("not a list")
    return tuple(items)


def lesson_of(row: Row, scopes: dict[int, Scope]) -> Lesson:
    """The lesson of a row (id, shelf, COLUMNS); a damaged row is read as far as possible.

    A salvaged lesson is in quarantine, so it is never delivered.
    """
    try:
        return _read_lesson(row, scopes)
    except _UNREADABLE:
        # With defaults in place of unreadable values.
        lists = (text if _is_readable(text, at) else "[]" for at, text in enumerate(row[10:16]))
        times = (moment(seconds).timestamp() for seconds in row[21:24])
        salvaged = (*row[:10], *lists, *row[16:21], *times, None)
        return quarantine_lesson(_read_lesson(salvaged, scopes), "damaged")


def damage(row: Row, scopes: dict[int, Scope]) -> str:
    """The damage of a row, in words; "" if there is none."""
    try:
        return ", ".join(invalid_fields(_read_lesson(row, scopes)))
    except _UNREADABLE as error:
        return f"unreadable ({type(error).__name__})"


def _read_lesson(row: Row, scopes: dict[int, Scope]) -> Lesson:
    """By position for speed: one recall reads many."""
    number, shelf, situation, mistake, correction, trigger, origin, author, job, status = row[:10]
    tags, signatures, calls, pieces, kinds, fixes = [
        () if text == "[]" else _list(text) for text in row[10:16]
    ]
    "".join((*tags, *signatures, *calls, *kinds))  # raises unless all are text
    importance, confidence, hits, met, guard, created, updated, last_seen, expires = row[16:]
    texts = (scopes[shelf], situation, correction, mistake, tags, trigger, signatures, calls)
    evidence = pieces and tuple(map(Evidence._make, pieces))
    cures = fixes and tuple(map(Fix._make, fixes))
    facts = (evidence, origin, author, job, importance, confidence, status, number, hits, met)
    made = _moment(created, UTC)
    changed = made if updated == created else _moment(updated, UTC)
    seen = changed if last_seen == updated else _moment(last_seen, UTC)
    last_fields = (expires and _moment(expires, UTC), bool(guard), kinds, cures)
    return Lesson._make((*texts, *facts, made, changed, seen, *last_fields))


def _is_readable(text: str, at: int) -> bool:
    make = (None, None, None, Evidence._make, None, Fix._make)[at]
    try:
        items = _list(text)
        return all(map(make, items)) if make else bool("".join(items) or True)
    except _UNREADABLE:
        return False


def read_list(text: str) -> tuple[Any, ...]:
    """The items of a stored list; empty if it is damaged."""
    try:
        return _list(text)
    except _UNREADABLE:
        return ()


def moment(seconds: float) -> datetime:
    """The time of a stored number; 1970 for a number that is no valid date."""
    try:
        return _moment(seconds, UTC)
    except _UNREADABLE:
        return EPOCH


def stored(value: object) -> object:
    """A field as a column holds it: a time in seconds, a list as JSON, anything else as it is."""
    if isinstance(value, datetime):
        return value.timestamp()
    return json.dumps(value, separators=(",", ":")) if isinstance(value, tuple) else value


def noted_delivery(delivery: Delivery) -> list[object]:
    """The values of a delivery as the journal notes it: id, scope, other columns."""
    return [delivery.id, *delivery.scope, *map(stored, delivery[2:])]


def delivery_of(row: Row, shelves: dict[int, Scope]) -> Delivery:
    """The delivery of a row (DELIVERY)."""
    number, shelf, door, query, lessons, scores, tokens, micros, at, outcome = row
    shown = read_list(lessons), read_list(scores)
    return Delivery(
        number, shelves[shelf], door, query, *shown, tokens, micros, moment(at), outcome
    )


def noted_run(run: EndedRun) -> list[object]:
    """The columns of an ended run without its shelf, in the order of `ENDED_RUN`."""
    return [run.id, *map(stored, run[2:])]


def ended_run_of(row: Row, shelves: dict[int, Scope]) -> EndedRun:
    """The run of a row (ENDED_RUN); damaged steps are left out.

    Steps that were not kept are empty, so that the numbers of the others still hold.
    """
    *facts, kinds, steps, shown, person, machine, program, shelf = row
    number, run, task, begun, ended, *counts = facts
    head = (number, shelves[shelf], run, task, moment(begun), moment(ended), *counts)
    kept, gap = _kept_steps(steps), Step("", NOT_KEPT)
    numbers = range(1, max(kept, default=0) + 1)
    all_steps = tuple(read_step(kept[at]) if at in kept else gap for at in numbers)
    all_shown = tuple(  # without a text in rows of release 0.2
        Shown(delivery, door, tuple(told), after, tuple(lessons), *text)
        for delivery, door, told, after, lessons, *text in read_list(shown)
    )
    texts = read_list(kinds), all_steps, all_shown
    return EndedRun._make((*head, *texts, person, machine, program))


def cited_steps(evidence: Iterable[str]) -> dict[str, set[int]]:
    """The runs that the evidence of lessons names, each with the numbers of the steps it names."""
    cited: dict[str, set[int]] = {}
    for text in evidence:
        with suppress(*_UNREADABLE):
            for piece in [Evidence._make(values) for values in _list(text)]:
                if piece.kind in _CITING:
                    run, _, steps = str(piece.value).partition(":")
                    numbers = (int(part) for part in steps.split(",") if part.strip().isdecimal())
                    cited.setdefault(run, set()).update(numbers)
    return cited


def cut_steps(steps: str, numbers: Collection[int]) -> str:
    """The stored steps of a run without all but those of these numbers."""
    kept = _kept_steps(steps)
    wanted = {str(number): kept[number] for number in sorted(kept) if number in numbers}
    return json.dumps(wanted, separators=(",", ":"))


def _kept_steps(text: str) -> dict[int, Any]:
    """The stored steps by number, of a run that was cut or not; empty if they are damaged."""
    try:
        if text.startswith("{"):
            return {int(number): step for number, step in json.loads(text).items()}
        return dict(enumerate(_list(text), 1))
    except _UNREADABLE:
        return {}


def kinds_of(rows: Iterable[Row], shelves: Mapping[int, Scope]) -> dict[str, FailureKind]:
    """Each kind of failure with its last occurrence and its first date.

    The rows are (signature, text, first, last, shelf), latest last.
    """
    kinds: dict[str, FailureKind] = {}
    for kind, text, first, last, shelf in rows:
        begun = min(moment(first), kinds[kind].first) if kind in kinds else moment(first)
        kinds[kind] = FailureKind(kind, text, 0, begun, moment(last), (), shelves[shelf])
    return kinds


def kind_of(row: Row) -> FailureKind:
    """The kind of a row (signature, text, met, first, last)."""
    kind, text, met, first, last = row
    return FailureKind(kind, text, met, moment(first), moment(last))


def days_of(rows: Iterable[Row], kinds: Iterable[str]) -> dict[str, list[tuple[date, int]]]:
    """How often each kind was met on each day, from rows (signature, day, met)."""
    days: dict[str, list[tuple[date, int]]] = {kind: [] for kind in kinds}
    for kind, day, met in rows:
        days[kind].append((day_of(day), met))
    return days


def reflection_of(row: Row, scope: Scope) -> Reflection:
    """The reflection of a row (REFLECTION, …)."""
    subject, insight, created, title, state, importance, expires, detail, job, *_ = row
    facts = (title, state, importance, moment(expires) if expires else None, detail, job)
    return Reflection(scope, subject, insight, moment(created), *facts)


def dream_values(dream: Dream) -> tuple[object, ...]:
    """The columns of a dream, in the order of `DREAM`."""
    return (
        *(dream.id, dream.started_at.timestamp(), dream.duration_seconds),
        *(dream.memories_consolidated, dream.kg_nodes_added, dream.reflection),
        *(len(dream.improvements), json.dumps(dream.improvements, ensure_ascii=False)),
        *(int(dream.prefetch_done), dream.report, dream.state),
    )


def dream_of(row: Row, scope: Scope) -> Dream:
    """The dream of a row (DREAM)."""
    number, started, *counts, reflection, _, improvements, prefetched, report, state = row
    facts = (reflection, read_list(improvements), bool(prefetched), report, state)
    return Dream._make((number, scope.everywhere(), moment(started), *counts, *facts))


def lesson_record(lesson: Lesson) -> str:
    """An earlier lesson as JSON."""
    return json.dumps({**to_record(lesson), "id": lesson.id})


def recorded_lesson(text: str, scope: Scope) -> Lesson | None:
    """The lesson of a stored record; None when it is damaged."""
    with suppress(ValueError, TypeError, KeyError, AttributeError, RecursionError):
        record = json.loads(text)
        return from_record(record, scope)._replace(id=record["id"])
    return None
