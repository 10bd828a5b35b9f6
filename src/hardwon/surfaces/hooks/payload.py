"""Read fields of an agent's JSON: results always have the expected type and size."""

from __future__ import annotations

from hardwon._cold import json
from hardwon.text.clean import clip_middle

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

PROMPT_LIMIT = 16 * 1024
OUTPUT_LIMIT = 16 * 1024
_STREAMS = ("stdout", "stderr", "output", "llmContent", "textResultForLlm", "text", "content")


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
