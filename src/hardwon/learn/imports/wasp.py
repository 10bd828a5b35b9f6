"""Reflections under `reflection:{goal_id}` in Redis, in both published sets of fields."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from typing import Any

from hardwon.core.errors import StorageError, Unavailable
from hardwon.core.values.lesson import Evidence, Lesson
from hardwon.core.values.run import Trigger
from hardwon.core.values.scope import Scope
from hardwon.learn.imports.fields import moment, share
from hardwon.storage.stores.redis.server import RedisClient

_PATIENCE = 10.0  # seconds; a person waits
_INDEX = "reflection:recent_goals"


def read(url: str, scope: Scope) -> Iterator[Lesson]:
    """The reflections on all goals, as lessons."""
    try:
        # Lists and sets beside the reflections are indexes, so only texts are read.
        with closing(RedisClient(url, timeout=_PATIENCE)) as server:
            values = server.texts("reflection:*")
    except (Unavailable, ValueError) as error:
        raise StorageError(url.split("@")[-1], str(error), "check that Redis answers") from error
    for key, value in sorted(values.items()):
        if key != _INDEX:
            yield from parse(value, key.removeprefix("reflection:"), scope)


def parse(text: str, goal: str, scope: Scope) -> Iterator[Lesson]:
    """The reflections of one key; anything else is skipped."""
    try:
        entries = json.loads(text)
    except ValueError:
        return
    for entry in entries if isinstance(entries, list) else [entries]:
        if isinstance(entry, dict) and (insight := entry.get("insight") or entry.get("reflection")):
            yield _lesson(entry, str(insight), goal, scope)


def _lesson(entry: dict[str, Any], insight: str, goal: str, scope: Scope) -> Lesson:
    state = str(entry.get("goal_state") or entry.get("outcome") or "")
    title = entry.get("goal_title") or entry.get("objective") or f"goal {goal}"
    return Lesson(
        scope,
        situation=f"When the goal is like “{title}”",
        correction=insight,
        mistake=f"the goal ended as {state}" if state else "",
        trigger=Trigger.GOAL,
        origin=f"import:wasp:{goal}",
        evidence=(Evidence("goal", f"{goal}"),),
        importance=share(entry.get("importance"), f"importance of goal {goal!r}", default=0.5),
        created_at=moment(entry.get("created_at") or entry.get("timestamp")),
    )
