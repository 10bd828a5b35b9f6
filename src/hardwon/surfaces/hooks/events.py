"""The events of coding agents in common terms, how their JSON is read, and the answers."""

from __future__ import annotations

import json
import os
from typing import Any, NamedTuple

from hardwon.core.errors import InvalidInput
from hardwon.core.text.clean import clip_middle
from hardwon.core.text.json_clip import clip_json

PROMPT_LIMIT = 16 * 1024
OUTPUT_LIMIT = 16 * 1024
_STREAMS = ("stdout", "stderr", "output", "llmContent", "textResultForLlm", "text", "content")


class EventKind:
    """The common events that every agent's own are translated into."""

    SESSION_START = "session_start"
    PROMPT = "prompt"
    BEFORE = "before_action"
    WORKED = "action_worked"
    FAILED = "action_failed"
    BATCH = "batch"
    STOP = "stop"
    SESSION_END = "session_end"
    COMPACTION = "compaction"


class Event(NamedTuple):
    """One event. `name` is the agent's own name for it; some answers repeat it."""

    kind: str
    name: str
    session: str = ""
    cwd: str = ""
    text: str = ""  # the prompt, the agent's last words, or why a session starts
    tool: str = ""
    args: Any = None
    output: str = ""
    is_nested: bool = False  # inside a sub-agent
    can_be_asked: bool = False  # the agent is about to end, and can be told to go on
    takes_permission: bool = False  # a hook may say that a call needs no permission of the person


class HookReply(NamedTuple):
    """A reply to the agent; falsy when it is empty."""

    context: str = ""
    denial: str = ""  # the reason why the pending call must not run
    note: str = ""  # a line for the person, where the agent can show one
    request: str = ""  # what the agent should do before it ends
    is_allowed: bool = False  # the pending call needs no permission of the person

    def __bool__(self) -> bool:
        return any(self)


SILENCE = HookReply()


class Input:
    """The event on standard input, of which `first` has been read already."""

    def __init__(self, first: bytes = b"", *, is_whole: bool = False) -> None:
        self._first = first
        self._is_whole = is_whole

    def read(self) -> bytes:
        """The event, with long texts clipped."""
        if not self._is_whole:
            self._first, self._is_whole = clip_json(self._next), True
        return self._first

    def _next(self, size: int) -> bytes:
        if self._first:
            first, self._first = self._first, b""
            return first
        return os.read(0, size)


def parse_event(raw: bytes) -> dict[str, Any]:
    """The event's JSON; raises ValueError, or InvalidInput if it is not an object."""
    payload = json.loads(raw.decode("utf-8"))
    if not isinstance(payload, dict):
        raise InvalidInput(f"the event is a {type(payload).__name__}, not an object")
    return payload


def text(payload: dict[str, Any], *keys: str) -> str:
    """The first of the fields that is a non-empty text, else ""."""
    for key in keys:
        if isinstance(payload.get(key), str) and payload[key]:
            return clip_middle(payload[key], PROMPT_LIMIT)
    return ""


def group(payload: dict[str, Any], key: str) -> dict[str, Any]:
    """The field if it is an object, else an empty object."""
    value = payload.get(key)
    return value if isinstance(value, dict) else {}


def arguments(payload: dict[str, Any], key: str) -> Any:
    """The arguments of a call; some agents send their JSON as text."""
    value = payload.get(key)
    if isinstance(value, str) and value.startswith("{"):
        try:
            return json.loads(value)
        except ValueError:
            return value
    return value


def words(value: Any) -> str:
    """The result of a tool as text, as a person would have seen it."""
    return clip_middle(_words(value), OUTPUT_LIMIT)


def _words(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(filter(None, map(_words, value[:100])))
    if isinstance(value, dict):
        if any(key in value for key in _STREAMS):
            return "\n".join(_words(value[key]) for key in _STREAMS if value.get(key))
        return json.dumps(value, ensure_ascii=False, default=str)
    return "" if value is None else str(value)
