"""Edit JSON that people maintain: comments, order and layout stay."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from hardwon.core.errors import InvalidInput

_BLANK = re.compile(r"(?:\s++|//[^\n]*+|/\*(?:[^*]|\*(?!/))*\*/)*")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_PLAIN = re.compile(r"true|false|null|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
_DEPTH = 200


class Node(NamedTuple):
    """A value and its position in the text; `parts` are the values inside it."""

    start: int
    end: int
    value: Any
    parts: tuple[Node, ...] = ()
    key: str | None = None  # of a member of an object
    head: int = 0  # where a part starts: at its key, if it has one


def loads(text: str) -> Any:
    """The value that the text stands for."""
    return parse(text).value


def parse(text: str) -> Node:
    """The tree of a text with comments and trailing commas; raises InvalidInput."""
    node = _value(text, _skip(text, len(text) - len(text.removeprefix("\ufeff"))), 0)
    if _skip(text, node.end) != len(text):
        raise _syntax_error(text, node.end)
    return node


def append(text: str, path: tuple[str, ...], value: Any) -> str:
    """The text with the value appended to the array at `path`; missing containers are created."""
    node = parse(text)
    for depth, key in enumerate(path):
        _ensure(node, dict, path[:depth])
        child = next((part for part in node.parts if part.key == key), None)
        if child is None:
            inner: Any = [value]
            for missing in reversed(path[depth + 1 :]):
                inner = {missing: inner}
            return _insert(text, node, key, inner, depth + 1)
        node = child
    _ensure(node, list, path)
    return _insert(text, node, None, value, len(path) + 1)


def _ensure(node: Node, kind: type, path: tuple[str, ...]) -> None:
    """Raise InvalidInput, with the place, unless the value is of this kind."""
    if not isinstance(node.value, kind):
        wanted = "an array" if kind is list else "an object"
        place = json.dumps(".".join(path)) if path else "the file"
        raise InvalidInput(f"{place} holds {json.dumps(node.value)[:60]}, expected {wanted}")


def put(text: str, key: str, value: Any) -> str:
    """The text with this member at the top level, unless it has one of that name."""
    node = parse(text)
    _ensure(node, dict, ())
    if any(part.key == key for part in node.parts):
        return text
    return _insert(text, node, key, value, 1)


def remove(text: str, path: tuple[str, ...], index: int) -> str:
    """The text without one item of the array at `path`; empty containers are removed, too."""
    nodes = [parse(text)]
    for key in path:
        nodes.append(next(part for part in nodes[-1].parts if part.key == key))
    if len(nodes[-1].parts) > 1:
        return _without(text, nodes[-1], index)
    for parent, key in zip(reversed(nodes[:-1]), reversed(path), strict=True):
        if len(parent.parts) > 1 or parent is nodes[0]:
            return _without(text, parent, [part.key for part in parent.parts].index(key))
    raise AssertionError("the root ends the walk")


def _insert(text: str, node: Node, key: str | None, value: Any, depth: int) -> str:
    indent = re.search(r"\n([ \t]+)\S", text)
    unit = indent[1] if indent else "  "
    lines = json.dumps(value, indent=unit, ensure_ascii=False).replace("\n", "\n" + unit * depth)
    new = f"\n{unit * depth}" + ("" if key is None else f"{json.dumps(key)}: ") + lines
    close = node.end - 1
    end = node.start + len(text[node.start : close].rstrip())
    tail = text[end:close] if "\n" in text[end:close] else "\n" + unit * (depth - 1)
    last = node.parts[-1].end if node.parts else end
    comma = "," if node.parts and text[_skip(text, last)] != "," else ""
    return text[:last] + comma + text[last:end] + new + tail + text[close:]


def _without(text: str, node: Node, index: int) -> str:
    part = node.parts[index]
    start = len(text[: part.head].rstrip())
    if index + 1 < len(node.parts):
        comma = _skip(text, part.end)
        return text[:start] + text[comma + 1 :]
    if index == 0:
        remaining = text[part.end : node.end - 1].strip().removeprefix(",").strip()
        # A comment ends with its line.
        between = "\n" if remaining or start > node.start + 1 else ""
        return text[:start] + remaining + between + text[node.end - 1 :]
    comma = _skip(text, node.parts[index - 1].end)
    return text[:comma] + text[comma + 1 : start] + text[part.end :]


def _skip(text: str, at: int) -> int:
    match = _BLANK.match(text, at)
    return match.end() if match else at


def _value(text: str, at: int, depth: int) -> Node:
    if depth > _DEPTH:
        raise InvalidInput("the file is nested too deep")
    if text[at : at + 1] in ("{", "["):
        return _container(text, at, depth)
    match = _STRING.match(text, at) or _PLAIN.match(text, at)
    if not match:
        raise _syntax_error(text, at)
    return Node(at, match.end(), _literal(text, match))


def _literal(text: str, match: re.Match[str]) -> Any:
    try:
        return json.loads(match[0])
    except ValueError as error:  # a string with an escape that JSON does not have
        raise _syntax_error(text, match.start()) from error


def _container(text: str, at: int, depth: int) -> Node:
    is_object = text[at] == "{"
    parts: list[Node] = []
    position = _skip(text, at + 1)
    while text[position : position + 1] != ("}" if is_object else "]"):
        head, key = position, None
        if is_object:
            name = _STRING.match(text, position)
            position = _skip(text, name.end()) if name else position
            if name is None or text[position : position + 1] != ":":
                raise _syntax_error(text, position)
            key, position = _literal(text, name), _skip(text, position + 1)
        parts.append(_value(text, position, depth + 1)._replace(key=key, head=head))
        position = _skip(text, parts[-1].end)
        if text[position : position + 1] == ",":
            position = _skip(text, position + 1)
        elif text[position : position + 1] not in ("}", "]"):
            raise _syntax_error(text, position)
    value: Any = [part.value for part in parts]
    if is_object:
        value = {part.key: part.value for part in parts}
    return Node(at, position + 1, value, tuple(parts))


def _syntax_error(text: str, at: int) -> InvalidInput:
    line = text.count("\n", 0, at) + 1
    if not text[at:].strip():
        return InvalidInput(f"not JSON: it ends too early, in line {line}")
    return InvalidInput(f"not JSON: unexpected {text[at : at + 10]!r} in line {line}")
