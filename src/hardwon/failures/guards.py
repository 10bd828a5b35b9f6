"""Guards: calls that a person has forbidden, exactly or by a pattern in which `*` fits anything.

White space and quotes do not matter. Each command of a chain is compared by itself, and a chain as
a whole with one that was named as a whole. Other calls, however alike, are allowed, and so is what
the lesson's own fixes recommend.
"""

from __future__ import annotations

from hardwon._cold import json, re
from hardwon.failures import shell
from hardwon.failures.call_keys import EXACT
from hardwon.values.lesson import FORBIDDEN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import NamedTuple

    from hardwon.values.lesson import Lesson
else:
    from hardwon._cold.namedtuple import NamedTuple

_WORDS = r"(?:'[^']*+'|\"[^\"\\]*+(?:\\.[^\"\\]*+)*\"|[^\s'\"]|['\"])+"
_ASCII = r"[A-Za-z0-9]{2,}"
_KEY = 200  # characters at which earlier builds cut the key of an exact call


class Guard(NamedTuple):
    """What one lesson forbids."""

    calls: tuple[str, ...]  # `tool call`, the call in its normal form
    allowed: tuple[str, ...] = ()  # calls that its fixes recommend

    def forbids(self, tool: str, call: str) -> bool:
        """Whether this call must not be made."""
        if normal(call) in self.allowed:
            return False
        is_named = any(forbidden.partition(" ")[2] == normal(call) for forbidden in self.calls)
        return (is_named and not call.startswith("{")) or any(
            form not in self.allowed
            and any(_fits(forbidden, tool.lower(), form) for forbidden in self.calls)
            for form in _forms(call)
        )

    def needles(self) -> list[list[str]]:
        """For each call the words that a text has to hold to be forbidden by it."""
        return [re.findall(_ASCII, forbidden.partition(" ")[2]) for forbidden in self.calls]


def forbidding(tool: str, pattern: str) -> str:
    """How a lesson keeps a forbidden call among its calls."""
    return f"{FORBIDDEN} {tool.lower()} {normal(pattern)}"


def exact_calls(calls: Iterable[str]) -> list[tuple[str, str]]:
    """The exact calls among the keys of a lesson, each with its tool; no truncated ones."""
    keys = [key[2:] for key in calls if key[0] == EXACT and len(key) < _KEY]
    parts = (key.partition(" {") for key in dict.fromkeys(keys))
    return [(tool, f"{{{rest}") if rest else ("bash", tool) for tool, _, rest in parts]


def guard_of(lesson: Lesson) -> Guard:
    """What a lesson forbids; one of an earlier build its very calls."""
    forbidden = [call[2:] for call in lesson.calls if call[0] == FORBIDDEN]
    exact = (forbidding(*call)[2:] for call in exact_calls(lesson.calls))
    fixes = tuple(normal(fix.call) for fix in lesson.fixes if fix.call)
    return Guard(tuple(dict.fromkeys(forbidden or exact)), fixes)


def normal(call: str) -> str:
    """The call whatever its white space and quotes."""
    if call.startswith("{"):
        try:
            return json.dumps(json.loads(call), ensure_ascii=False, sort_keys=True)
        except ValueError:  # a pattern, or clipped
            return " ".join(call.split())
    words = (re.sub(r"['\"]", "", word) for word in re.findall(_WORDS, call))
    return " ".join(re.sub(r"\s", "\0", word) for word in words)


def _forms(call: str) -> Sequence[str]:
    """The normal forms under which a call may be forbidden: each command, else all of it."""
    parts = () if call.startswith("{") else (part.text for part in shell.parse(call))
    return list(dict.fromkeys(map(normal, parts))) or [normal(call)]


def _fits(forbidden: str, tool: str, call: str) -> bool:
    own, _, pattern = forbidden.partition(" ")
    if call.startswith("{") and own != tool:
        return False
    first, *rest = pattern.split("*")
    if not rest:
        return call == pattern
    at = len(first)
    for piece in rest[:-1]:
        place = call.find(piece, at)
        if place < 0:
            return False
        at = place + len(piece)
    return call.startswith(first) and call[at:].endswith(rest[-1])
