"""The TypeScript compiler."""

from __future__ import annotations

from hardwon.learn.trials.tools.report import Report, count, error, matches
from hardwon.learn.trials.values import VerificationMetrics

_PLAIN = r"([^\s(][^(]{0,400}?)\((\d{1,9}),(\d{1,9})\): (error|warning) (TS\d{1,6}): (.{1,1500})$"
_PRETTY = r"([^\s:][^:]{0,400}?):(\d{1,9}):(\d{1,9}) - (error|warning) (TS\d{1,6}): (.{1,1500})$"
_GLOBAL = r"()()()(error) (TS\d{1,6}): (.{1,1500})$"


def parse(text: str) -> Report:
    """Every diagnostic of tsc, plain or pretty; syntax errors are TS1xxx."""
    found = [m for pattern in (_PLAIN, _PRETTY, _GLOBAL) for m in matches(pattern, text)]
    errors = tuple(
        error(
            "syntax_error" if len(m[5]) == 6 and m[5].startswith("TS1") else "type_error",
            m[6],
            tool="tsc",
            file=m[1] or None,
            line=m[2] or None,
            column=m[3] or None,
            severity="warning" if m[4] == "warning" else "error",
            rule=m[5],
        )
        for m in found
    )
    stated = count(r"^Found (\d{1,9}) errors?", text)
    known = stated is not None or bool(errors)
    total = max(stated or 0, len(errors))
    return Report(errors, VerificationMetrics(type_errors=total if known else None))
