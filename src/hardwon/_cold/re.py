"""`re` for patterns kept as text, whose compiled form can be cached between processes.

    from hardwon._cold import re

Compiling the patterns for a failing step takes a third of a hook's time, so a hook stores what
`fresh` returns and the next one restores it. Without a cache they are compiled on first use.
Patterns must be constants, because each one is cached.
"""

from __future__ import annotations

import _sre  # type: ignore[import-not-found]
import sys

from hardwon._cold import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from re import Match as Match
    from re import Pattern
    from typing import Any

    # Flags, code in hexadecimal, groups, group numbers by name, group names by number
    Kept = tuple[int, str, int, dict[str, int], list[str | None]]

_LIMIT = 400  # cached patterns; more means that some are not constants
_STAMP = f"{sys.version} {_sre.MAGIC} {_sre.CODESIZE}"
_known: dict[str, Pattern[str]] = {}
_kept: dict[str, Kept] = {}


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
    try:
        stamp, patterns = json.loads(stored)
    except (ValueError, TypeError):
        return
    if stamp == _STAMP:
        _kept.update(patterns)


def fresh() -> bytes:
    """Cache contents to persist; empty when nothing new was compiled."""
    missing = [pattern for pattern in _known if pattern not in _kept]
    if not missing or len(_known) > _LIMIT:
        return b""
    _kept.update((pattern, _described(pattern)) for pattern in missing)
    return json.dumps((_STAMP, dict(list(_kept.items())[-_LIMIT:]))).encode()


def _made(pattern: str) -> Pattern[str]:
    compiled = _known[pattern] = _restored(pattern) or _compiled(pattern)
    return compiled


def _restored(pattern: str) -> Pattern[str] | None:
    """The cached pattern; None if it is not cached or the engine rejects its code."""
    if pattern not in _kept:
        return None
    try:
        flags, code, groups, numbers, names = _kept[pattern]
        numbered = memoryview(bytes.fromhex(code)).cast("I").tolist()
        compiled: Pattern[str] = _sre.compile(
            pattern, flags, numbered, groups, numbers, tuple(names)
        )
    except (TypeError, ValueError, RuntimeError, OverflowError):
        return None
    return compiled


def _compiled(pattern: str) -> Pattern[str]:
    import re

    return re.compile(pattern)


def _described(pattern: str) -> Kept:
    """The arguments that `re.compile` passes to the engine, computed in the same way."""
    from re import _compiler, _parser  # type: ignore[attr-defined]

    parsed = _parser.parse(pattern, 0)
    state = parsed.state
    names: list[str | None] = [None] * state.groups
    for name, number in state.groupdict.items():
        names[number] = name
    code = b"".join(word.to_bytes(4, sys.byteorder) for word in _compiler._code(parsed, 0))
    return state.flags, code.hex(), state.groups - 1, dict(state.groupdict), names
