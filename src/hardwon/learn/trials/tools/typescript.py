"""The TypeScript compiler."""

from __future__ import annotations

import re

from hardwon.learn.trials.tools.report import ToolReport, count, error, matches
from hardwon.learn.trials.values import StructuredError, VerificationMetrics

_PLAIN = r"([^\s(][^(]{0,400}?)\((\d{1,9}),(\d{1,9})\): (error|warning) (TS\d{1,6}): (.{1,1500})$"
_PRETTY = r"([^\s:][^:]{0,400}?):(\d{1,9}):(\d{1,9}) - (error|warning) (TS\d{1,6}): (.{1,1500})$"
_GLOBAL = r"()()()(error) (TS\d{1,6}): (.{1,1500})$"


def parse(text: str) -> ToolReport:
    """Every diagnostic of tsc, plain or pretty; syntax errors are TS1xxx."""
    lines = [m for pattern in (_PLAIN, _PRETTY, _GLOBAL) for m in matches(pattern, text)]
    errors = tuple(map(_diagnostic, lines))
    stated = count(r"^Found (\d{1,9}) errors?", text)
    if stated is None and not errors:
        return ToolReport()
    return ToolReport(errors, VerificationMetrics(type_errors=max(stated or 0, len(errors))))


def _diagnostic(line: re.Match[str]) -> StructuredError:
    is_syntax = re.fullmatch(r"TS1\d{3}", line[5])
    return error(
        "syntax_error" if is_syntax else "type_error",
        line[6],
        tool="tsc",
        file=line[1] or None,
        line=line[2] or None,
        column=line[3] or None,
        severity="warning" if line[4] == "warning" else "error",
        rule=line[5],
    )
