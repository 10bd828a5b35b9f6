"""JSON lines, streamed: files and lines of any size, torn ends and broken bytes."""

from __future__ import annotations

import gzip
import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import IO, Any, cast

from hardwon.core.errors import InvalidInput, StorageError

try:
    from msgspec.json import Decoder

    _decode: Callable[[bytes], Any] = Decoder().decode
except ImportError:  # the extra `sessions` makes it four times as fast, not more able
    _decode = json.loads


LINE_LIMIT = 4 * 1024 * 1024  # a longer line is shortened while it is read
STRING_KEPT = 64 * 1024  # of either end of a string in such a line
SHORTENED_LIMIT = 16 * 1024 * 1024
_PIECE = 1024 * 1024
_DOCUMENT = 64 * 1024 * 1024  # a file that is one JSON value
_SHORT_STRINGS = re.compile(rb'(?:[^"]++|"(?:[^"\\]|\\.){0,512}")+', re.DOTALL)
_IN_STRING = re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+)*', re.DOTALL)


def records(path: str, skipped: Counter[str]) -> Iterator[tuple[int, Any]]:
    """Every readable line with its number; unreadable ones are counted in `skipped`."""
    number = 0
    with open_transcript(path) as file:
        while line := file.readline(LINE_LIMIT):
            number += 1
            if len(line) == LINE_LIMIT and line[-1] != 10:
                line = _shorten(line, file)
            record = _record(line, skipped)
            if record is not None:
                yield number, record


def document(path: str, skipped: Counter[str]) -> Any:
    """The one JSON value in a file; None, and counted, if it is none or too long."""
    with open_transcript(path) as file:
        text = file.read(_DOCUMENT + 1)
    if len(text) > _DOCUMENT:
        skipped["too long"] += 1
        return None
    return _record(text, skipped)


def count(path: str) -> int:
    """How many lines the file has; a last one without its end counts."""
    lines, last = 0, b"\n"
    with open_transcript(path) as file:
        while piece := file.read(_PIECE):
            lines, last = lines + piece.count(b"\n"), piece[-1:]
    return lines + (last != b"\n")


def open_transcript(path: str) -> IO[bytes]:
    """The file, unpacked if its name ends in `.gz`; errors say what to do."""
    if os.path.isdir(path):
        raise InvalidInput(f"{path!r} is a directory, not a transcript")
    try:
        if path.endswith(".gz"):
            return cast("IO[bytes]", gzip.open(path, "rb"))
        return open(path, "rb", buffering=_PIECE)
    except OSError as error:
        problem = error.strerror or str(error)
        raise StorageError(path, problem, "name a transcript that can be read") from error


def _record(line: bytes, skipped: Counter[str]) -> Any:
    try:
        return _decode(line)
    except (ValueError, RecursionError):
        return _mend(line, skipped)


def _mend(line: bytes, skipped: Counter[str]) -> Any:
    """The record of a line with broken bytes; None, and counted, when it is no JSON at all."""
    if not line.strip():
        return None
    try:
        return json.loads(line.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        skipped["torn" if not line.endswith(b"\n") else "broken"] += 1
        return None


def _shorten(begin: bytes, file: IO[bytes]) -> bytes:
    """The whole line as valid JSON, without the middle of its long strings."""
    line = Shortener()
    line.feed(begin)
    while piece := file.readline(_PIECE):
        line.feed(piece)
        if piece[-1] == 10:
            break
    return line.text()


class Shortener:
    """Takes JSON in pieces and keeps it well-formed while long strings lose their middle."""

    def __init__(self) -> None:
        self._kept: list[bytes] = []
        self._size = 0
        self._head, self._tail = bytearray(), bytearray()
        self._dropped = self._in_string = False
        self._held = b""

    def feed(self, piece: bytes) -> None:
        """Take the next piece."""
        if self._size > SHORTENED_LIMIT:
            return
        piece, at = self._held + piece, 0
        self._held = b""
        while at < len(piece):
            at = self._string(piece, at) if self._in_string else self._outside(piece, at)

    def text(self) -> bytes:
        """The kept text; a blank line when even that is too long."""
        return b"".join(self._kept) if self._size <= SHORTENED_LIMIT else b"\n"

    def _outside(self, piece: bytes, at: int) -> int:
        match = _SHORT_STRINGS.match(piece, at)
        end = match.end() if match else at
        self._in_string = end < len(piece)  # a quote stands there
        self._keep(piece[at : end + 1])
        return end + 1

    def _string(self, piece: bytes, at: int) -> int:
        match = _IN_STRING.match(piece, at)
        end = match.end() if match else at
        self._grow(piece[at:end])
        if end == len(piece):
            return end
        if piece[end : end + 1] == b"\\":  # the escaped character is in the next piece
            self._held = piece[end:]
            return len(piece)
        self._close()
        return end + 1

    def _grow(self, part: bytes) -> None:
        room = STRING_KEPT - len(self._head)
        self._head += part[:room]
        self._tail += part[room:]
        if len(self._tail) > 2 * _PIECE:
            self._cut_tail()

    def _cut_tail(self) -> None:
        if len(self._tail) > STRING_KEPT:
            del self._tail[:-STRING_KEPT]
            self._dropped = True

    def _close(self) -> None:
        self._cut_tail()
        if self._dropped:  # at blanks, so that no escape and no character is cut in two
            self._head = self._head[: self._head.rfind(b" ") + 1]
            self._tail = self._tail[self._tail.find(b" ") :] if b" " in self._tail else bytearray()
        self._keep(bytes(self._head + self._tail) + b'"')
        self._head, self._tail = bytearray(), bytearray()
        self._dropped = self._in_string = False

    def _keep(self, part: bytes) -> None:
        self._size += len(part)
        if self._size <= SHORTENED_LIMIT:
            self._kept.append(part)
