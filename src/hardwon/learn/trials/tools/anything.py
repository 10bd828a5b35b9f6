"""Output of an unknown tool: `file:line: error:` lines, a traceback, or the error line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardwon.failures.error_line import error_line
from hardwon.learn.trials.tools import tracebacks
from hardwon.learn.trials.tools.report import ToolReport, error, matches

if TYPE_CHECKING:
    from hardwon.learn.trials.values import StructuredError

_PLACED = r"([^\s:][^:]{0,400}?):(\d{1,9}):(?:(\d{1,9}):)? (?:fatal )?(error|warning): (.{1,1500})$"


def parse(text: str, *, tool: str = "command") -> ToolReport:
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
    if any(entry.severity == "error" for entry in placed):
        return ToolReport(placed)
    main = tracebacks.last(text, tool=tool) or _line(text, tool)
    return ToolReport((main, *placed) if main else placed)


def _line(text: str, tool: str) -> StructuredError | None:
    line = error_line(text)
    return error("other", line, tool=tool, trace=text[-2000:]) if line else None
