"""Progress of long work: a bar on a terminal, else a line now and then."""

from __future__ import annotations

import sys
import threading
from time import monotonic
from typing import TYPE_CHECKING, TextIO

import click

from hardwon.surfaces.cli.output import width

if TYPE_CHECKING:
    from collections.abc import Callable

_ON_TERMINAL, _IN_PIPE = 0.1, 10.0  # seconds between two reports
_BAR = 20  # columns


class Progress:
    """`with Progress("Importing") as tell:` then call `tell(done, of)` any number of times.

    It writes to standard error and clears its line at the end. Time counts from the first call.
    After Ctrl-C, `kept(done)` says what the work done so far has left behind.
    """

    def __init__(
        self,
        label: str,
        *,
        is_quiet: bool = False,
        kept: Callable[[int], str] | None = None,
        clock: Callable[[], float] = monotonic,
        stream: TextIO | None = None,
    ) -> None:
        self._label = label
        self._is_quiet = is_quiet
        self._kept = kept
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
        if self._is_bar:
            self._draw(f"{self._label} {_bar(done, of)}{state(done, of, seconds=seconds)}")
        else:
            click.echo(f"{self._label} {state(done, of, seconds=seconds)}", file=self._stream)

    def __exit__(self, _: object = None, error: object = None, trace: object = None) -> None:
        self.clear()
        if self._kept and isinstance(error, (KeyboardInterrupt, click.Abort)):
            error.add_note(self._kept(self._done))

    def clear(self) -> None:
        """Remove the bar from its line, so that something else can be printed there."""
        if self._drawn:
            click.echo(f"\r{' ' * self._drawn}\r", nl=False, file=self._stream)
            self._drawn = 0

    def _draw(self, line: str) -> None:
        """Overwrite the current line."""
        line = line[: width() - 1]
        click.echo(f"\r{line.ljust(self._drawn)}", nl=False, file=self._stream)
        self._drawn = len(line)


class Watched:
    """Progress that polls `look` while something else works."""

    def __init__(self, progress: Progress, look: Callable[[], tuple[int, int]]) -> None:
        self._progress = progress
        self._look = look
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._keep_looking, daemon=True)

    def __enter__(self) -> None:
        self._progress(*self._look())
        self._thread.start()

    def __exit__(self, *raised: object) -> None:
        self._end.set()
        self._thread.join()
        self._progress.__exit__(*raised)

    def _keep_looking(self) -> None:
        while not self._end.wait(_ON_TERMINAL):
            self._progress(*self._look())


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


def _bar(done: int, of: int) -> str:
    if not of:
        return ""
    full = min(_BAR, _BAR * done // of)
    return f"[{'#' * full}{'.' * (_BAR - full)}] "
