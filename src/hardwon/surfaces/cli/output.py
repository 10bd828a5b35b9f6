"""What commands print: lines, tables, JSON, and the progress of long work."""

from __future__ import annotations

import json
import os
import shutil
import sys
import textwrap
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from itertools import zip_longest
from time import monotonic
from typing import Any, NamedTuple, TextIO

import click

from hardwon.core.text.clean import clip, plural, printable
from hardwon.core.values import plain

_LEAST = 24  # columns of the terminal that the last two cells of a row share at least
AS_JSON = "hardwon.json"  # where a command notes that it was called with --json
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
        say("\n".join(_wrap_text(line, width(), indent=indent)), **style)


def _wrap_text(text: str, room: int, *, indent: str = "") -> list[str]:
    """The text in lines of this width; a hyphen is part of its word, so options stay whole."""
    return textwrap.wrap(text, room, subsequent_indent=indent, tabsize=4, break_on_hyphens=False)


def complain(problem: str) -> None:
    """Print one line on standard error."""
    click.echo(f"hardwon: {printable(problem).replace(chr(10), ' ')}", err=True)


def dump(value: Any) -> None:
    """Print a value as one JSON document."""
    click.echo(json.dumps(plain(value), ensure_ascii=True, indent=2))


def write(path: str, text: str) -> None:
    """Write a file, with the folders that lead to it."""
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    with open(path, "w", encoding="utf-8", errors="replace") as file:
        file.write(text)


class Output(NamedTuple):
    """What a command answers with: `value` with --json, else `text`, or what `text` prints."""

    value: Any
    text: str | Iterable[str] | Callable[[], object]
    code: int = 0  # the exit code


def listing(value: Any, rows: Sequence[tuple[str, ...]], none: str) -> Output:
    """A table of the rows; without rows a line that says so."""
    return Output(value, lambda: table(rows) if rows else say(none))


def emit(output: Output) -> None:
    """Print a result as the command line wants it, then end with its exit code."""
    text = output.text
    if is_json():
        dump(output.value)
    elif callable(text):
        text()
    else:
        for line in (text,) if isinstance(text, str) else text:
            say_folded(line)
    if output.code:
        raise click.exceptions.Exit(output.code)


def is_json() -> bool:
    """Whether the current command was called with --json."""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.meta.get(AS_JSON))


