"""Parse the reply of a model: a JSON object, or blocks in tags.

Strict about what is required, tolerant of form: letter case, attributes, code fences, thinking
before the answer, markup inside it. No reply (`None`, an empty text, "n/a") is a BadReply.
"""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from typing import Any, NamedTuple

from hardwon.core.errors import BadReply
from hardwon.core.text.clean import as_text, clean, clip
from hardwon.core.values.lesson import clean_tags

REQUIRED = ("situation", "correction")
_NAMES = ("situation", "mistake", "correction", "tags", "skip", "confidence")
_READ = 256 * 1024  # characters of a reply
_BLOCKS = 50  # no real answer has more
_NOTHING = frozenset(["", "none", "null", "nil", "undefined", "n/a", "na", "-", "…", "...", "{}"])
_THINKING = r"(?is)<(think|thinking|reasoning|scratchpad)\b[^>]{0,80}>.*?(?:</\1\s*>|\Z)"


def schema_of(**properties: Any) -> dict[str, Any]:
    """The JSON schema of an object that has exactly these properties."""
    shape = {"type": "object", "additionalProperties": False}
    return {**shape, "required": list(properties), "properties": properties}


SCHEMA = schema_of(
    skip={"type": "boolean", "description": "true when there is nothing to learn"},
    situation={"type": "string", "description": "when this lesson applies"},
    mistake={"type": "string", "description": "what went wrong this time"},
    correction={"type": "string", "description": "what to do differently next time"},
    tags={"type": "array", "items": {"type": "string"}},
)


class Blocks(NamedTuple):
    """The blocks of a model's answer about an episode."""

    situation: str
    mistake: str
    correction: str
    tags: tuple[str, ...]
    confidence: float = 0.6


def words(reply: str | None) -> str:
    """The answer without the thinking before it; BadReply if it says nothing."""
    text = re.sub(_THINKING, "", (reply or "")[:_READ]).strip()
    if is_nothing(text):
        raise BadReply("an answer", reply or "")
    return text


def is_nothing(text: str) -> bool:
    """Whether a text only says that there is none: "None", "n/a"."""
    return text.strip(" \t\n.\"'`*").lower() in _NOTHING


def json_object(reply: str | None, names: tuple[str, ...] = ()) -> dict[str, Any]:
    """The JSON object in a reply that has one of these names; else BadReply."""
    text = words(reply)
    without_last_commas = re.sub(r",(?=\s{0,99}[}\]])", "", text)
    for version in (text, without_last_commas):
        for found in documents(version, r"\{(?=\s{0,99}[\"}])"):
            if isinstance(found, dict) and (not names or found.keys() & set(names)):
                return found
    raise BadReply(f"a JSON object with {', '.join(names)}" if names else "a JSON object", text)


def text_in(answer: dict[str, Any], name: str, limit: int) -> str:
    """The text that an answer has under a name; "" if there is none, or it says nothing."""
    value = answer.get(name)
    text = clip(clean(value).strip(), limit) if isinstance(value, str) else ""
    return "" if is_nothing(text) else text


def texts_in(answer: dict[str, Any], name: str, limit: int, *, most: int) -> tuple[str, ...]:
    """At most so many texts that an answer lists under a name; a single one counts as a list."""
    value = answer.get(name)
    listed = ({name: item} for item in (value if isinstance(value, list) else [value]))
    return tuple(text for one in listed if (text := text_in(one, name, limit)))[:most]


def documents(text: str, opening: str = r"\{") -> Iterator[Any]:
    """The JSON documents in a text that may hold more; `opening` finds where one may begin."""
    decoder, end = json.JSONDecoder(strict=False), 0  # some models break lines inside a text
    for begin in islice(re.finditer(opening, text), _BLOCKS):
        if begin.start() >= end:
            try:
                value, end = decoder.raw_decode(text, begin.start())
            except (ValueError, RecursionError):
                continue
            yield value


def parse(reply: str | None) -> Blocks | None:
    """The four blocks of a reply; None when the model found nothing to learn; else BadReply."""
    text = words(reply)
    parts = _from_json(text) or blocks(text, _NAMES)
    if "skip" in parts:
        return None
    if not parts:
        raise BadReply("any of the expected blocks", text)
    for needed in REQUIRED:
        if is_nothing(parts.get(needed, "")):
            raise BadReply(f"a <{needed}> block", text)
    mistake, confidence = parts.get("mistake", ""), 0.6
    with suppress(ValueError):
        confidence = min(1.0, max(0.0, float(parts.get("confidence", 0.6))))
    return Blocks(
        parts["situation"],
        "" if is_nothing(mistake) else mistake,
        parts["correction"],
        clean_tags(tuple(re.split(r"[,\n;]", parts.get("tags", "")))),
        confidence,
    )


def blocks(text: str, names: tuple[str, ...]) -> dict[str, str]:
    """The named blocks of a text; the last one of a name counts."""
    bodies: dict[str, str] = {}
    opening = re.compile(rf"(?i)<({'|'.join(names)})\b[^<>]{{0,200}}>")
    for opened in islice(opening.finditer(text), _BLOCKS):
        name, start = opened[1].lower(), opened.end()
        # A block ends at its own closing tag, else where the next block begins.
        closed = re.compile(rf"(?i)</{name}\s*>").search(text, start)
        end = closed or opening.search(text, start)
        body = text[start : end.start() if end else len(text)]
        bodies[name] = re.sub(r"^\s*+```\w*+\s*+|(?<!\s)\s*+```\s*$", "", body).strip()
    return bodies


def _from_json(text: str) -> dict[str, str]:
    """The same blocks from a JSON answer, fenced or not; empty if it is not JSON."""
    bare = re.sub(r"^\s*+```(?:json)?\s*+", "", text)
    answer = next(documents(bare), None) if bare.startswith("{") else None
    if not isinstance(answer, dict):
        return {}
    values = {name: answer[name] for name in _NAMES if name in answer}
    parts = {
        name: ", ".join(map(str, value)) if isinstance(value, list) else as_text(value)
        for name, value in values.items()
    }
    if answer.get("skip") in (False, None, "", "false"):
        parts.pop("skip", None)
    return parts
