"""The answer of the reader: changes to a playbook, as JSON."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from hardwon.core.text.clean import LESSON_LIMIT, many_lines, one_line
from hardwon.core.text.protocol import documents, is_nothing, json_object, schema_of
from hardwon.engine.pipeline.playbook import SORTS

_MOST = 40  # changes of one kind; no real answer has more
_WHEN, _STEPS = 400, 1000  # characters

_TEXT, _NUMBER = {"type": "string"}, {"type": "integer"}
_NUMBERS = {"type": "array", "items": _NUMBER}
_WORDS = {"when": _TEXT, "wrong": _TEXT, "do": _TEXT, "steps": _NUMBERS}


def _rows(**properties: Any) -> dict[str, Any]:
    return {"type": "array", "items": schema_of(**properties)}


SCHEMA = schema_of(
    add=_rows(sort={"enum": list(SORTS)}, **_WORDS),
    change=_rows(id=_NUMBER, **_WORDS),
    confirm=_NUMBERS,
    withdraw=_rows(id=_NUMBER, why=_TEXT),
)


class Item(NamedTuple):
    """One item that the answer adds, or the new words of the item `id`."""

    when: str
    do: str
    wrong: str = ""
    steps: tuple[int, ...] = ()
    sort: str = ""
    id: int = 0


class Answer(NamedTuple):
    """The changes that an answer asks for."""

    add: tuple[Item, ...] = ()
    change: tuple[Item, ...] = ()
    confirm: tuple[int, ...] = ()
    withdraw: tuple[tuple[int, str], ...] = ()  # ids and reasons


def parse(reply: str) -> Answer:
    """The changes in a reply, with or without fences and prose around it; else BadReply."""
    plain = json_object(reply, Answer._fields)
    changed = map(_item, _list(plain, "change"))
    withdrawn = list[tuple[int, str]]()
    for row in _list(plain, "withdraw"):
        if number := _number(row):
            withdrawn.append((number, _words(row, "why", 300) if isinstance(row, dict) else ""))
    return Answer(
        add=tuple(item for row in _list(plain, "add") if (item := _new_item(row))),
        change=tuple(
            item for item in changed if item and item.id and (item.when or item.do or item.wrong)
        ),
        confirm=tuple(dict.fromkeys(filter(None, map(_number, _list(plain, "confirm"))))),
        withdraw=tuple(withdrawn),
    )


def parse_items(text: str) -> tuple[Item, ...]:
    """The items in a text: JSON objects, one a line or in a list, whatever else stands there."""
    rows = [row for row in documents(text) if isinstance(row, dict)]
    items = [item for row in rows for item in (_list(row, "add") if "add" in row else [row])]
    return tuple(item for row in items[:_MOST] if (item := _new_item(row)))


def _new_item(row: Any) -> Item | None:
    """The item to add; None if it does not say when it applies and what to do."""
    item = _item(row)
    if item is None or not (item.when and item.do):
        return None
    sort = str(row.get("sort", "")).strip().lower()
    return item._replace(sort=sort if sort in SORTS else "pitfall" if item.wrong else "way")


def _item(row: Any) -> Item | None:
    if not isinstance(row, dict):
        return None
    # It goes on after “When”.
    when = re.sub(r"(?i)^when(?:ever)?\s+", "", _words(row, "when", _WHEN)).rstrip(".:;, ")
    is_sentence = re.match(r"[A-Z][a-z]|A ", when)
    return Item(
        when=when[:1].lower() + when[1:] if is_sentence else when,
        do=many_lines(str(row["do"])).strip() if _words(row, "do", LESSON_LIMIT) else "",
        wrong=_words(row, "wrong", LESSON_LIMIT),
        steps=_steps(row.get("steps")),
        id=_number(row.get("id")),
    )


def _words(row: dict[str, Any], name: str, limit: int) -> str:
    text = one_line(str(row.get(name) or ""), limit)
    return "" if is_nothing(text) else text


def _list(plain: dict[str, Any], name: str) -> list[Any]:
    value = plain.get(name)
    return value[:_MOST] if isinstance(value, list) else []


def _steps(value: Any) -> tuple[int, ...]:
    """The numbers of steps, as a list or in words (`2, 4-6`)."""
    text = " ".join(map(str, value)) if isinstance(value, list) else str(value)
    steps: dict[int, None] = {}
    for first, last in re.findall(r"(\d{1,5})(?:\s?[-–]\s?(\d{1,5}))?", text[:_STEPS]):
        steps |= dict.fromkeys(range(int(first), min(int(last or first), int(first) + _MOST) + 1))
    return tuple(steps)


def _number(value: Any) -> int:
    """A number, also as text (`3`, `#3`, `[3]`); 0 if it is none."""
    if isinstance(value, bool):
        return 0
    if isinstance(value, dict):
        return _number(value.get("id"))
    found = re.fullmatch(r"[#\[(]?\s?(\d{1,9})\s?[\])]?", str(value).strip())
    return int(found[1]) if found else 0
