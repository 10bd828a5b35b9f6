"""Guards: calls that a person has forbidden, exactly or by a pattern where `*` matches anything.

White space and quotes do not matter. Each command of a chain is compared, and the whole chain if a
guard names a whole chain. Other calls are allowed, however similar, and so are the calls that the
lesson's own fixes recommend.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, NamedTuple

from hardwon.core.values.lesson import FORBIDDEN
from hardwon.knowledge.reading import shell
from hardwon.knowledge.reading.call_keys import EXACT, operation

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hardwon.core.values.lesson import Lesson

_WORDS = r"(?:'[^']*+'|\"[^\"\\]*+(?:\\.[^\"\\]*+)*\"|[^\s'\"]|['\"])+"
_ASCII = r"[A-Za-z0-9]{2,}"
_KEY = 200  # characters at which earlier builds cut the key of an exact call


class Guard(NamedTuple):
    """The calls that one lesson forbids."""

    calls: tuple[str, ...]  # `tool call`, the call in its normal form
    allowed: tuple[str, ...] = ()  # the calls that the lesson's fixes recommend

    def forbids(self, tool: str, call: str) -> bool:
        """Whether this call must not be made, by its tool or by the action of its tool."""
        action = operation(tool, call) if call.startswith("{") else (tool, call)
        return any(self._forbids(*form) for form in dict.fromkeys(((tool, call), action)))

    def _forbids(self, tool: str, call: str) -> bool:
        whole, is_line = normalise(call), not call.startswith("{")
        if whole in self.allowed:
            return False
        if is_line and any(forbidden.partition(" ")[2] == whole for forbidden in self.calls):
            return True
        parts = (part.text for part in shell.parse(call)) if is_line else ()
        return any(
            form not in self.allowed
            and any(_fits(forbidden, tool.lower(), form) for forbidden in self.calls)
            for form in dict.fromkeys(map(normalise, parts)) or [whole]
        )

    def needles(self) -> list[list[str]]:
        """For each forbidden call, the words that a text must contain to match it."""
        return [re.findall(_ASCII, forbidden.partition(" ")[2]) for forbidden in self.calls]


def forbidden_call(tool: str, pattern: str) -> str:
    """The forbidden call as an entry of `lesson.calls`."""
    return f"{FORBIDDEN} {tool.lower()} {normalise(pattern)}"


def exact_calls(calls: Iterable[str]) -> list[tuple[str, str]]:
    """The exact calls among the keys of a lesson, as (tool, call), without truncated ones."""
    keys = [key[2:] for key in calls if key[0] == EXACT and len(key) < _KEY]
    parts = (key.partition(" {") for key in dict.fromkeys(keys))
    return [
        (tool, f"{{{arguments}") if arguments else ("bash", tool) for tool, _, arguments in parts
    ]


def guard_of(lesson: Lesson) -> Guard:
    """The guard of a lesson. Lessons of earlier builds forbid their exact calls."""
    forbidden = [call[2:] for call in lesson.calls if call[0] == FORBIDDEN]
    exact = (forbidden_call(*call)[2:] for call in exact_calls(lesson.calls))
    fixes = tuple(normalise(fix.call) for fix in lesson.fixes if fix.call)
    return Guard(tuple(dict.fromkeys(forbidden or exact)), fixes)


def normalise(call: str) -> str:
    """The call with white space and quotes normalised, so that equal calls compare equal."""
    if call.startswith("{"):
        try:
            return json.dumps(json.loads(call), ensure_ascii=False, sort_keys=True)
        except ValueError:  # a pattern, or clipped
            return " ".join(call.split())
    words = (re.sub(r"['\"]", "", word) for word in re.findall(_WORDS, call))
    return " ".join(re.sub(r"\s", "\0", word) for word in words)


def _fits(forbidden: str, tool: str, call: str) -> bool:
    own_tool, _, pattern = forbidden.partition(" ")
    if call.startswith("{") and own_tool != tool:
        return False
    first, *later = pattern.split("*")
    if not later:
        return call == pattern
    at = len(first)
    for piece in later[:-1]:
        place = call.find(piece, at)
        if place < 0:
            return False
        at = place + len(piece)
    return call.startswith(first) and call[at:].endswith(later[-1])
