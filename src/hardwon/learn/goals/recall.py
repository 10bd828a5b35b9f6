"""Insights of past goals, recalled when the same or a similar goal comes.

Imports are kept few: an agent waits for the answer.
"""

from __future__ import annotations

import math
from array import array
from base64 import b64decode, b64encode
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from hardwon.core.errors import InvalidInput, Unavailable
from hardwon.core.text.clean import clip, one_line
from hardwon.core.text.frames import inert
from hardwon.core.text.harm import objection
from hardwon.core.text.protocol import is_nothing
from hardwon.core.text.secrets import screen_excerpt
from hardwon.core.values.delivery import NOTHING, Injection
from hardwon.core.values.reflection import Likeness, Reflection
from hardwon.core.values.scope import Scope
from hardwon.engine.runtime import Runtime
from hardwon.knowledge.ranking.reflections import CANDIDATES, key_words

HEAD = "[PAST REFLECTIONS]"
INSIGHT_LIMIT, SHOWN_LIMIT = 500, 300
_NAME_LIMIT = 200
_RELEVANT = 0.25  # minimum share of the query words' weight; below it, nothing is shown
_HALF_LIFE = 3.5 * 86_400  # seconds after which an insight counts half
_TITLE_LIMIT = 120
_LIKE = 0.5  # minimum cosine of two objectives with the same meaning
_COMPARED = 200  # at most this many reflections, the newest
_SCALE = 127  # each number of a unit vector is stored in one byte


def context(
    engine: Runtime, scope: Scope, goal_id: object = None, objective: str = ""
) -> Injection:
    """The block of past reflections; empty while a shared store is away."""
    subject = "" if goal_id is None else goal_name(goal_id)
    now = engine.clock()
    try:
        same_goal, similar = _candidates(engine, scope, subject, objective)
    except Unavailable:  # the store has logged it; the turn goes on
        return NOTHING
    best: dict[str, Reflection] = {}  # without insights that repeat an earlier one
    for reflection in (*rank(same_goal, now), *rank(similar, now)):
        best.setdefault(reflection.insight.casefold(), reflection)
    fit = list(best.values())
    if engine.store.reflections.is_shared:  # our own were checked before they were stored
        fit = [one for one in fit if not (is_nothing(one.insight) or doubt_about(one))]
    chosen = fit[: engine.settings.goals.shown]
    return Injection(render(chosen)) if chosen else NOTHING


def _candidates(
    engine: Runtime, scope: Scope, subject: str, objective: str
) -> tuple[list[Likeness], list[Likeness]]:
    """Reflections on this goal, and on similar goals; the recent ones without a query."""
    store, now = engine.store.reflections, engine.clock()
    earlier = store.about(scope, subject) if subject else []
    same_goal = [Likeness(reflection, 1.0) for reflection in earlier if reflection.is_alive(now)]
    query = objective or (same_goal[-1].reflection.title if same_goal else "")
    words = key_words(query)
    if not words and subject:
        return same_goal, []
    if not words:
        settings = engine.settings.goals
        recent = store.recent(scope, now=now, limit=settings.recent * settings.per_goal)
        last_goals = list(dict.fromkeys(one.subject for one in recent))[: settings.recent]
        return same_goal, [Likeness(one, 1.0) for one in recent if one.subject in last_goals]
    candidates = store.alike(scope, words, now=now, limit=CANDIDATES)
    alike = [candidate for candidate in candidates if candidate.relevance >= _RELEVANT]
    alike += of_similar_meaning(engine, scope, query, now)
    return same_goal, [candidate for candidate in alike if candidate.reflection.subject != subject]


def stored_reflections(
    engine: Runtime, scope: Scope, goal_id: object, *, limit: int
) -> list[Reflection]:
    """The reflections on one goal, or the newest on any; raises when a shared store is away."""
    store, now = engine.store.reflections, engine.clock()
    if goal_id is None:
        return store.recent(scope, now=now, limit=limit)
    about = store.about(scope, goal_name(goal_id))
    return [reflection for reflection in about if reflection.is_alive(now)][-limit:]


def rank(candidates: Iterable[Likeness], now: datetime) -> list[Reflection]:
    """By relevance, importance and age together, the best first."""

    def score(candidate: Likeness) -> float:
        age = max(0.0, (now - candidate.reflection.created_at).total_seconds())
        return candidate.relevance * candidate.reflection.importance * math.exp2(-age / _HALF_LIFE)

    return [candidate.reflection for candidate in sorted(candidates, key=score, reverse=True)]


def render(reflections: Iterable[Reflection]) -> str:
    """The published block; no text in it can pass for the head of a block."""
    lines = [
        f"• [Goal: {inert(clip(one_line(reflection.title or reflection.subject), _TITLE_LIMIT))}]"
        f" {inert(one_line(reflection.insight, INSIGHT_LIMIT))}"
        for reflection in reflections
    ]
    return "\n".join([HEAD, *lines])


def doubt_about(reflection: Reflection) -> str:
    """Why a reflection must not be shown to a model; "" if it may be."""
    return objection(f"{reflection.title}\n{reflection.insight}")


def goal_name(goal_id: object) -> str:
    """A goal's id as it is stored: without secrets, on one line, never empty."""
    text = str(goal_id) if goal_id is not None else ""
    name = one_line(screen_excerpt(text, _NAME_LIMIT * 100), _NAME_LIMIT * 100)
    if not name:
        raise InvalidInput("goal id is empty")
    if len(name) <= _NAME_LIMIT and (name == text or "[REDACTED" not in name):
        return name
    from hashlib import sha256  # two ids that look alike must not become one

    return f"{name[: _NAME_LIMIT - 17]}…{sha256(text.encode(errors='replace')).hexdigest()[:16]}"


def embedding_of(engine: Runtime, title: str) -> dict[str, Any]:
    """The embedding of an objective, to be stored; empty without an embedder."""
    vector = engine.semantic_search.vector(title) if engine.embeds and title else None
    return {"by": vector[0], "vector": pack(vector[1])} if vector else {}


def of_similar_meaning(
    engine: Runtime, scope: Scope, objective: str, now: datetime
) -> list[Likeness]:
    """The reflections on goals of similar meaning; empty without an embedder."""
    if not engine.embeds or not objective:
        return []
    newest = engine.store.reflections.recent(scope, now=now, limit=_COMPARED)
    query = engine.semantic_search.vector(objective) if newest else None
    if query is None:
        return []
    alike = (Likeness(reflection, _cosine(reflection, *query)) for reflection in newest)
    return [candidate for candidate in alike if candidate.relevance >= _LIKE]


def pack(vector: Sequence[float]) -> str:
    """A vector of any length as text: its direction, one byte per number."""
    length = sum(number * number for number in vector) ** 0.5 or 1.0
    return b64encode(array("b", [round(n / length * _SCALE) for n in vector])).decode()


def _cosine(reflection: Reflection, embedder: str, vector: Sequence[float]) -> float:
    """The cosine of a reflection and a query; 0 without a vector of the same embedder."""
    try:  # other programs may have written anything there
        embedded = reflection.details["meaning"]
        packed = str(embedded["vector"]) if embedded["by"] == embedder else ""
    except (TypeError, LookupError):
        return 0.0
    length = sum(number * number for number in vector) ** 0.5 or 1.0
    stored = array("b", b64decode(packed))
    pairs = zip(stored, vector, strict=False)
    return sum(x * y for x, y in pairs) / (_SCALE * length)
