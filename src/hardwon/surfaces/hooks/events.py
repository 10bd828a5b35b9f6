"""The events of coding agents in common terms, and the answers."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

from hardwon.core.text.json_clip import clip_json


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
