"""Printing: safe for terminals, exact for programs."""

from __future__ import annotations

import json
import os
import shutil
import sys
import textwrap
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import click

from hardwon.core.text.clean import clip, printable
from hardwon.core.values import plain

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

_LEAST = 24  # columns of the terminal that the last two cells of a row share at least
INTERRUPTED = 130  # the exit code after Ctrl-C, as shells have it


def say(text: str = "", **style: Any) -> None:
    """Print a line: stored bytes cannot control the terminal; colours only on a terminal."""
    is_plain = not style or bool(os.environ.get("NO_COLOR"))
    click.echo(printable(text) if is_plain else click.style(printable(text), **style))


def say_folded(text: str, **style: Any) -> None:
    """Print lines, wrapped to the terminal's width; unwrapped if a program reads them."""
    if not sys.stdout.isatty():
        say(text, **style)
        return
    for line in printable(text).splitlines():
        indent = " " * (len(line) - len(line.lstrip()) + 4)
        say("\n".join(_wrapped(line, width(), indent=indent)), **style)


def _wrapped(text: str, room: int, *, indent: str = "") -> list[str]:
    """The text in lines of this width; a hyphen is part of its word, so options stay whole."""
    return textwrap.wrap(text, room, subsequent_indent=indent, tabsize=4, break_on_hyphens=False)


def complain(problem: str) -> None:
    """Print one line on standard error."""
    click.echo(f"hardwon: {printable(problem).replace(chr(10), ' ')}", err=True)


def dump(value: Any) -> None:
    """Print a value as one JSON document."""
    click.echo(json.dumps(plain(value), ensure_ascii=True, indent=2))


def table(rows: Sequence[tuple[str, ...]], *, indent: str = "  ") -> None:
    """Print rows in aligned columns; on a terminal the widest is wrapped, or else whole rows."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    if rows and sys.stdout.isatty():
        widths = _narrowed(widths, width() - len(indent))
    for row in rows:
        for line in _row(row, widths):
            say_folded((indent + line).rstrip())


def _row(cells: Sequence[str], widths: Sequence[int]) -> list[str]:
    """The lines of a row, its cells wrapped to the widths; one line if a word is too long."""
    rooms = list(zip(cells, widths, strict=True))
    if any(len(word) > room for cell, room in rooms for word in cell.split()):
        return ["  ".join(cell.ljust(room) for cell, room in rooms)]
    columns = (_wrapped(cell, max(1, room)) for cell, room in rooms)
    lines = zip_longest(*columns, fillvalue="")
    return ["  ".join(map(str.ljust, parts, widths)) for parts in lines]


def _narrowed(widths: list[int], room: int) -> list[int]:
    """The widths, with the widest column narrow enough for all to fit; none if that cannot be."""
    excess = max(0, sum(widths) + 2 * (len(widths) - 1) - room)
    widest = max(widths)
    if excess >= widest:
        return [0] * len(widths)
    at = widths.index(widest)
    return [*widths[:at], widest - excess, *widths[at + 1 :]]


def fit_rows(rows: Sequence[tuple[str, ...]], *, room: int) -> list[str]:
    """Rows as aligned lines; on a terminal the last two columns share the free width."""
    if not rows:
        return []
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    if sys.stdout.isatty():
        for at in range(len(widths) - 3, 0, -1):  # what a narrow terminal has no room for
            widths[at] *= _free(widths, room) >= _LEAST
        free = max(_LEAST, _free(widths, room))
        widths[-2] = min(widths[-2], max(free * 2 // 5, free - widths[-1]))
        widths[-1] = min(widths[-1], free - widths[-2])
    return ["  ".join(_cut(row, widths)).rstrip() for row in rows]


def _free(widths: Sequence[int], room: int) -> int:
    """The columns of the terminal that are left for the last two cells of a row."""
    return room - sum(width + 2 for width in widths[:-2] if width) - 2


def _cut(row: tuple[str, ...], widths: Sequence[int]) -> list[str]:
    """The cells of a row, cut to their column widths; empty columns are left out."""
    cells = zip(row, widths, strict=True)
    return [clip(cell, room).ljust(room) for cell, room in cells if room]


def width() -> int:
    """The width of a line on the terminal."""
    return max(40, shutil.get_terminal_size((120, 24)).columns)


def age(moment: datetime, now: datetime) -> str:
    """How long ago, in the largest unit that fits."""
    seconds = max(0, int((now - moment).total_seconds()))
    for unit, size in (("d", 86400), ("h", 3600), ("m", 60)):
        if seconds >= size:
            return f"{seconds // size}{unit}"
    return f"{seconds}s"
