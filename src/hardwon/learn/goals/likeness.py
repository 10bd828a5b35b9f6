"""Goals that are alike in meaning: each reflection keeps the vector of its objective."""

from __future__ import annotations

import json
from array import array
from base64 import b64decode, b64encode
from typing import TYPE_CHECKING, Any

from hardwon.values.reflection import Likeness

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from hardwon.runtime import Runtime
    from hardwon.values.reflection import Reflection
    from hardwon.values.scope import Scope

_LIKE = 0.5  # the least cosine of two objectives that mean the same
_COMPARED = 200  # the newest reflections
_SCALE = 127  # a number of a unit vector is kept in one byte


def meaning_of(engine: Runtime, title: str) -> dict[str, Any]:
    """What is kept of an objective's meaning; nothing when no embedder is on."""
    vector = engine.meaning.vector(title) if engine.embeds and title else None
    return {"by": vector[0], "vector": packed(vector[1])} if vector else {}


def near(engine: Runtime, scope: Scope, objective: str, now: datetime) -> list[Likeness]:
    """The reflections on goals of nearly the same meaning; none when no embedder is on."""
    if not engine.embeds or not objective:
        return []
    newest = engine.store.reflections.recent(scope, now=now, limit=_COMPARED)
    asked = engine.meaning.vector(objective) if newest else None
    if asked is None:
        return []
    alike = (Likeness(reflection, _cosine(reflection, *asked)) for reflection in newest)
    return [candidate for candidate in alike if candidate.relevance >= _LIKE]


def packed(vector: Sequence[float]) -> str:
    """A vector of any length as text, a byte a number of its direction."""
    length = sum(number * number for number in vector) ** 0.5 or 1.0
    return b64encode(array("b", [round(n / length * _SCALE) for n in vector])).decode()


def _cosine(reflection: Reflection, embedder: str, vector: Sequence[float]) -> float:
    """The likeness to what was asked; 0 for a reflection that another embedder has read."""
    embedded = _kept(reflection)
    if embedded.get("by") != embedder:
        return 0.0
    length = sum(number * number for number in vector) ** 0.5 or 1.0
    own = array("b", b64decode(str(embedded.get("vector", ""))))
    pairs = zip(own, vector, strict=False)
    return sum(mine * yours for mine, yours in pairs) / (_SCALE * length)


def _kept(reflection: Reflection) -> dict[str, Any]:
    """Other programs may have written anything there."""
    try:
        embedded = json.loads(reflection.detail).get("meaning", {})
    except (ValueError, AttributeError):
        return {}
    return embedded if isinstance(embedded, dict) else {}
