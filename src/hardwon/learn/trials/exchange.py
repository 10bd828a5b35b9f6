"""Import and export of reflections in other formats."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple

from hardwon.errors import InvalidInput
from hardwon.learn.trials import files, foreign, summary
from hardwon.learn.trials.codec import to_json
from hardwon.learn.trials.credit import describe, main_error
from hardwon.learn.trials.records import with_reflection
from hardwon.learn.trials.state import IMPORTED, LoopState, Options, Trial
from hardwon.learn.trials.values import PerformanceDelta, Record
from hardwon.text.clean import clip

if TYPE_CHECKING:
    from datetime import datetime

    from hardwon.values.scope import Scope

LAYOUT = os.path.join(".aiwg", "ralph", "reflections")  # where the published system looks
Learn = Callable[[LoopState, Sequence[Record]], int]


class Imported(NamedTuple):
    """What an import added, what was already there, and what was unreadable."""

    loops: tuple[str, ...]
    reflections: int
    refused: tuple[str, ...]
    known_loops: tuple[str, ...] = ()  # loops without new reflections
    known: int = 0  # reflections that were already there
    lessons: int = 0


def import_all(
    root: str,
    scope: Scope,
    path: str,
    *,
    now: datetime,
    learn: Learn,
    tell: Callable[[int, int], None] = lambda imported, of: None,
) -> Imported:
    """Import new reflections below `path`; `learn` gets each loop that has grown."""
    if not os.path.exists(path):
        raise InvalidInput(f"{path!r} does not exist")
    groups, refused = _read(path, now)
    imported = Imported((), 0, tuple(refused))
    for number, (loop_id, records) in enumerate(sorted(groups.items())):
        tell(number, len(groups))
        try:
            imported = _added(imported, _take(root, scope, loop_id, records), learn)
        except InvalidInput as problem:
            imported = imported._replace(refused=(*imported.refused, str(problem)))
    return imported


def _read(path: str, now: datetime) -> tuple[dict[str, list[Record]], list[str]]:
    """The reflections below a path by their loops, and what could not be read."""
    groups: dict[str, list[Record]] = {}
    refused = []
    for file in foreign.find(path):
        try:
            record = foreign.read(file, now=now)
            group = groups.setdefault(record.loop_id, [])
            if any(other.iteration == record.iteration for other in group):
                raise InvalidInput(f"a second reflection on trial {record.iteration + 1}")
            group.append(record)
        except (ValueError, OSError, KeyError, RecursionError) as problem:
            refused.append(f"{file}: {clip(str(problem), 200)}")
    return {loop_id: records for loop_id, records in groups.items() if records}, refused


class _Taken(NamedTuple):
    """A loop after its import: its state, and which reflections are new."""

    state: LoopState
    new: tuple[Record, ...]
    known: int


def _added(imported: Imported, loop: _Taken, learn: Learn) -> Imported:
    loop_id = loop.state.loop_id
    if not loop.new:
        known_loops = (*imported.known_loops, loop_id)
        return imported._replace(known_loops=known_loops, known=imported.known + loop.known)
    return imported._replace(
        loops=(*imported.loops, loop_id),
        reflections=imported.reflections + len(loop.new),
        known=imported.known + loop.known,
        lessons=imported.lessons + learn(loop.state, loop.new),
    )


def _take(root: str, scope: Scope, loop_id: str, records: Sequence[Record]) -> _Taken:
    """Write a loop as if it had been run here; for a known loop, only what is new."""
    folder = files.LoopFolder(root, loop_id)
    is_known = folder.exists()
    if is_known and not _is_own(folder.state(), scope):
        raise InvalidInput(f"a different loop {loop_id!r} exists here")
    ordered = sorted(records, key=lambda record: record.iteration)
    journal = files.LoopJournal(folder)
    try:
        if is_known:
            journal.load()
        else:
            _create(journal, scope, ordered)
        new = _unknown(journal.records, ordered)
        _replay(journal, new)
        assert journal.state is not None
        return _Taken(journal.state, tuple(new), len(ordered) - len(new))
    finally:
        journal.close()


def _is_own(state: LoopState, scope: Scope) -> bool:
    return state.reason == IMPORTED and summary.is_visible(state, scope)


def _unknown(stored: dict[int, Record], records: Sequence[Record]) -> list[Record]:
    """The records that are new; a record that differs from the stored one is refused."""
    for record in records:
        earlier = stored.get(record.iteration)
        if (
            earlier
            and earlier.self_reflection.reflection_text != record.self_reflection.reflection_text
        ):
            where = f"trial {record.iteration + 1} of loop {record.loop_id!r}"
            raise InvalidInput(f"a different reflection on {where} is stored here")
    return [record for record in records if record.iteration not in stored]


def _create(journal: files.LoopJournal, scope: Scope, records: Sequence[Record]) -> None:
    first = records[0]
    task = first.task_description or f"({IMPORTED}) {journal.folder.loop_id}"
    options = Options(task, max_trials=max(5, len(records)))
    journal.add({"event": "created", "at": first.timestamp, "loop_id": journal.folder.loop_id,
                 "scope": [*scope], "options": to_json(options)})  # fmt: skip


def _replay(journal: files.LoopJournal, records: Sequence[Record]) -> None:
    if not records:
        return
    before = [stored for number, stored in sorted(journal.records.items())][-1:]
    for record in records:
        journal.keep(record)
        row = _trial(record, before[-1] if before else None)
        trial = with_reflection(row, record.self_reflection)
        journal.add({"event": "finished", "at": record.timestamp, "summary": to_json(trial)})
        before = [record]
    last = records[-1]
    status = "succeeded" if last.evaluator_output.passed else "failed"
    journal.add({"event": "ended", "at": last.timestamp, "status": status, "reason": IMPORTED})
    assert journal.state is not None
    summary.write(journal.folder, journal.state)


def _trial(record: Record, before: Record | None) -> Trial:
    evaluation = record.evaluator_output
    worst = main_error(evaluation.errors)
    gain = evaluation.reward_signal - (before.evaluator_output.reward_signal if before else 0.0)
    delta = PerformanceDelta(round(gain, 6), 0, gain > 0) if before else None
    return Trial(
        number=record.iteration,
        outcome=record.outcome,
        reason=record.reason or IMPORTED,
        reward=evaluation.reward_signal,
        errors=len(evaluation.errors),
        signature=record.signature,
        failure=describe(worst) if worst else clip(record.self_reflection.reflection_text, 200),
        delta=record.performance_delta or delta,
        change=record.actor_output.strategy,
        at=record.timestamp,
    )


def published_id(loop_id: str) -> str:
    """A loop id in the form of the published schema: `ralph-`, then lower case, digits, hyphens."""
    slug = re.sub(r"[^a-z0-9]+", "-", loop_id.lower()).strip("-")
    if slug != loop_id:  # two ids must not become one
        slug = f"{slug}-{blake2b(loop_id.encode(), digest_size=3).hexdigest()}".strip("-")
    return slug if slug.startswith("ralph-") else f"ralph-{slug}"


def published(record: Record) -> dict[str, Any]:
    """A reflection in the form of the published schema."""
    return {**to_json(record), "loop_id": published_id(record.loop_id)}


def exported(records: Sequence[Record], *, published_form: bool) -> list[dict[str, Any]]:
    """The reflections of a loop as JSON."""
    return [published(record) if published_form else to_json(record) for record in records]
