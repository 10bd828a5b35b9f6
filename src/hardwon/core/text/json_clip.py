"""Read events of any size in little memory: long strings are clipped while reading."""

from __future__ import annotations

from collections.abc import Callable

from hardwon.core.errors import InvalidInput

PLAIN = 1024 * 1024  # bytes up to which an event is not clipped
LIMIT = 8 * 1024 * 1024  # bytes of an event without its long strings
_CHUNK = 256 * 1024
_HEAD, _TAIL = 64 * 1024, 128 * 1024  # bytes kept of a long string; far more than any check reads
_MARGIN = 4096  # bytes at a cut that are dropped as well
_SEARCHED = 4096  # bytes searched for a place to cut
# Bytes that are part of neither an escape sequence nor a multi-byte character.
_SAFE = frozenset(range(0x20, 0x7F)) - frozenset(b'"\\/bfnrtu0123456789abcdefABCDEF')


def clip_json(read: Callable[[int], bytes]) -> bytes:
    """Everything `read` returns until it returns b"", as JSON with long strings clipped."""
    first = bytearray()
    while chunk := read(_CHUNK):
        first += chunk
        if len(first) > PLAIN:
            break
    else:
        return bytes(first)
    clipped = _Clipped()
    for start in range(0, len(first), _CHUNK):
        clipped.add(bytes(first[start : start + _CHUNK]))
    while chunk := read(_CHUNK):
        clipped.add(chunk)
    return clipped.whole()


class _Clipped:
    """JSON as it comes in, without the middle of its long strings."""

    def __init__(self) -> None:
        self._kept = bytearray()
        self._string: _String | None = None  # the open long string
        self._size = 0
        self._held = b""  # a backslash whose second half is in the next chunk

    def add(self, chunk: bytes) -> None:
        """Take the next bytes; beyond the limit only count them."""
        self._size += len(chunk)
        if len(self._kept) > LIMIT:
            return
        chunk = self._held + chunk
        slashes = len(chunk) - len(chunk.rstrip(b"\\"))
        self._held = b"\\" if slashes % 2 else b""
        chunk = chunk[: len(chunk) - len(self._held)]
        # Escaped quotes are masked: all remaining quotes begin or end a string.
        marked = chunk.replace(b"\\\\", b"\0\0").replace(b'\\"', b"\0\0")
        at = 0
        while at < len(chunk):
            at = (
                self._end_string(chunk, marked, at)
                if self._string
                else self._begin_string(chunk, marked, at)
            )

    def whole(self) -> bytes:
        """The clipped JSON; InvalidInput when it is still too long."""
        if len(self._kept) > LIMIT:
            raise InvalidInput(
                f"an event of {self._size} bytes is too long, even with its long texts clipped"
            )
        return bytes(self._kept)

    def _end_string(self, chunk: bytes, marked: bytes, start: int) -> int:
        """Where the JSON continues after the open long string."""
        assert self._string is not None
        end = marked.find(b'"', start)
        self._string.add(chunk[start:end] if end >= 0 else chunk[start:])
        if end < 0:
            return len(chunk)
        self._kept += b'"' + self._string.whole() + b'"'
        self._string = None
        return end + 1

    def _begin_string(self, chunk: bytes, marked: bytes, start: int) -> int:
        """Where a long string begins; the text before it is kept."""
        at = start
        while (begin := marked.find(b'"', at)) >= 0:
            end = marked.find(b'"', begin + 1)
            if not 0 <= end <= begin + _HEAD:
                self._kept += chunk[start:begin]
                self._string = _String()
                return begin + 1
            at = end + 1
        self._kept += chunk[start:]
        return len(chunk)


class _String:
    """The beginning and the end of a string, as written in JSON."""

    def __init__(self) -> None:
        self._head = b""
        self._tail = bytearray()
        self._left_out = 0

    def add(self, piece: bytes) -> None:
        room = max(0, _HEAD - len(self._head))
        self._head += piece[:room]
        self._tail += piece[room:]
        if len(self._tail) > 2 * _TAIL:
            self._left_out += len(self._tail) - _TAIL
            del self._tail[:-_TAIL]

    def whole(self) -> bytes:
        if not self._left_out:
            return self._head + bytes(self._tail)
        mark = f" … {self._left_out} bytes left out …".encode()
        # The margin: no rule would recognize half of a token that was cut.
        head, tail = self._head[:-_MARGIN], bytes(self._tail[_MARGIN:])
        places = range(len(head) - 1, max(-1, len(head) - _SEARCHED), -1)
        end = next((at for at in places if head[at] in _SAFE), 0)
        places = range(min(len(tail), _SEARCHED))
        start = next((at for at in places if tail[at] in _SAFE), len(tail))
        return head[:end] + mark + tail[start:]
