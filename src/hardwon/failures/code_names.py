"""The names in code: a script that a run wrote, or a query that a tool gets."""

from __future__ import annotations

from hardwon._cold import re

_NAMES = 150  # of one text
_STRING = r"[rbfuRBFU]{0,2}(?:\"[^\"\\\n]*+(?:\\.[^\"\\\n]*+)*\"|'[^'\\\n]*+(?:\\.[^'\\\n]*+)*')"
_CODE = (
    r"#[^\n]*+|//[^\n]*+|\"\"\"(?s:.*?)\"\"\"|'''(?s:.*?)'''"
    rf"|(?P<string>{_STRING})|(?P<name>[A-Za-z_][\w.]{{1,40}})"
)
_QUERY = r"(?i:\bselect\b)|[{}]|\w\(|\w ?[=<>]=? ?[\w'\"]"
_QUOTED_NAME = r"[A-Za-z_][\w.-]{1,40}"


def is_query(text: str) -> bool:
    """Whether a text is written in some language of queries or code, and is no prose."""
    return bool(re.search(_QUERY, text))


def names_in(code: str) -> list[str]:
    """The names in code, each once; quoted ones keep a quote; comments and prose are skipped."""
    names: dict[str, None] = {}
    for match in re.finditer(_CODE, code):
        name = match["name"] or _quoted(match["string"] or "")
        if name:
            names[name.rstrip(".")] = None
        if len(names) >= _NAMES:
            break
    return list(names)


def _quoted(text: str) -> str:
    bare = text.lstrip("rbfuRBFU")[1:-1]
    return f"'{bare}" if re.fullmatch(_QUOTED_NAME, bare) else ""
