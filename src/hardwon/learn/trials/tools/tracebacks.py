"""A Python traceback in the output of any program."""

from __future__ import annotations

import re
from collections import deque
from typing import TYPE_CHECKING, NamedTuple

from hardwon.learn.trials.tools.report import error

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hardwon.learn.trials.values import ErrorType, StructuredError

_FRAME = re.compile(r'\s{1,8}File "(.{1,500})", line (\d{1,9})')
_RAISED = re.compile(r"(?:[A-Za-z_]\w{0,80}\.){0,8}[A-Za-z_]\w{0,80}(?:: |$)")
_SYNTAX = re.compile(r"(?:SyntaxError|IndentationError|TabError)\b")
_FOREIGN = re.compile(r"site-packages|dist-packages|/lib/python\d|<frozen ")


class _Raised(NamedTuple):
    """An exception and the frames above it, outermost first."""

    message: str
    frames: list[re.Match[str]]


def last(text: str, *, tool: str) -> StructuredError | None:
    """The last exception and its place, in the user's own code if possible; None without one."""
    newest = deque(_exceptions(text), maxlen=1)
    if not newest:
        return None
    (raised,) = newest
    frames = [frame for frame in raised.frames if not _FOREIGN.search(frame[1])] or raised.frames
    kind: ErrorType = "syntax_error" if _SYNTAX.match(raised.message) else "runtime_error"
    place = frames[-1]
    return error(kind, raised.message, tool=tool, file=place[1], line=place[2], trace=text[-2000:])


def _exceptions(text: str) -> Iterator[_Raised]:
    """Every exception: the first line that is not indented below some frames."""
    frames: list[re.Match[str]] = []
    for line in text.splitlines():
        if frame := _FRAME.match(line[:2000]):
            frames.append(frame)
        elif frames and line[:1].strip():
            if _RAISED.match(line[:2000]):
                yield _Raised(line, frames)
            frames = []
