"""Read an agent's JSON: fields always have the expected type and size."""

from __future__ import annotations

import json
import os
from typing import Any

from hardwon.core.errors import InvalidInput
from hardwon.core.text.clean import clip_middle
from hardwon.core.text.json_clip import clip_json

PROMPT_LIMIT = 16 * 1024
OUTPUT_LIMIT = 16 * 1024
_STREAMS = ("stdout", "stderr", "output", "llmContent", "textResultForLlm", "text", "content")


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
