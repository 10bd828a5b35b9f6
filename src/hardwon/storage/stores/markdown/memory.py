"""MEMORY.md, which is loaded into every session: short, limited, mostly a person's own.

It has entries under topics, or is an index of memory files. Lines that hardwon wrote end
in a mark, `<!-- hardwon:<key> <date> -->`; no other line is ever changed or moved.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from hardwon.core.text.clean import clip, one_line

LINES, BYTES = 200, 24_000
_MARK = re.compile(r" ?<!-- hardwon:([0-9a-f]{12}) (\d{4}-\d\d-\d\d) -->\s*$")
_INDEXED = re.compile(r"\s*[-*] \[[^\]\n]{1,200}\]\([^)\n]{1,300}\.md\)")
_HEADING = re.compile(r"##? +(\S.*)")


class Entry(NamedTuple):
    """A line that hardwon wrote."""

    key: str
    date: str
    topic: str
    text: str


def is_index(text: str) -> bool:
    """Whether the file lists memory files rather than memories."""
    items = [line for line in text.splitlines() if re.match(r"\s*[-*] \S", line)]
    return bool(items) and sum(bool(_INDEXED.match(line)) for line in items) * 2 >= len(items)


def has(text: str | None, key: str) -> bool:
    """Whether an entry with this key is there."""
    return f"<!-- hardwon:{key} " in (text or "")


def entries(text: str) -> list[Entry]:
    """The lines that hardwon wrote, in order."""
    parsed, topic = [], ""
    for line in text.splitlines():
        heading, mark = _HEADING.match(line), _MARK.search(line)
        topic = heading[1].rstrip() if heading else topic
        if mark:
            parsed.append(Entry(mark[1], mark[2], topic, line[: mark.start()].strip(" -*")))
    return parsed


def with_entry(text: str | None, entry: Entry) -> str:
    """The text with the entry under its topic; a new topic is added at the end."""
    lines = (text or "# Memory\n").splitlines(keepends=True)
    end = "\r\n" if lines[0].endswith("\r\n") else "\n"
    line = f"- {_safe(entry.text)} <!-- hardwon:{entry.key} {entry.date} -->{end}"
    at = _end_of_topic(lines, entry.topic)
    if at is None:
        return _join(lines, len(lines), [end, f"## {_safe(entry.topic)}{end}", end, line], end)
    return _join(lines, at, [line], end)


def with_indexed(text: str, entry: Entry, *, title: str, file: str) -> str:
    """The index with one more memory file."""
    lines = text.splitlines(keepends=True)
    end = "\r\n" if lines[0].endswith("\r\n") else "\n"
    label = re.sub(r"[\[\]]", "", _safe(title))
    line = f"- [{clip(label, 80)}]({file}) — {_safe(entry.text)}"
    line = f"{line} <!-- hardwon:{entry.key} {entry.date} -->{end}"
    last = max(at for at, line in enumerate(lines) if _INDEXED.match(line))
    return _join(lines, last + 1, [line], end)


def without(text: str, key: str) -> str:
    """The text without the entry of this key."""
    lines = [line for line in text.splitlines(keepends=True) if not has(line, key)]
    return "".join(lines)


def fits(text: str) -> bool:
    """Whether agents load all of the text."""
    return text.count("\n") + (not text.endswith("\n")) <= LINES and len(text.encode()) <= BYTES


def oldest(text: str, *, but: str) -> Entry | None:
    """The entry to remove first when there is no room; never the one with key `but`."""
    movable = [entry for entry in entries(text) if entry.key != but]
    return min(movable, key=lambda entry: entry.date, default=None)


def _end_of_topic(lines: list[str], topic: str) -> int | None:
    """Where to add an entry of a topic: after its last line that is not blank."""
    last = None
    for at, line in enumerate(lines):
        if last is not None and line.startswith(("# ", "## ")):
            break
        heading = re.match(r"## +(\S.*)", line)
        is_start = heading is not None and heading[1].strip().lower() == topic.lower()
        if is_start or (last is not None and line.strip()):
            last = at
    return None if last is None else last + 1


def _join(lines: list[str], at: int, new: list[str], end: str) -> str:
    before = lines[:at]
    if not before[-1].endswith("\n"):
        before[-1] += end
    return "".join((*before, *new, *lines[at:]))


def _safe(text: str) -> str:
    """One line that cannot end a comment or open a heading."""
    return one_line(text).replace("-->", "→").replace("<!--", "‹!--").lstrip("#- ")
