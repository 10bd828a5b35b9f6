"""The keys in Redis, and the JSON under the key of a goal.

The default scope uses exactly the published keys. The published form of JSON is written, both forms
are read.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple
from urllib.parse import quote, unquote

from hardwon.core.text.clean import clean
from hardwon.core.values import time_of
from hardwon.core.values.lesson import EPOCH
from hardwon.core.values.reflection import Reflection
from hardwon.core.values.scope import Scope

_RECENT = "recent_goals"
_STATES = {"success": "completed", "failure": "failed"}


class Keys(NamedTuple):
    """The keys of one scope: `reflection:<goal id>` after a unique prefix."""

    prefix: str
    scope: Scope

    @property
    def place(self) -> str:
        """The prefix before `reflection:`; only the configured one for the default scope."""
        if self.scope == Scope():
            return self.prefix
        names = ":".join(quote(part or "", safe="") for part in self.scope)
        return f"{self.prefix}hardwon:{names}:"

    @property
    def recent(self) -> str:
        """The list of recent goals."""
        return f"{self.place}reflection:{_RECENT}"

    @property
    def words(self) -> str:
        """The prefix of a word in the index."""
        return f"{self.place}hardwon-words:"

    def goal(self, subject: str) -> str:
        """The key of one goal; an id that would clash with another key is marked."""
        marked = f"%{subject}" if subject == _RECENT or subject.startswith("%") else subject
        return f"{self.place}reflection:{marked}"


def visible(prefix: str, scope: Scope) -> list[Keys]:
    """The keys of every scope visible from this one."""
    return [Keys(prefix, seen) for seen in scope.visible()]


def goal_patterns(prefix: str, scope: Scope) -> list[str]:
    """Patterns that match the goals of an agent in all projects; lists of recent goals as well."""
    names = ":".join(quote(part, safe="") for part in scope[:2])
    globs = [f"{_escape(prefix)}hardwon:{names}:*:reflection:*"]
    return [*globs, f"{_escape(prefix)}reflection:*"] if scope[:2] == Scope()[:2] else globs


def goal_of(prefix: str, key: str) -> tuple[Keys, str] | None:
    """The place and the id of a goal; None for a key that is no goal's."""
    place, rest = Scope(), key.removeprefix(prefix)
    if rest.startswith("hardwon:"):
        tenant, agent, project, rest = rest.removeprefix("hardwon:").split(":", 3)
        place = Scope(unquote(tenant), unquote(agent), unquote(project) or None)
    kind, _, marked = rest.partition(":")
    if kind != "reflection" or marked == _RECENT:
        return None
    return Keys(prefix, place), marked.removeprefix("%")


def _escape(prefix: str) -> str:
    return "".join(f"\\{sign}" if sign in "*?[]\\" else sign for sign in prefix)


def patterns(prefix: str, tenant: str) -> list[str]:
    """Patterns that match every key of a tenant, and no others."""
    escaped = _escape(prefix)
    globs = [f"{escaped}hardwon:{quote(tenant, safe='')}:*"]
    if tenant == Scope().tenant:
        globs += [f"{escaped}reflection:*", f"{escaped}hardwon-words:*"]
    return globs


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
        created_at=time_of(fields.get("created_at") or fields.get("timestamp")) or EPOCH,
        title=clean(str(fields.get("objective") or "")),
        state=_STATES.get(state, state),
        importance=_share(fields.get("importance")),
        expires_at=time_of(fields.get("expires_at")),
        detail=str(fields.get("detail") or "{}"),
        job=str(fields.get("job") or ""),
    )


def _share(value: object) -> float:
    try:
        return min(1.0, max(0.0, float(str(value))))
    except ValueError:
        return 0.5
