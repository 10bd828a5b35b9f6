"""How harnesses report a command that they stopped at its time limit."""

from __future__ import annotations

import re

TIMED_OUT = ": command timed out"  # how the kind of such a failure ends
_TIMED_OUT = (
    r"(?i)\W{0,3}(?:<error>)?(?:error: )?(?:the )?(?:bash |shell |tool )?"
    r"(?:command|process|execution|script|tool call)?(?: ['\"`][^\n]{1,300}['\"`])? ?"
    r"(?:(?:has |was )?timed out (?:after|because)\b"
    r"|was (?:cancelled|canceled|killed|stopped|terminated) because it (?:took|exceeded|ran)\b"
    r"|exceeded (?:the |its )?(?:time ?out|time limit)\b)"
)


def says_timeout(line: str) -> bool:
    """Whether a line says that a command timed out."""
    return bool(re.match(_TIMED_OUT, line))


def has_timed_out(text: str) -> bool:
    """Whether the first or the last line of an output says that the command timed out."""
    lines = text.strip().splitlines()
    return any(says_timeout(line) for line in (*lines[:1], *lines[-1:]))
