"""Find goals of similar meaning: each reflection keeps the embedding of its objective."""

from __future__ import annotations

import json
from array import array
from base64 import b64decode, b64encode
from typing import TYPE_CHECKING, Any

from hardwon.core.values.reflection import Likeness

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from hardwon.core.values.reflection import Reflection
    from hardwon.core.values.scope import Scope
    from hardwon.engine.runtime import Runtime

_LIKE = 0.5  # minimum cosine of two objectives with the same meaning
_COMPARED = 200  # at most this many reflections, the newest
_SCALE = 127  # each number of a unit vector is stored in one byte


def embedding_of(engine: Runtime, title: str) -> dict[str, Any]:
    """The embedding of an objective, to be stored; empty without an embedder."""
    vector = engine.semantic_search.vector(title) if engine.embeds and title else None
    return {"by": vector[0], "vector": packed(vector[1])} if vector else {}


def near(engine: Runtime, scope: Scope, objective: str, now: datetime) -> list[Likeness]:
    """The reflections on goals of similar meaning; empty without an embedder."""
    if not engine.embeds or not objective:
        return []
    newest = engine.store.reflections.recent(scope, now=now, limit=_COMPARED)
    query = engine.semantic_search.vector(objective) if newest else None
    if query is None:
        return []
    alike = (Likeness(reflection, _cosine(reflection, *query)) for reflection in newest)
    return [candidate for candidate in alike if candidate.relevance >= _LIKE]


def packed(vector: Sequence[float]) -> str:
    """A vector of any length as text: its direction, one byte per number."""
    length = sum(number * number for number in vector) ** 0.5 or 1.0
    return b64encode(array("b", [round(n / length * _SCALE) for n in vector])).decode()


def _cosine(reflection: Reflection, embedder: str, vector: Sequence[float]) -> float:
    """The cosine of a reflection and a query; 0 if another embedder made its vector."""
    embedded = _embedding(reflection)
    if embedded.get("by") != embedder:
        return 0.0
    length = sum(number * number for number in vector) ** 0.5 or 1.0
    stored = array("b", b64decode(str(embedded.get("vector", ""))))
    pairs = zip(stored, vector, strict=False)
    return sum(x * y for x, y in pairs) / (_SCALE * length)


def _embedding(reflection: Reflection) -> dict[str, Any]:
    """The stored embedding; empty if other programs wrote anything else there."""
    try:
        embedded = json.loads(reflection.detail).get("meaning", {})
    except (ValueError, AttributeError):
        return {}
    return embedded if isinstance(embedded, dict) else {}
