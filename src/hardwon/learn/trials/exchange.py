"""Reflections out of, and into, other forms.

Three formats of the published system are read:

* schema: `<loop-id>/NNN.json`, the reflection-memory schema (file 001 is iteration 0, or 1);
* hook: `loops/<loop-id>/iteration-<n>.yaml` with trial_number, trajectory, outcome, reflection;
* external: `reflections/reflection-<n>.json` with iteration, content, type, effectiveness.
"""

from __future__ import annotations

import json
import os
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from hardwon.errors import InvalidInput, MissingExtra
from hardwon.learn.trials import files, summary
from hardwon.learn.trials.codec import Misfit, from_json, to_json
from hardwon.learn.trials.failures import category, main_error, name_of
from hardwon.learn.trials.records import with_reflection
from hardwon.learn.trials.state import Options, Trial
from hardwon.learn.trials.tools.report import error
from hardwon.learn.trials.values import (
    Action,
    ActorOutput,
    Category,
    CreditAssignment,
    EvaluatorOutput,
    MemoryMetadata,
    PerformanceDelta,
    Record,
    SelfReflection,
)
from hardwon.text.clean import clean, clip

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from hardwon.values.scope import Scope

_LIMIT = 16 << 20
_KINDS: dict[str, Category] = {
    "strategy_change": "inefficient_planning",
    "constraint_discovery": "incorrect_assumption",
}
_SURE = {"helpful": 0.8, "neutral": 0.5, "unhelpful": 0.2}


class Imported(NamedTuple):
    """What an import brought in, and what it could not read."""

    loops: tuple[str, ...]
    reflections: int
    refused: tuple[str, ...]


def import_all(root: str, scope: Scope, path: str, *, now: datetime) -> Imported:
    """Every reflection below `path`; loops that are here already are left as they are."""
    if not os.path.exists(path):
        raise InvalidInput(f"{path!r} does not exist")
    groups: dict[str, list[Record]] = {}
    refused = []
    for file in _files(path):
        try:
            record = read_foreign(file, now=now)
        except (ValueError, OSError, KeyError, RecursionError) as problem:
            refused.append(f"{file}: {clip(str(problem), 200)}")
        else:
            groups.setdefault(record.loop_id, []).append(record)
    taken = [loop for loop, records in sorted(groups.items()) if _take(root, scope, loop, records)]
    return Imported(tuple(taken), sum(len(groups[loop]) for loop in taken), tuple(refused))


def _files(path: str) -> Iterator[str]:
    if os.path.isfile(path):
        yield path
        return
    for folder, folders, names in os.walk(path):
        folders.sort()
        yield from (os.path.join(folder, n) for n in sorted(names, key=_order) if _reader(n))


def _order(name: str) -> tuple[int, str]:
    digits = re.search(r"\d+", name)
    return (int(digits[0][:9]) if digits else 0, name)


def read_foreign(path: str, *, now: datetime) -> Record:
    """The reflection in a file of any of the three formats."""
    reader = _reader(os.path.basename(path))
    if reader is None:
        raise InvalidInput("the name fits none of the known formats")
    content = files.read(path) or b""
    if len(content) > _LIMIT:
        raise InvalidInput("the file is too large")
    record = reader(path, content.decode("utf-8", "replace"), now)
    return record._replace(loop_id=files.safe_id(record.loop_id))


def _reader(name: str) -> Callable[[str, str, datetime], Record] | None:
    for pattern, reader in _READERS:
        if re.fullmatch(pattern, name):
            return reader
    return None


def _from_schema(path: str, text: str, now: datetime) -> Record:
    told = json.loads(text)
    record = from_json(Record, told)
    number = int(os.path.basename(path).split(".")[0])
    if record.iteration == number:  # some count from one, ours counts from zero
        record = record._replace(iteration=number - 1)
    crash = record.actor_output.crash
    return record._replace(signature=record.signature or name_of(record.evaluator_output, crash))


def _from_hook(path: str, text: str, now: datetime) -> Record:
    told = _mapping(_yaml(text))
    number = _whole(told.get("trial_number", told.get("iteration", _order(path)[0])))
    loop_id = str(told.get("loop_id") or os.path.basename(os.path.dirname(path)))
    steps = told.get("trajectory")
    actions = tuple(_action(step) for step in steps) if isinstance(steps, list) else ()
    words = _words(told.get("reflection"))
    change = _words(told.get("strategy_change"))
    passed = told.get("outcome") == "success"
    record = _record(loop_id, number, _moment(told.get("timestamp"), now), words)
    reward = {"success": 1.0, "partial": 0.5}.get(str(told.get("outcome")), 0.0)
    judged = record.evaluator_output._replace(passed=passed, reward_signal=reward)
    reflection = record.self_reflection._replace(actionable_insights=(change,) if change else ())
    return record._replace(
        actor_output=ActorOutput(actions, words),
        evaluator_output=judged,
        self_reflection=reflection,
        outcome="passed" if passed else "failed",
    )


def _from_external(path: str, text: str, now: datetime) -> Record:
    told = _mapping(json.loads(text))
    folder = os.path.basename(os.path.dirname(os.path.dirname(os.path.abspath(path))))
    number = max(0, _whole(told["iteration"]) - 1)  # that code counts from one
    words = _words(told["content"])
    loop_id = re.sub(r"[^A-Za-z0-9._-]+", "-", f"external-{folder.lstrip('.')}")[:128]
    record = _record(loop_id, number, _moment(told.get("timestamp"), now), words)
    credit = record.self_reflection.credit_assignment or CreditAssignment()
    kind = _KINDS.get(str(told.get("type")), credit.failure_category)
    sure = _SURE.get(str(told.get("effectiveness")), 0.5)
    reflection = record.self_reflection._replace(
        credit_assignment=credit._replace(failure_category=kind), confidence=sure
    )
    return record._replace(self_reflection=reflection, notes=f"type: {told.get('type')}")


