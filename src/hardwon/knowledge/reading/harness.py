"""Lines that agent harnesses add around the output of a command: status, directory, prompt."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_AROUND = 8  # lines that are checked at each end
_LINE = (
    r"(?:OBSERVATION:|Command executed\.|(?:Command )?Output:|```\w{0,10}|bash-[\d.]{0,6}[$#]"
    r"|(?i:exit|return) ?(?i:code|status):? -?\d{1,5}|Wall time: [\d.]{1,12} seconds"
    r"|Chunk ID: \w{1,40}|Original token count: \d{1,9}|Process exited with code -?\d{1,5}"
    r"|EXECUTION FAILED with exit code -?\d{1,5}|<exited with exit code -?\d{1,5}>"
    r"|\[(?:The command|Command) (?:completed|finished) with exit code -?\d{1,5}\.?\]"
    r"|\[(?:Current working directory|Python [Ii]nterpreter): [^\n]{0,300}\]"
    r"|\((?:Open file|Current directory): [^\n]{0,300}\)"
    r"|(?:Command|Directory): [^\n]{0,300}|(?:Stdout|Stderr): \(empty\)|(?:Error|Signal): \(none\)"
    r"|(?:Signal|Background PIDs|Process Group PGID): [^\n]{0,80})\s*"
)


def without_harness_lines(lines: Sequence[str]) -> list[str]:
    """The lines without those that a harness added at both ends."""
    first, last = 0, len(lines)
    while first < min(last, _AROUND) and re.fullmatch(_LINE, lines[first]):
        first += 1
    while last > max(first, len(lines) - _AROUND) and re.fullmatch(_LINE, lines[last - 1]):
        last -= 1
    return list(lines[first:last])
