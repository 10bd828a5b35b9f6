"""Reflections, dreams, failures and earlier lessons as rows, for every database."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from hardwon.core.values.dream import Dream
from hardwon.core.values.lesson_formats import from_record, to_record
from hardwon.core.values.reflection import Reflection
from hardwon.core.values.report import FailureKind, day_of
from hardwon.core.values.run import EndedRun, Shown, read_step
from hardwon.storage.stores.rows import listed, moment

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import date

    from hardwon.core.values.lesson import Lesson
    from hardwon.core.values.scope import Scope

    Row = tuple[Any, ...]

REFLECTION = "subject, title, insight, state, importance, detail, created_at, expires_at, job"
DREAM = (
    "id, started_at, duration_seconds, memories_consolidated, kg_nodes_added, reflection,"
    " improvements_proposed, improvements_json, prefetch_done, report, state"
)

ENDED_RUN = (
    "id, run, task, begun_at, ended_at, outcome, made, failed, told, kinds, steps, shown, shelf"
)


def noted_run(run: EndedRun) -> list[object]:
    """The columns of an ended run without its shelf, in the order of `ENDED_RUN`."""
    return [
        *(run.id, run.run, run.task, run.begun.timestamp(), run.ended.timestamp()),
        *(run.outcome, run.made, run.failed, run.told),
        *(json.dumps(part, separators=(",", ":")) for part in (run.kinds, run.steps, run.shown)),
    ]


def ended_run_of(row: Row, shelves: dict[int, Scope]) -> EndedRun:
    """The run of a row (ENDED_RUN); damaged steps are left out."""
    return EndedRun(
        id=row[0],
        scope=shelves[row[12]],
        run=row[1],
        task=row[2],
        begun=moment(row[3]),
        ended=moment(row[4]),
        outcome=row[5],
        made=row[6],
        failed=row[7],
        told=row[8],
        kinds=listed(row[9]),
        steps=tuple(map(read_step, listed(row[10]))),
        shown=tuple(map(_shown, listed(row[11]))),
    )


def _shown(values: list[Any]) -> Shown:
    delivery, door, kinds, after, lessons = values
    return Shown(delivery, door, tuple(kinds), after, tuple(lessons))


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


def reflection_values(reflection: Reflection) -> tuple[object, ...]:
    """The columns of a reflection, in the order of `REFLECTION`."""
    expires = reflection.expires_at
    return (
        *(reflection.subject, reflection.title, reflection.insight, reflection.state),
        *(reflection.importance, reflection.detail, reflection.created_at.timestamp()),
        *(expires and expires.timestamp(), reflection.job),
    )


def reflection_of(row: Row, scope: Scope) -> Reflection:
    """The reflection of a row (REFLECTION, …)."""
    return Reflection(
        scope=scope,
        subject=row[0],
        title=row[1],
        insight=row[2],
        state=row[3],
        importance=row[4],
        detail=row[5],
        created_at=moment(row[6]),
        expires_at=moment(row[7]) if row[7] else None,
        job=row[8],
    )


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
    return Dream(
        id=row[0],
        scope=scope.everywhere(),
        started_at=moment(row[1]),
        duration_seconds=row[2],
        memories_consolidated=row[3],
        kg_nodes_added=row[4],
        reflection=row[5],
        improvements=listed(row[7]),
        prefetch_done=bool(row[8]),
        report=row[9],
        state=row[10],
    )


def lesson_record(lesson: Lesson) -> str:
    """An earlier lesson as JSON."""
    return json.dumps({**to_record(lesson), "id": lesson.id})


def recorded_lesson(text: str, scope: Scope) -> Lesson | None:
    """The lesson of a stored record; None when it is damaged."""
    try:
        record = json.loads(text)
        return from_record(record, scope)._replace(id=record["id"])
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
