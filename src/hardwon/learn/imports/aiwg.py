"""Reflections in the published schema: `NNN.json` in the folder of a loop."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from hardwon.core.errors import InvalidInput
from hardwon.core.text.clean import one_line
from hardwon.core.values.lesson import Evidence, Lesson
from hardwon.core.values.run import Trigger
from hardwon.core.values.scope import Scope


def parse(text: str, path: str, scope: Scope) -> Iterator[Lesson]:
    """The lessons of a reflection: its lessons, else its insights, else its whole text."""
    try:
        record = json.loads(text)
    except ValueError as error:
        raise InvalidInput(f"{path!r} is not JSON: {error}") from error
    if not isinstance(record, dict) or not isinstance(record.get("self_reflection"), dict):
        return
    reflection = record["self_reflection"]
    corrections = reflection.get("lessons_learned") or reflection.get("actionable_insights")
    for correction in corrections or [reflection.get("reflection_text", "")]:
        if str(correction).strip():
            yield _lesson(record, str(correction), scope)


def _lesson(record: dict[str, Any], correction: str, scope: Scope) -> Lesson:
    reflection, loop = record["self_reflection"], record.get("loop_id", "")
    blame = reflection.get("credit_assignment") or {}
    task = record.get("task_description") or f"loop {loop}"
    return Lesson(
        scope,
        situation=one_line(f"When the task is like “{task}”"),
        mistake=one_line(str(blame.get("root_cause") or reflection.get("reflection_text", ""))),
        correction=correction,
        tags=tuple(tag for tag in (blame.get("failure_category"),) if tag),
        trigger=Trigger.VERIFICATION,
        origin=f"import:aiwg:{loop}",
        evidence=(Evidence("reflection", f"{loop}/{record.get('iteration', '')}"),),
        confidence=float(reflection.get("confidence") or 0.6),
    )