_READERS: tuple[tuple[str, Callable[[str, str, datetime], Record]], ...] = (
    (r"\d{3,9}\.json", _from_schema),
    (r"iteration-\d{1,9}\.ya?ml", _from_hook),
    (r"reflection-\d{1,9}\.json", _from_external),
)


def _record(loop_id: str, number: int, at: str, words: str) -> Record:
    """A reflection of which only the words are known."""
    if not words:
        raise Misfit("there is no reflection in it")
    failed = error("other", words[:300], tool="import")
    credit = CreditAssignment(root_cause=clip(words, 300), failure_category=category(failed))
    return Record(
        loop_id=loop_id,
        iteration=number,
        timestamp=at,
        actor_output=ActorOutput(),
        evaluator_output=EvaluatorOutput(False, "heuristic"),
        self_reflection=SelfReflection(words, credit, lessons_learned=(clip(words, 300),)),
        memory_metadata=MemoryMetadata(),
        signature=name_of(EvaluatorOutput(False, "heuristic", errors=(failed,))),
    )


def _action(step: Any) -> Action:
    told = step if isinstance(step, dict) else {"description": step}
    words = told.get("description") or told.get("action") or json.dumps(step, default=str)
    return Action("other", clip(clean(str(words)), 300) or "step")


def _yaml(text: str) -> Any:
    try:
        import yaml  # type: ignore[import-untyped, unused-ignore]
    except ImportError as problem:
        raise MissingExtra("sessions") from problem
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as problem:
        raise Misfit(f"not valid YAML: {problem}") from problem


def _mapping(told: Any) -> dict[str, Any]:
    if not isinstance(told, dict):
        raise Misfit("not a mapping")
    return told


def _words(value: Any) -> str:
    text = value if isinstance(value, str) else "" if value is None else json.dumps(value)
    return clip(clean(text).strip(), 8000)


def _whole(value: Any) -> int:
    number = int(str(value))
    if not 0 <= number < 1_000_000:
        raise Misfit(f"{value!r} is no number of a trial")
    return number


def _moment(value: Any, now: datetime) -> str:
    """A time as it is stored; what cannot be read is the time of the import."""
    if isinstance(value, datetime):
        aware = value if value.tzinfo else value.replace(tzinfo=UTC)
        return aware.isoformat()
    try:
        return _moment(datetime.fromisoformat(str(value)), now)
    except ValueError:
        return now.isoformat()


def _take(root: str, scope: Scope, loop_id: str, records: Sequence[Record]) -> bool:
    """Write a loop as if it had been run here; False when there is one of that id."""
    folder = files.Folder(root, loop_id)
    if folder.exists():
        return False
    ordered = sorted(records, key=lambda record: record.iteration)
    journal = files.Journal(folder)
    try:
        _replay(journal, scope, ordered)
    finally:
        journal.close()
    return True


def _replay(journal: files.Journal, scope: Scope, records: Sequence[Record]) -> None:
    task = records[0].task_description or f"(imported) {journal.folder.loop_id}"
    options = Options(task, max_trials=max(5, len(records)))
    first, last = records[0].timestamp, records[-1].timestamp
    journal.add({"event": "created", "at": first, "loop_id": journal.folder.loop_id,
                 "scope": [*scope], "options": to_json(options)})  # fmt: skip
    before: Record | None = None
    for record in records:
        journal.keep(record)
        trial = with_reflection(_trial(record, before), record.self_reflection)
        journal.add({"event": "finished", "at": record.timestamp, "summary": to_json(trial)})
        before = record
    done = records[-1].evaluator_output.passed
    status = "succeeded" if done else "failed"
    journal.add({"event": "ended", "at": last, "status": status, "reason": "imported"})
    assert journal.state is not None
    summary.write(journal.folder, journal.state)


def _trial(record: Record, before: Record | None) -> Trial:
    judged = record.evaluator_output
    worst = main_error(judged.errors)
    gain = judged.reward_signal - (before.evaluator_output.reward_signal if before else 0.0)
    delta = PerformanceDelta(round(gain, 6), 0, gain > 0) if before else None
    return Trial(
        number=record.iteration,
        outcome=record.outcome,
        reason=record.reason or "imported",
        reward=judged.reward_signal,
        errors=len(judged.errors),
        signature=record.signature,
        failure=worst.message if worst else "",
        delta=record.performance_delta or delta,
        at=record.timestamp,
    )


def published(record: Record) -> dict[str, Any]:
    """A reflection as the published schema wants it: its loop id begins with `ralph-`."""
    told: dict[str, Any] = to_json(record)
    slug = re.sub(r"[^a-z0-9-]+", "-", record.loop_id.lower()).strip("-")
    return {**told, "loop_id": slug if slug.startswith("ralph-") else f"ralph-{slug}"}


def exported(records: Sequence[Record], *, published_form: bool) -> list[dict[str, Any]]:
    """The reflections of a loop as JSON."""
    return [published(one) if published_form else to_json(one) for one in records]
