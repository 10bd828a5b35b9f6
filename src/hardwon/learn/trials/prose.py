"""Prose from a program's output: each JSON document is replaced by the texts in it."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from hardwon.text.clean import clean

if TYPE_CHECKING:
    from collections.abc import Iterator

_DEPTH = 6
_DOCUMENTS = 2000
_FENCE = r"(?m)^\s{0,3}```\w{0,20}\s*$\n?"
_START = re.compile(r"(?m)^[ \t]{0,20}(?=[\[{])")
_FIELD = r"\"\w{1,60}\"\s{0,9}:"
_BROKEN = re.compile(rf"\{{\s{{0,40}}{_FIELD}")
_STRING = re.compile(rf"{_FIELD}\s{{0,9}}\"((?:[^\"\\]|\\.){{1,4000}})")
# Fields in which programs put their answer, the likeliest first.
_ANSWERS = ("reflection_text", "result", "response", "answer", "text", "content", "message",
           "rationale", "thought", "output")  # fmt: skip


def prose_of(text: str) -> str:
    """The text with every JSON document replaced by the texts in it."""
    parts: list[str] = []
    at = 0
    text = re.sub(_FENCE, "", clean(text))
    for start in _START.finditer(text):
        if start.end() >= at and len(parts) < _DOCUMENTS:
            words, end = _document(text, start.end())
            if end > start.end():
                parts += [text[at : start.start()], words]
                at = end
    parts.append(text[at:])
    return "\n".join(part for part in (part.strip() for part in parts) if part)


def phrase(value: Any) -> str:
    """A JSON value without brackets and quotes: `path a.py, limit 10`."""
    if isinstance(value, dict):
        return ", ".join(f"{key} {phrase(item)}" for key, item in list(value.items())[:20])
    if isinstance(value, list):
        return ", ".join(map(phrase, value[:20]))
    return "" if value is None else str(value)


def _document(text: str, start: int) -> tuple[str, int]:
    """The text of the JSON at a position, and its end; the position itself if it is not JSON."""
    try:
        value, end = json.JSONDecoder().raw_decode(text, start)
    except (ValueError, RecursionError):
        return _broken(text, start)
    is_prose = isinstance(value, list) and not any(isinstance(item, dict) for item in value)
    return ("", start) if is_prose else ("\n".join(_words(value)), end)


def _broken(text: str, start: int) -> tuple[str, int]:
    """The strings of a JSON document that was cut off."""
    if not _BROKEN.match(text, start):
        return "", start
    strings = (_unescaped(string[1]) for string in _STRING.finditer(text, start))
    return "\n".join(strings), len(text)


def _unescaped(string: str) -> str:
    try:
        return str(json.loads(f'"{string}"', strict=False))
    except ValueError:
        return string


def _words(value: Any, depth: int = 0) -> Iterator[str]:
    """The texts of a value: those of the answer's field if there is one, else all."""
    if isinstance(value, str):
        yield value.strip()
    if depth < _DEPTH and isinstance(value, dict | list):
        for item in _items(value)[:200]:
            yield from _words(item, depth + 1)


def _items(value: dict[str, Any] | list[Any]) -> list[Any]:
    if isinstance(value, list):
        return value
    answers = [value[name] for name in _ANSWERS if isinstance(value.get(name), str | dict | list)]
    return answers[:1] or list(value.values())
