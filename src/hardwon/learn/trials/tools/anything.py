"""A tool nobody knows: compilers' `file:line: error:` lines, else the line that tells most."""

from __future__ import annotations

from hardwon.failures.signature import error_line
from hardwon.learn.trials.tools.report import Report, error, matches

_PLACED = r"([^\s:][^:]{0,400}?):(\d{1,9}):(?:(\d{1,9}):)? (?:fatal )?(error|warning): (.{1,1500})$"


def parse(text: str, *, tool: str = "command") -> Report:
    """The errors of an unknown tool that failed."""
    placed = tuple(
        error(
            "other",
            m[5],
            tool=tool,
            file=m[1],
            line=m[2],
            column=m[3],
            severity="warning" if m[4] == "warning" else "error",
        )
        for m in matches(_PLACED, text)
    )
    if any(one.severity == "error" for one in placed):
        return Report(placed)
    line = error_line(text)
    return Report(
        (error("other", line, tool=tool, trace=text[-2000:]), *placed) if line else placed
    )
