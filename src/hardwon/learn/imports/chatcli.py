"""`memory_index.json`: the facts of category `lesson` in an array, tombstones apart."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator
from typing import Any

from hardwon.core.errors import InvalidInput
from hardwon.core.values.lesson import Evidence, Lesson
from hardwon.core.values.scope import Scope
from hardwon.learn.imports.fields import moment, required_text, share, words

log = logging.getLogger("hardwon")
_OWN_TAGS = ("reflexion", "trigger:")


def parse(text: str, scope: Scope) -> Iterator[Lesson]:
    """The lessons among the facts; other facts are ignored, unreadable ones named in the log."""
    try:
        facts = json.loads(text)
    except ValueError as error:
        raise InvalidInput(f"memory index is not JSON: {error}") from error
    if not isinstance(facts, list):
        raise InvalidInput("memory index is not an array of facts")
    for fact in facts:
        if isinstance(fact, dict) and fact.get("category") == "lesson":
            try:
                yield _lesson(fact, scope)
            except InvalidInput as error:
                log.warning("%s; this lesson is left out", error)


def _lesson(fact: dict[str, Any], scope: Scope) -> Lesson:
    name = f"fact {fact.get('id', '')!r}"
    content = required_text(fact.get("content"), f"content of {name}")
    lines = dict(re.findall(r"^(?:- )?([A-Z]+): (.*)$", content, re.MULTILINE))
    created, accessed = moment(fact.get("created_at")), moment(fact.get("last_accessed"))
    tags = words(fact.get("tags"), f"tags of {name}")
    return Lesson(
        scope,
        situation=lines.get("LESSON", content),
        mistake=lines.get("MISTAKE", "").replace("(unknown)", ""),
        correction=lines.get("CORRECTION", content),
        trigger=lines.get("TRIGGER", "manual"),
        tags=tuple(tag for tag in tags if not tag.startswith(_OWN_TAGS)),
        origin=f"import:chatcli:{fact.get('id', '')}",
        evidence=_evidence(fact),
        confidence=share(fact.get("confidence"), f"confidence of {name}", default=0.6),
        created_at=created,
        updated_at=created,
        last_seen_at=max(created, accessed),
    )


def _evidence(fact: dict[str, Any]) -> tuple[Evidence, ...]:
    """The fact and its source project; the lesson is not limited to that project."""
    source = fact.get("source_project")
    place = (Evidence("project", str(source)),) if source else ()
    return (Evidence("fact", f"{fact.get('id', '')}"), *place)
