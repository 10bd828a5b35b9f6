"""Reflections by the published schema: `NNN.json` below a loop's folder."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from hardwon.errors import InvalidInput
from hardwon.text.clean import one_line
from hardwon.values.episode import Trigger
from hardwon.values.evidence import Evidence
from hardwon.values.lesson import Lesson

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hardwon.values.scope import Scope


def parse(text: str, path: str, scope: Scope) -> Iterator[Lesson]:
    """What a reflection taught: its lessons, else its insights, else its whole text."""
    try:
        record = json.loads(text)
    except ValueError as error:
        raise InvalidInput(f"{path!r} is not JSON: {error}") from error
    if not isinstance(record, dict) or not isinstance(record.get("self_reflection"), dict):
        return
    own = record["self_reflection"]
    corrections = own.get("lessons_learned") or own.get("actionable_insights")
    for correction in corrections or [own.get("reflection_text", "")]:
        if str(correction).strip():
            yield _lesson(record, str(correction), scope)


def _lesson(record: dict[str, Any], correction: str, scope: Scope) -> Lesson:
    own, loop = record["self_reflection"], record.get("loop_id", "")
    blame = own.get("credit_assignment") or {}
    task = record.get("task_description") or f"loop {loop}"
    return Lesson(
        scope,
        situation=one_line(f"When the task is like “{task}”"),
        mistake=one_line(str(blame.get("root_cause") or own.get("reflection_text", ""))),
        correction=correction,
        tags=tuple(tag for tag in (blame.get("failure_category"),) if tag),
        trigger=Trigger.VERIFICATION,
        origin=f"import:aiwg:{loop}",
        evidence=(Evidence("reflection", f"{loop}/{record.get('iteration', '')}"),),
        confidence=float(own.get("confidence") or 0.6),
    )
