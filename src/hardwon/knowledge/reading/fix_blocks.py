"""Added lines of code, in groups, and completed so that their brackets are closed."""

from __future__ import annotations

import re
from typing import NamedTuple

LINES = 8  # of one fix, at most
_APART = 3  # lines between two groups of changed lines


class LineBlock(NamedTuple):
    """Adjacent added lines, with their line numbers from 0."""

    places: tuple[int, ...]
    lines: tuple[str, ...]


def added_blocks(old: str, new: str) -> list[LineBlock]:
    """The added lines in groups; blank lines and one unchanged line do not split a group."""
    old_lines = {line.strip() for line in old.splitlines()}
    blocks, current, apart = list[LineBlock](), list[tuple[int, str]](), 0
    for at, line in enumerate(new.splitlines()):
        if line.strip() and line.strip() not in old_lines:
            if current and apart > 1:
                blocks.append(_block(current))
                current = []
            current.append((at, line))
            apart = 0
        else:
            apart += bool(line.strip())
    return [*blocks, _block(current)] if current else blocks


def _block(lines: list[tuple[int, str]]) -> LineBlock:
    places, texts = zip(*lines, strict=True)
    return LineBlock(places, texts)


def until(block: LineBlock, end: int) -> LineBlock:
    """The block without the lines below line `end`."""
    count = sum(place <= end for place in block.places)
    return LineBlock(block.places[:count], block.lines[:count])


def end_of(new: str, place: int) -> int:
    """The last line of the statement at line `place`, including its body."""
    lines = new.splitlines()
    margin = len(lines[place]) - len(lines[place].lstrip())
    end, depth = place, opened(lines[place])
    for at in range(place + 1, len(lines)):
        indent = len(lines[at]) - len(lines[at].lstrip())
        if lines[at].strip() and indent <= margin and depth <= 0:
            break
        end, depth = at, depth + opened(lines[at])
    return end


def closed(lines: list[tuple[int, str]], new: str) -> dict[int, str]:
    """The lines completed to whole statements: brackets closed, the first line of a body added.

    A line that cannot be completed is left out.
    """
    new_lines = new.splitlines()
    chosen: dict[int, str] = {}
    for at, line in lines:
        end, depth = at, opened(line)
        while depth > 0 and end + 1 < len(new_lines) and end - at < LINES:
            end += 1
            depth += opened(new_lines[end])
        if depth != 0:
            continue
        if new_lines[end].rstrip().endswith((":", "{")):
            end = next((k for k in range(end + 1, len(new_lines)) if new_lines[k].strip()), end)
            if opened(new_lines[end]) != 0:
                continue
        chosen |= {k: new_lines[k] for k in range(at, end + 1) if new_lines[k].strip()}
    return chosen


def outside_calls(lines: dict[int, str], new: str) -> dict[int, str]:
    """The lines without those inside a call that is not shown, unless no line remains."""
    depth, inside = 0, set[int]()
    for at, line in enumerate(new.splitlines()):
        if depth > 0 and at - 1 not in lines:
            inside.add(at)
        depth += opened(line)
    outside = {at: line for at, line in lines.items() if at not in inside}
    return outside or lines


def opened(line: str) -> int:
    """How many more brackets a line opens than it closes."""
    plain = re.sub(r"'[^'\n]*'|\"[^\"\n]*\"|#.*", "", line)
    return sum(plain.count(c) for c in "([{") - sum(plain.count(c) for c in ")]}")


def as_code(chosen: dict[int, str]) -> str:
    """The lines as text, each group without its common indentation."""
    groups: list[list[str]] = []
    before = -_APART
    for place in sorted(chosen):
        if place - before >= _APART:
            groups.append([])
        groups[-1].append(chosen[place])
        before = place
    return "\n".join(_dedented(lines) for lines in groups)


def _dedented(lines: list[str]) -> str:
    margin = min(len(line) - len(line.lstrip()) for line in lines)
    return "\n".join(line[margin:].rstrip() for line in lines)
