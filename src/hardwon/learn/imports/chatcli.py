"""`memory_index.json`: the facts of category `lesson` in an array, tombstones apart."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from hardwon.errors import InvalidInput
from hardwon.values.evidence import Evidence
from hardwon.values.lesson import EPOCH, Lesson

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hardwon.values.scope import Scope

_OWN_TAGS = ("reflexion", "trigger:")


def parse(text: str, scope: Scope) -> Iterator[Lesson]:
    """The lessons among the facts; other facts are no lessons and stay where they are."""
    try:
        facts = json.loads(text)
    except ValueError as error:
        raise InvalidInput(f"memory index is not JSON: {error}") from error
    if not isinstance(facts, list):
        raise InvalidInput("memory index is not an array of facts")
    for fact in facts:
        if isinstance(fact, dict) and fact.get("category") == "lesson":
            yield _lesson(fact, scope)


def _lesson(fact: dict[str, Any], scope: Scope) -> Lesson:
    lines = dict(re.findall(r"^(?:- )?([A-Z]+): (.*)$", str(fact.get("content", "")), re.MULTILINE))
    made = _moment(fact.get("created_at"))
    return Lesson(
        scope,
        situation=lines.get("LESSON", str(fact.get("content", ""))),
        mistake=lines.get("MISTAKE", "").replace("(unknown)", ""),
        correction=lines.get("CORRECTION", str(fact.get("content", ""))),
        trigger=lines.get("TRIGGER", "manual"),
        tags=tuple(t for t in fact.get("tags") or () if not str(t).startswith(_OWN_TAGS)),
        origin=f"import:chatcli:{fact.get('id', '')}",
        evidence=(Evidence("fact", f"{fact.get('id', '')}"),),
        confidence=float(fact.get("confidence") or 0.6),
        created_at=made,
    )


def _moment(text: object) -> datetime:
    """RFC 3339 with up to nine digits; Python reads six."""
    try:
        cut = re.sub(r"(\.\d{6})\d+", r"\1", str(text))
        found = datetime.fromisoformat(cut)
    except ValueError:
        return EPOCH
    return found if found.tzinfo else found.replace(tzinfo=UTC)
