"""Import and export of reflections. Two formats of the published system are read:

* schema: `<loop-id>/NNN.json`, the reflection-memory schema (file 001 is iteration 0, or 1);
* external: `reflections/reflection-<n>.json` with iteration, content, type, effectiveness, which
  count from one, unless there is a file with the number 0.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from hashlib import blake2b
from typing import Any, NamedTuple

from hardwon.core.errors import InvalidInput
from hardwon.core.text.clean import clean, clip, file_id
from hardwon.core.values import DecodeError, from_plain, plain, time_of
from hardwon.core.values.scope import Scope
from hardwon.learn.trials import files, values
from hardwon.learn.trials.reflect import category, compare, signature_of, summary
from hardwon.learn.trials.steps import phrase
from hardwon.learn.trials.tools import error

LAYOUT = os.path.join(".aiwg", "ralph", "reflections")  # where the published system looks
Learn = Callable[[values.LoopState, Sequence[values.Record]], int]
Reader = Callable[[str, str, datetime], values.Record]
AUTHOR = "import"
_LIMIT = 16 << 20
_KINDS: dict[str, values.Category] = {
    "strategy_change": "inefficient_planning",
    "constraint_discovery": "incorrect_assumption",
}
_SURE = {"helpful": 0.8, "neutral": 0.5, "unhelpful": 0.2}


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
    groups: dict[str, dict[int, values.Record]] = {}
    refused: list[str] = []
    for file in find_reflections(path):
        try:
            record = read_reflection(file, now=now)
            if record.iteration in groups.get(record.loop_id, ()):
                raise InvalidInput(f"a second reflection on trial {record.iteration + 1}")
            groups.setdefault(record.loop_id, {})[record.iteration] = record
        except (ValueError, OSError, KeyError, RecursionError) as problem:
            refused.append(f"{file}: {clip(str(problem), 200)}")
    loops: list[str] = []
    known_loops: list[str] = []
    reflections = known = lessons = 0
    for number, (loop_id, group) in enumerate(sorted(groups.items())):
        tell(number, len(groups))
        records = [group[at] for at in sorted(group)]
        try:
            state, new = _store(root, scope, loop_id, records)
        except InvalidInput as problem:
            refused.append(str(problem))
            continue
        (loops if new else known_loops).append(loop_id)
        reflections, known = reflections + len(new), known + len(records) - len(new)
        lessons += learn(state, new) if new else 0
    return Imported(tuple(loops), reflections, tuple(refused), tuple(known_loops), known, lessons)


def _store(
    root: str, scope: Scope, loop_id: str, records: Sequence[values.Record]
) -> tuple[values.LoopState, list[values.Record]]:
    """Write a loop as if it had been run here: its state, and the records that were not here."""
    folder = files.LoopFolder(root, loop_id)
    state = folder.state() if folder.exists() else None
    if state and not (state.reason == values.IMPORTED and files.is_visible(state, scope)):
        raise InvalidInput(f"a different loop {loop_id!r} exists here")
    with files.LoopJournal(folder) as journal:
        if state:
            state = journal.load()
        else:
            first = records[0]
            task = first.task_description or f"({values.IMPORTED}) {loop_id}"
            options = values.Options(task, max_trials=max(5, len(records)))
            state = journal.add({"event": "created", "at": first.timestamp, "loop_id": loop_id,
                                 "scope": [*scope], "options": options})  # fmt: skip
        for record in records:
            here = journal.records.get(record.iteration, record).self_reflection
            if here.reflection_text != record.self_reflection.reflection_text:
                where = f"trial {record.iteration + 1} of loop {record.loop_id!r}"
                raise InvalidInput(f"a different reflection on {where} is stored here")
        new = [record for record in records if record.iteration not in journal.records]
        return _replay(journal, new) if new else state, new


def _replay(journal: files.LoopJournal, records: Sequence[values.Record]) -> values.LoopState:
    before = journal.records[max(journal.records)] if journal.records else None
    for record in records:
        journal.keep(record)
        evaluation, words = record.evaluator_output, record.self_reflection
        if before and not record.performance_delta:
            delta = compare(evaluation, before.evaluator_output)
            record = record._replace(performance_delta=delta)
        trial = summary(record._replace(reason=record.reason or values.IMPORTED))._replace(
            change=record.actor_output.strategy
        )
        if not trial.failure:
            trial = trial._replace(failure=clip(words.reflection_text, 200))
        journal.add({"event": "finished", "at": record.timestamp, "summary": trial})
        before = record
    status = "succeeded" if records[-1].evaluator_output.passed else "failed"
    at = records[-1].timestamp
    return journal.add({"event": "ended", "at": at, "status": status, "reason": values.IMPORTED})


def published_id(loop_id: str) -> str:
    """A loop id in the form of the published schema: `ralph-`, then lower case, digits, hyphens."""
    slug = re.sub(r"[^a-z0-9]+", "-", loop_id.lower()).strip("-")
    if slug != loop_id:  # two ids must not become one
        slug = f"{slug}-{blake2b(loop_id.encode(), digest_size=3).hexdigest()}".strip("-")
    return slug if slug.startswith("ralph-") else f"ralph-{slug}"


def export(records: Sequence[values.Record], *, published: bool) -> list[dict[str, Any]]:
    """The reflections of a loop as JSON, with the ids of the published schema if asked for."""
    return [
        plain(
            record._replace(loop_id=published_id(record.loop_id)) if published else record,
            without_none=True,
        )
        for record in records
    ]


def find_reflections(path: str) -> Iterator[str]:
    """The files below a path that may hold a reflection, in the order of their numbers."""
    if os.path.isfile(path):
        yield path
        return
    for folder, folders, names in os.walk(path):
        folders.sort()
        yield from (os.path.join(folder, n) for n in sorted(names, key=_number) if _reader(n))


def _number(path: str) -> tuple[int, str]:
    name = os.path.basename(path)
    digits = re.search(r"\d+", name)
    return (int(digits[0][:9]) if digits else 0, name)


def read_reflection(path: str, *, now: datetime) -> values.Record:
    """The reflection in a file of either format."""
    reader = _reader(os.path.basename(path))
    if reader is None:
        raise InvalidInput("the name fits none of the known formats")
    content = files.read(path) or b""
    if len(content) > _LIMIT:
        raise InvalidInput("the file is too large")
    record = reader(path, content.decode("utf-8", "replace"), now)
    return record._replace(loop_id=file_id(record.loop_id, "loop id"))


def _reader(name: str) -> Reader | None:
    return next((reader for form, reader in _READERS if re.fullmatch(form, name)), None)


def _from_schema(path: str, text: str, now: datetime) -> values.Record:
    record = from_plain(values.Record, json.loads(text))
    words, memory = record.self_reflection, record.memory_metadata
    words = words._replace(author=words.author or AUTHOR)
    if record.iteration == _number(path)[0]:  # this file counts from one
        used = _less_one(record.previous_reflections_used)
        record = record._replace(
            iteration=record.iteration - 1,
            previous_reflections_used=used,
            memory_metadata=memory._replace(
                reflections_in_context=_less_one(memory.reflections_in_context)
            ),
        )
        words = words._replace(related_reflections=_less_one(words.related_reflections))
    found = signature_of(record.evaluator_output, record.actor_output.crash)
    return record._replace(signature=record.signature or found, self_reflection=words)


def _less_one(numbers: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(max(0, number - 1) for number in numbers)


def _trial_number(path: str, value: Any) -> int:
    """The number counted from zero; neighbouring files show how that program counts."""
    number = int(str(value))
    if not 0 <= number < 1_000_000:
        raise DecodeError(f"{value!r} is not the number of a trial")
    names = os.listdir(os.path.dirname(os.path.abspath(path)))
    has_zero = number == 0 or any(_reader(name) and _number(name)[0] == 0 for name in names)
    return number if has_zero else number - 1


def _from_external(path: str, text: str, now: datetime) -> values.Record:
    fields = json.loads(text)
    if not isinstance(fields, dict):
        raise DecodeError("not a mapping")
    number = _trial_number(path, fields["iteration"])
    at = (time_of(fields.get("timestamp")) or now).isoformat()
    folders = os.path.abspath(path).split(os.sep)[:-1]
    above = folders[: folders.index(".aiwg")] if ".aiwg" in folders else folders[:-1]
    name = f"external-{above[-1] if above else 'root'}"  # one folder holds all loops of a project
    loop_id = re.sub(r"[^A-Za-z0-9._-]+", "-", name)[:128]
    content = fields["content"]
    words = clip(clean(content if isinstance(content, str) else phrase(content)).strip(), 8000)
    if not words:
        raise DecodeError("there is no reflection in it")
    failed, cause = error("other", words[:300], tool="import"), clip(words, 300)
    kind = _KINDS.get(str(fields.get("type")), category(failed))
    return values.Record(
        loop_id=loop_id,
        iteration=number,
        timestamp=at,
        actor_output=values.ActorOutput(),
        evaluator_output=values.EvaluatorOutput(False, "heuristic"),
        self_reflection=values.SelfReflection(
            words,
            values.CreditAssignment(root_cause=cause, failure_category=kind),
            lessons_learned=(cause,),
            confidence=_SURE.get(str(fields.get("effectiveness")), 0.5),
            author=AUTHOR,
        ),
        memory_metadata=values.MemoryMetadata(),
        notes=f"type: {fields.get('type')}",
        signature=signature_of(values.EvaluatorOutput(False, "heuristic", errors=(failed,))),
    )


_READERS: tuple[tuple[str, Reader], ...] = (
    (r"\d{3,9}\.json", _from_schema),
    (r"reflection-\d{1,9}\.json", _from_external),
)
