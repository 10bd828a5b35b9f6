"""`re` for patterns kept as text, whose compiled form can be cached between processes.

    from hardwon._cold import re

Compiling the patterns for a failing step takes a third of a hook's time, so a hook stores what
`fresh` returns and the next one restores it. Without a cache they are compiled on first use.
Patterns must be constants, because each one is cached.
"""

from __future__ import annotations

import sys

from hardwon._cold import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from re import Match as Match
    from re import Pattern
    from typing import Any

try:
    import _sre  # type: ignore[import-not-found]

    _STAMP = ascii(f"{sys.version} {_sre.MAGIC} {_sre.CODESIZE}").encode()
except (ImportError, AttributeError):  # another interpreter, or a later one: nothing is cached
    _STAMP = b""

_LIMIT = 400  # cached patterns; more means that some are not constants
_known: dict[str, Pattern[str]] = {}
# By pattern: code in hexadecimal; flags, groups and their names in JSON, parsed when asked for.
_kept: dict[bytes, tuple[bytes, bytes]] = {}


def search(pattern: str, text: str, start: int = 0) -> Match[str] | None:
    """As in `re`, from `start` on."""
    return (_known.get(pattern) or _made(pattern)).search(text, start)


def match(pattern: str, text: str, start: int = 0) -> Match[str] | None:
    """As in `re`, at `start`."""
    return (_known.get(pattern) or _made(pattern)).match(text, start)


def fullmatch(pattern: str, text: str) -> Match[str] | None:
    """As in `re`."""
    return (_known.get(pattern) or _made(pattern)).fullmatch(text)


def findall(pattern: str, text: str) -> list[Any]:
    """As in `re`."""
    return (_known.get(pattern) or _made(pattern)).findall(text)


def finditer(pattern: str, text: str) -> Iterator[Match[str]]:
    """As in `re`."""
    return (_known.get(pattern) or _made(pattern)).finditer(text)


def split(pattern: str, text: str, maxsplit: int = 0) -> list[str | Any]:
    """As in `re`."""
    return (_known.get(pattern) or _made(pattern)).split(text, maxsplit)


def sub(pattern: str, repl: str | Callable[[Match[str]], str], text: str, count: int = 0) -> str:
    """As in `re`."""
    return (_known.get(pattern) or _made(pattern)).sub(repl, text, count)


def restore(stored: bytes) -> None:
    """Use patterns from `fresh`; ignored if damaged or compiled by another Python."""
    stamp, *parts = stored.split(b"\n")
    if stamp and stamp == _STAMP:
        compiled = zip(parts[1::3], parts[2::3], strict=False)
        _kept.update(zip(parts[::3], compiled, strict=False))


def fresh() -> bytes:
    """Cache contents to persist; empty when nothing new was compiled."""
    missing = [pattern for pattern in _known if _key(pattern) not in _kept]
    if not missing or not _STAMP or len(_known) > _LIMIT:
        return b""
    try:
        _kept.update([(_key(pattern), _described(pattern)) for pattern in missing])
    except (ImportError, AttributeError, TypeError):  # the compiler of a later Python
        return b""
    newest = list(_kept.items())[-_LIMIT:]
    return b"\n".join([_STAMP, *(part for key, kept in newest for part in (key, *kept))])


def _key(pattern: str) -> bytes:
    """The pattern on one line; it may hold any character, even half a surrogate pair."""
    return ascii(pattern).encode()


def _made(pattern: str) -> Pattern[str]:
    compiled = _known[pattern] = _restored(pattern) or _compiled(pattern)
    return compiled


def _restored(pattern: str) -> Pattern[str] | None:
    """The cached pattern; None if it is not cached or the engine rejects its code."""
    code, rest = _kept.get(_key(pattern), (b"", b""))
    if not code:
        return None
    try:
        flags, groups, numbers, names = json.loads(rest)
        numbered = memoryview(bytes.fromhex(code.decode())).cast("I").tolist()
        compiled: Pattern[str] = _sre.compile(
            pattern, flags, numbered, groups, numbers, tuple(names)
        )
    except (TypeError, ValueError, RuntimeError, OverflowError):
        return None
    return compiled


def _compiled(pattern: str) -> Pattern[str]:
    import re

    return re.compile(pattern)


def _described(pattern: str) -> tuple[bytes, bytes]:
    """The arguments that `re.compile` passes to the engine, computed in the same way."""
    from re import _compiler, _parser  # type: ignore[attr-defined]

    parsed = _parser.parse(pattern, 0)
    state = parsed.state
    names: list[str | None] = [None] * state.groups
    for name, number in state.groupdict.items():
        names[number] = name
    code = b"".join(word.to_bytes(4, sys.byteorder) for word in _compiler._code(parsed, 0))
    rest = (state.flags, state.groups - 1, dict(state.groupdict), names)
    return code.hex().encode(), json.dumps(rest).encode()
