"""Features of a call with named arguments: forms, sources and states, but no actual values."""

from __future__ import annotations

from hardwon._cold import json, re
from hardwon._cold.hashing import blake2b
from hardwon.failures.code_names import is_query, names_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from hardwon.values.step import Step

_VALUES = 24  # values of a call that are looked at
_LONG = 60  # characters; what is longer is a text, not a name
_SHAPE = 24
_AROUND = 4000  # characters before and after a value in which its JSON object is looked for
_SIBLINGS = 12
_ITEM = 8  # items of a list that are looked at
_MANY = 6
_OWN = 4  # a value of at least this many characters may name one object
_FIELD = (
    r"\"([\w -]{1,40})\":\s{0,8}"
    r"(\"[A-Za-z][A-Za-z_ ()-]{0,24}\"|true|false|null|0)(?=\s{0,8}[,}\]\n])"
)
_KEY_BEFORE = r"\"([\w -]{1,40})\":\s{0,8}\[?[^\[\]{}]{0,200}$"
_SORTS = {bool: "flag", int: "whole", float: "fraction", str: "text", list: "list"}
_KEYED = r"\s{0,8}:\s{0,8}\{"


def features(tool: str, args: str, before: Sequence[Step]) -> Iterator[str]:
    """The features of a call whose arguments are a JSON object."""
    yield f"runs {tool}"
    if not before:
        yield f"{tool} opens the run"
    if all(step.tool.lower() != tool for step in before):
        yield f"first {tool}"
    try:
        values = json.loads(args)
    except ValueError:  # clipped
        return
    yield f"{tool} with just these arguments, {_digest(args)}"
    yield f"{tool} passes {' '.join(f'{key}: {_sort(values[key])}' for key in sorted(values))}"
    pairs = list(_walk(values))[:_VALUES]
    for key, value in pairs:
        for feature in _of_value(value, before):
            yield f"{tool} {key} {feature}"
    lists = {key: value for key, value in pairs if isinstance(value, list)}
    yield from (f"{tool} {feature}" for feature in _of_lists(lists))


def _digest(args: str) -> str:
    return blake2b(args.encode("utf-8", "replace"), digest_size=6).hexdigest()


def _sort(value: Any) -> str:
    """The type of a value, as fine as tools check it: `10.0` is not whole, `""` is empty."""
    if value == "":
        return "empty"
    return "null" if value is None else _SORTS.get(type(value), "object")


def _walk(values: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Every key with its value. A list is yielded whole, then item by item."""
    for key, value in values.items():
        if isinstance(value, dict):
            yield from _walk(value)
            continue
        yield key, value
        for item in value[:_ITEM] if isinstance(value, list) else ():
            if isinstance(item, dict):
                yield from _walk(item)
            else:
                yield key, item


def _of_lists(lists: dict[str, list[Any]]) -> Iterator[str]:
    names = sorted(lists)
    for place, name in enumerate(names):
        yield f"{name} counts {min(len(lists[name]), _MANY)}"
        if len(lists[name]) != len({str(item) for item in lists[name]}):
            yield f"{name} has an item twice"
        for later_name in names[place + 1 :]:
            is_same = len(lists[name]) == len(lists[later_name])
            yield f"{name} and {later_name} {'agree' if is_same else 'differ'} in length"


def _of_value(value: Any, before: Sequence[Step]) -> Iterator[str]:
    if isinstance(value, bool) or value is None:
        yield f"is {json.dumps(value)}"
    elif isinstance(value, int | float):
        if not any(str(value) in step.output for step in before):
            yield "stands in no result"
    elif isinstance(value, str):
        yield from _of_text(value, before)
        if " " in value and is_query(value):
            yield from (f"code {name}" for name in names_in(value))


def _of_text(value: str, before: Sequence[Step]) -> Iterator[str]:
    if len(value) <= _LONG:
        yield f"is shaped {re.sub(r'[0-9]+', '9', value)[:_SHAPE]}"
        yield f"is like {_form(value)}"
        yield from _of_source(value, before)
    else:
        line = next((line for line in value.split("\n") if line.strip()), "").strip()
        if not any(line in step.output for step in before):
            yield "stands in no result"
    if len(value) >= _OWN:
        yield from _of_object(value, before)


def _form(value: str) -> str:
    folded = re.sub(r"[A-Z]+", "A", re.sub(r"[0-9]+", "9", value))
    return re.sub(r"[a-z]+", "a", folded)[:_SHAPE]


def _of_source(value: str, before: Sequence[Step]) -> Iterator[str]:
    """Which result last held the value, under which key, and the states beside it."""
    quoted = json.dumps(value, ensure_ascii=False)
    for step in reversed(before):
        if step.failed:
            continue
        if step.output.strip() == value:
            yield f"comes from {step.tool.lower()}"
            return
        at = step.output.find(quoted)
        if at >= 0:
            role, described = _described(step.output, at, at + len(quoted))
            yield f"comes from {step.tool.lower()}.{role}"
            yield from (f"has {name} {state}" for name, state in described)
            return
        if role := _lined_role(value, step.output):
            yield f"comes from {step.tool.lower()}.{role}"
            return
    if not any(value in step.output for step in before):
        yield "stands in no result"


def _lined_role(value: str, output: str) -> str:
    """The key of a quoted value at the end of a line, as in YAML; "" if there is none."""
    at = output.find(f": '{value}'\n")
    before = re.search(r"(?:^|[\n ])(\w{1,40})\Z", output[max(0, at - 48) : at]) if at > 0 else None
    return before[1] if before else ""


def _described(text: str, start: int, end: int) -> tuple[str, list[tuple[str, str]]]:
    """The key of a value in a result, and the states of its JSON object."""
    keyed = re.match(_KEYED, text[end : end + 20])
    if keyed:
        first = end + keyed.end()
        return "key", _states(text[first : _closing(text, first)])
    before = text[max(0, start - 240) : start]
    key = re.search(_KEY_BEFORE, before)
    return key[1] if key else "item", _states(text[_opening(text, start) : _closing(text, end)])


def _opening(text: str, at: int) -> int:
    """The start of the JSON object around a position."""
    depth, stop = 0, max(0, at - _AROUND)
    while at > stop:
        at -= 1
        if text[at] == "}":
            depth += 1
        elif text[at] == "{":
            if not depth:
                return at + 1
            depth -= 1
    return at


def _closing(text: str, at: int) -> int:
    """The end of the JSON object around a position."""
    depth, stop = 0, min(len(text), at + _AROUND)
    while at < stop:
        if text[at] == "{":
            depth += 1
        elif text[at] == "}":
            if not depth:
                return at + 1
            depth -= 1
        at += 1
    return at


def _states(text: str) -> list[tuple[str, str]]:
    """The fields of an object that hold a short word or a flag; nested objects are skipped."""
    own_text, depth = list[str](), 0
    for piece in re.split(r"([{}\[\]])", text):
        if piece in ("{", "["):
            depth += 1
        elif piece in ("}", "]"):
            depth -= 1
        elif depth <= 0:
            own_text.append(piece)
    return re.findall(_FIELD, "".join((*own_text, "}")))[:_SIBLINGS]


def _of_object(value: str, before: Sequence[Step]) -> Iterator[str]:
    """Which tools this run has already used on the same object."""
    tools = {step.tool.lower() for step in before if not step.failed and value in step.args}
    yield from (f"after {tool}" for tool in sorted(tools))
    if not tools:
        yield "was in no call"