def table(rows: Sequence[tuple[str, ...]], *, indent: str = "  ") -> None:
    """Print rows in aligned columns; on a terminal the widest is wrapped, or else whole rows."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    if rows and sys.stdout.isatty():
        excess = sum(widths) + 2 * (len(widths) - 1) - (width() - len(indent))
        at = widths.index(max(widths))
        widths[at] -= max(0, excess)
        if widths[at] <= 0:  # no column is wide enough to make room for all
            widths = [0] * len(widths)
    for row in rows:
        rooms = list(zip(row, widths, strict=True))
        lines: Iterable[tuple[str, ...]] = [row]
        if all(len(word) <= room for cell, room in rooms for word in cell.split()):
            columns = (_wrap_text(cell, max(1, room)) for cell, room in rooms)
            lines = zip_longest(*columns, fillvalue="")
        for cells in lines:
            say_folded((indent + "  ".join(map(str.ljust, cells, widths))).rstrip())


def fit_rows(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """Rows as aligned lines; on a terminal the last two columns share the free width."""

    def free() -> int:
        return width() - 4 - sum(room + 2 for room in widths[:-2] if room)

    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    if rows and sys.stdout.isatty():
        for at in range(len(widths) - 3, 0, -1):  # what a narrow terminal has no room for
            widths[at] *= free() >= _LEAST
        shared = max(_LEAST, free())
        widths[-2] = min(widths[-2], max(shared * 2 // 5, shared - widths[-1]))
        widths[-1] = min(widths[-1], shared - widths[-2])
    cells = (zip(row, widths, strict=True) for row in rows)  # a column without room is left out
    lines = ((clip(cell, room).ljust(room) for cell, room in row if room) for row in cells)
    return [f"  {'  '.join(line)}".rstrip() for line in lines]


def width() -> int:
    """The width of a line on the terminal."""
    return max(40, shutil.get_terminal_size((120, 24)).columns)


def age(moment: datetime, now: datetime, *, in_words: bool = False) -> str:
    """How long ago, in the largest unit that fits: `3h`, or `3 hours`."""
    seconds = max(0, int((now - moment).total_seconds()))
    units = (("day", 86400), ("hour", 3600), ("minute", 60), ("second", 1))
    unit, size = next((one for one in units if seconds >= one[1]), units[-1])
    return plural(seconds // size, unit) if in_words else f"{seconds // size}{unit[0]}"


_ON_TERMINAL, _IN_PIPE = 0.1, 10.0  # seconds between two reports
_BAR = 20  # columns
AGAIN = "; run it again for the others"  # how a note on kept work ends


class Progress:
    """`with Progress("Importing") as tell:` then call `tell(done, of)` any number of times.

    It writes to standard error and clears its line at the end, or nothing with --json. Time counts
    from the first call.
    After Ctrl-C, `kept` says what the work done so far has left behind; {} stands for its count,
    as in `kept="{} mined", of="session"`.
    """

    def __init__(
        self,
        label: str,
        *,
        is_quiet: bool | None = None,
        kept: str = "",
        of: str = "",
        clock: Callable[[], float] = monotonic,
        stream: TextIO | None = None,
    ) -> None:
        self._label = label
        self._is_quiet = is_json() if is_quiet is None else is_quiet
        self._kept, self._noun = kept, of
        self._clock = clock
        self._stream = stream or sys.stderr
        self._is_bar = self._stream.isatty()
        self._start: float | None = None
        self._due = 0.0
        self._done = 0
        self._drawn = 0

    def __enter__(self) -> Progress:
        return self

    def __call__(self, done: int, of: int = 0, *, label: str = "") -> None:
        """Report that `done` are done; `of` is the total if it is known, `label` other work."""
        if label and label != self._label:
            self._label, self._start = label, None
        self._done, now = done, self._clock()
        if self._start is None:
            self._start = now
            self._due = now if self._is_bar else now + _IN_PIPE
        if self._is_quiet or now < self._due:
            return
        self._due = now + (_ON_TERMINAL if self._is_bar else _IN_PIPE)
        seconds = now - self._start
        progress = state(done, of, seconds=seconds)
        if self._is_bar:
            full = min(_BAR, _BAR * done // of) if of else 0
            bar = f"[{'#' * full}{'.' * (_BAR - full)}] " if of else ""
            line = f"{self._label} {bar}{progress}"[: width() - 1]
            click.echo(f"\r{line.ljust(self._drawn)}", nl=False, file=self._stream)
            self._drawn = len(line)
        else:
            click.echo(f"{self._label} {progress}", file=self._stream)

    def __exit__(self, _: object = None, error: object = None, trace: object = None) -> None:
        self.clear()
        if self._kept and isinstance(error, (KeyboardInterrupt, click.Abort)):
            error.add_note(self._kept.format(plural(self._done, self._noun)))

    def clear(self) -> None:
        """Remove the bar from its line, so that something else can be printed there."""
        if self._drawn:
            click.echo(f"\r{' ' * self._drawn}\r", nl=False, file=self._stream)
            self._drawn = 0


@contextmanager
def poll_progress(progress: Progress, look: Callable[[], tuple[int, int]]) -> Iterator[None]:
    """Progress that polls `look` while something else works."""
    end = threading.Event()

    def keep_looking() -> None:
        while not end.wait(_ON_TERMINAL):
            progress(*look())

    with progress:
        progress(*look())
        thread = threading.Thread(target=keep_looking, daemon=True)
        thread.start()
        try:
            yield
        finally:
            end.set()
            thread.join()


def state(done: int, of: int, *, seconds: float) -> str:
    """`5,000 of 10,000, 1,250/s, 0:04 left`; unknown parts are left out."""
    parts = [f"{done:,} of {of:,}" if of else f"{done:,}"]
    rate = done / seconds if seconds > 0 else 0.0
    if rate:
        parts.append(f"{rate:,.0f}/s" if rate >= 10 else f"{rate:.1f}/s")
    if rate and done < of:
        minutes, seconds_left = divmod(round((of - done) / rate), 60)
        parts.append(f"{minutes}:{seconds_left:02d} left")
    return ", ".join(parts)
