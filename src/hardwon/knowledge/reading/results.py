"""The values in the result of a tool, each with its path and its sibling fields."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from hardwon.knowledge.reading.bodies import body_start

if TYPE_CHECKING:
    from collections.abc import Iterator

_DEPTH = 8
_LEAVES = 4_000
_WIDE = 40  # fields of one entry
_NEAR = 2_000  # characters before an object in which its name is looked for
_ELEMENT = r"<([A-Za-z][\w.-]{0,60})>([^<>]{1,200})</[A-Za-z][\w.-]{0,60}>"
_MARK = r"\b([A-Za-z][\w-]{0,40})=\"?([\w.@/#:-]{1,120})"  # as in `[ref=e12]`, `state="open"`
_LINE = (  # of YAML; deeper lines belong to texts and nested lists
    r"(?m)^ {0,2}(- )?([A-Za-z_]\w{0,40}): "
    r"('[^'\n]{1,120}'|\"[^\"\n]{1,120}\"|[^\s'\"|>][^\n]{0,120})$"
)
_FIELD = r"\"([^\"\\]{1,60})\"\s*:\s*(?:\"([^\"\\]{0,200})\"|(-?\d[\d.]*|true|false)|(?=\{))"


class Leaf(NamedTuple):
    """One value of a result, with its path and the plain fields of the same object."""

    path: tuple[str, ...]  # field names; "*" for an id that is used as a name
    value: str
    beside: tuple[tuple[str, str], ...]


@lru_cache(maxsize=64)
def leaves(output: str) -> tuple[Leaf, ...]:
    """The values of a result; of truncated JSON only those with a field name."""
    text = output.strip()
    start = body_start(text)
    if start < 0 or text[start] == "<":
        return tuple(_marked(text))
    text = text[start:]
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return tuple(_named(text)) or tuple(_marked(text))
    values: list[Leaf] = []
    _collect(document, (), values)
    return tuple(values)


def _marked(text: str) -> Iterator[Leaf]:
    """The values of XML elements, of `name=value` in plain text, and of YAML lines."""
    if not text.startswith("<"):
        yield from (Leaf((m[1],), m[2], ()) for m in re.finditer(_MARK, text))
        yield from _lined(text)
        return
    for entry in re.finditer(rf"(?:{_ELEMENT}\s*+){{1,40}}", text):
        beside = tuple((m[1], m[2]) for m in re.finditer(_ELEMENT, entry[0]))
        yield from (Leaf((name,), value, beside) for name, value in beside)


def _lined(text: str) -> Iterator[Leaf]:
    """The values of YAML lines `name: value`; a dash begins a new entry."""
    entries: list[list[tuple[str, str]]] = [[]]
    for row in re.finditer(_LINE, text):
        if row[1]:
            entries.append([])
        entries[-1].append((row[2], row[3].strip("'\"")))
    for entry in entries:
        beside = tuple(entry[:_WIDE])
        yield from (Leaf((name,), value, beside) for name, value in entry)


def _named(text: str) -> Iterator[Leaf]:
    """The named values of JSON whose middle was cut out."""
    for match in re.finditer(_FIELD, text):
        name, value = match[1], match[2] or match[3]
        if value is not None:
            yield Leaf((name,), value, _beside(text, match.start()))
        elif is_id(name):
            yield Leaf(_above(text, match.start()), name, _beside(text, match.end()))


def _beside(text: str, at: int) -> tuple[tuple[str, str], ...]:
    """The plain fields of the object around a position."""
    start, end = text.rfind("{", 0, at), text.find("}", at)
    object_text = text[start + 1 : end if end >= 0 else len(text)] if start >= 0 else ""
    return tuple((m[1], m[2] or m[3]) for m in re.finditer(_FIELD, object_text) if m[2] or m[3])


def _above(text: str, at: int) -> tuple[str, ...]:
    """The name of the object around a position; () if it is not found."""
    depth = 0
    for place in range(at - 1, max(-1, at - _NEAR), -1):
        depth += (text[place] in "}]") - (text[place] in "{[")
        if depth < 0:
            key = re.search(r"\"([^\"]{1,60})\"\s*:\s*$", text[max(0, place - 80) : place])
            return (key[1],) if key else ()
    return ()


def _collect(value: Any, path: tuple[str, ...], collected: list[Leaf]) -> None:
    if len(path) > _DEPTH or len(collected) > _LEAVES:
        return
    if isinstance(value, list):
        for item in value:
            _collect_one(item, path, collected, beside=())
    elif isinstance(value, dict):
        _collect_fields(value, path, collected)


def _collect_fields(value: dict[str, Any], path: tuple[str, ...], collected: list[Leaf]) -> None:
    beside = tuple((k, _plain(v)) for k, v in value.items() if not isinstance(v, dict | list))
    for name, inner in value.items():
        if is_id(name):
            siblings = inner if isinstance(inner, dict) else {}
            fields_ = tuple(
                (k, _plain(v)) for k, v in siblings.items() if not isinstance(v, dict | list)
            )
            collected.append(Leaf(path, name, fields_))
            _collect_one(inner, (*path, "*"), collected, beside=beside)
        else:
            _collect_one(inner, (*path, name), collected, beside=beside)


def _collect_one(
    value: Any, path: tuple[str, ...], collected: list[Leaf], *, beside: tuple[tuple[str, str], ...]
) -> None:
    if isinstance(value, dict | list):
        _collect(value, path, collected)
    elif isinstance(value, str) and value[:1] in ("{", "["):
        collected += leaves(value)  # a result inside a text
    elif value is not None:
        collected.append(Leaf(path, _plain(value), beside))


def _plain(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def is_id(name: str) -> bool:
    """Whether the name of a field is itself a value: an id used as a key."""
    return bool(re.search(r"\d{3,}|[^\w-]|^[A-Z]", name))


def scalars(value: Any, depth: int = _DEPTH) -> list[str]:
    """The texts and numbers in a nested value, as texts."""
    if isinstance(value, dict | list):
        inner = value.values() if isinstance(value, dict) else value
        return [text for part in inner for text in scalars(part, depth - 1)] if depth else []
    return [] if value is None or isinstance(value, bool) else [str(value)]
