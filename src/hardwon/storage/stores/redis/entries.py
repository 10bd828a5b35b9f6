"""The JSON of a goal's key: writes the published form, reads both forms."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from hardwon.core.text.clean import clean
from hardwon.core.values.lesson import EPOCH
from hardwon.core.values.reflection import Reflection

if TYPE_CHECKING:
    from hardwon.core.values.scope import Scope

_STATES = {"success": "completed", "failure": "failed"}


class Unreadable(ValueError):
    """The value under a goal's key is not a list of reflections."""


def decode(value: bytes | None) -> list[dict[str, Any]]:
    """Decode the entries; empty if the key is missing."""
    if not value:
        return []
    try:
        entries = json.loads(value)
    except (ValueError, RecursionError) as error:
        raise Unreadable("not JSON") from error
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise Unreadable("not a JSON list of reflections")
    return entries


def encode(entries: list[dict[str, Any]]) -> bytes:
    """The value that holds the entries."""
    return json.dumps(entries, ensure_ascii=False, separators=(",", ":")).encode()


def entry(reflection: Reflection) -> dict[str, Any]:
    """A reflection as an entry: the published fields, then hardwon's."""
    expires = reflection.expires_at
    return {
        "goal_id": reflection.subject,
        "insight": reflection.insight,
        "importance": reflection.importance,
        "goal_state": reflection.state,
        "created_at": reflection.created_at.isoformat(),
        "objective": reflection.title,
        "expires_at": expires and expires.isoformat(),
        "detail": reflection.detail,
        "job": reflection.job,
    }


def reflection(fields: dict[str, Any], scope: Scope, subject: str) -> Reflection:
    """The reflection of an entry, whichever program wrote it."""
    state = str(fields.get("goal_state") or fields.get("outcome") or "failed")
    return Reflection(
        scope=scope,
        subject=subject,
        insight=clean(str(fields.get("insight") or fields.get("reflection") or "")),
        created_at=_moment(fields.get("created_at") or fields.get("timestamp")) or EPOCH,
        title=clean(str(fields.get("objective") or "")),
        state=_STATES.get(state, state),
        importance=_share(fields.get("importance")),
        expires_at=_moment(fields.get("expires_at")),
        detail=str(fields.get("detail") or "{}"),
        job=str(fields.get("job") or ""),
    )


def _moment(text: object) -> datetime | None:
    """A time; one without a zone is UTC."""
    try:
        moment = datetime.fromisoformat(str(text))
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _share(value: object) -> float:
    try:
        return min(1.0, max(0.0, float(str(value))))
    except ValueError:
        return 0.5
