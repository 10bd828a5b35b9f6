"""Parse a model's answer: four blocks in tags, or the same as JSON.

Strict about required blocks, tolerant of form: letter case, attributes, code fences, thinking
before the blocks, markup inside them. `<skip>` wins over everything.
"""

import json
import re
from itertools import islice
from typing import Any, NamedTuple

from hardwon.core.errors import BadReply
from hardwon.core.values.lesson import clean_tags

REQUIRED = ("situation", "correction")
_NAMES = ("situation", "mistake", "correction", "tags", "skip", "confidence")
_READ = 64 * 1024
_BLOCKS = 50  # no real answer has more
_THINKING = r"(?is)<(think|thinking|reasoning|scratchpad)\b[^>]{0,80}>.*?(?:</\1\s*>|\Z)"

SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["skip", "situation", "mistake", "correction", "tags"],
    "properties": {
        "skip": {"type": "boolean", "description": "true when there is nothing to learn"},
        "situation": {"type": "string", "description": "when this lesson applies"},
        "mistake": {"type": "string", "description": "what went wrong this time"},
        "correction": {"type": "string", "description": "what to do differently next time"},
        "tags": {"type": "array", "items": {"type": "string"}},
    },
}


class Blocks(NamedTuple):
    """The blocks of a model's answer about an episode."""

    situation: str
    mistake: str
    correction: str
    tags: tuple[str, ...]
    confidence: float = 0.6


def parse(reply: str) -> Blocks | None:
    """The blocks of a reply; None when the model found nothing to learn; else BadReply."""
    text = reply[:_READ]
    parts = _from_json(text) or blocks(re.sub(_THINKING, "", text), _NAMES)
    if "skip" in parts:
        return None
    if not parts:
        raise BadReply("any of the expected blocks", reply)
    for needed in REQUIRED:
        if not parts.get(needed, "").strip():
            raise BadReply(f"a <{needed}> block", reply)
    tags = clean_tags(tuple(re.split(r"[,\n;]", parts.get("tags", ""))))
    return Blocks(
        parts["situation"], parts.get("mistake", ""), parts["correction"], tags, _confidence(parts)
    )


def blocks(text: str, names: tuple[str, ...]) -> dict[str, str]:
    """The named blocks of a text; the last one of a name counts."""
    bodies: dict[str, str] = {}
    every = re.finditer(rf"(?i)<({'|'.join(names)})\b[^<>]{{0,200}}>", text)
    for opened in islice(every, _BLOCKS):
        name = opened[1].lower()
        body = text[opened.end() : _end(text, opened.end(), name, names)]
        bodies[name] = _without_fences(body)
    return bodies


def _end(text: str, start: int, name: str, names: tuple[str, ...]) -> int:
    """Where a block ends: at its own closing tag, else where the next block begins."""
    for mark in (rf"(?i)</{name}\s*>", rf"(?i)<(?:{'|'.join(names)})\b[^<>]{{0,200}}>"):
        if end := re.compile(mark).search(text, start):
            return end.start()
    return len(text)


def _without_fences(body: str) -> str:
    """The body without code fences around it."""
    body = re.sub(r"^\s*+```\w*+\s*+|(?<!\s)\s*+```\s*$", "", body)
    return body.strip()


def _confidence(parts: dict[str, str]) -> float:
    try:
        return min(1.0, max(0.0, float(parts.get("confidence", 0.6))))
    except ValueError:
        return 0.6


def _from_json(text: str) -> dict[str, str]:
    """The same blocks from a JSON answer, fenced or not; empty if it is not JSON."""
    bare = re.sub(r"^\s*+```(?:json)?\s*+|(?<!\s)\s*+```\s*$", "", text).strip()
    if not bare.startswith("{"):
        return {}
    try:
        answer = json.loads(bare)
    except (ValueError, RecursionError):
        return {}
    if not isinstance(answer, dict):
        return {}
    parts = {name: _text(answer[name]) for name in _NAMES if name in answer}
    if answer.get("skip") in (False, None, "", "false"):
        parts.pop("skip", None)
    return parts


def _text(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(str(item) for item in value)
    return "" if value is None else str(value)
