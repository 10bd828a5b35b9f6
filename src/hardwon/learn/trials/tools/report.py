"""A tool's output as errors and counts; helpers for the parsers."""

from __future__ import annotations

import itertools
import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from hardwon.learn.trials.values import (
    ErrorType,
    Severity,
    StructuredError,
    VerificationMetrics,
)
from hardwon.text.clean import clean, clip, clip_middle, one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_ERRORS = 200
_MESSAGE, _TRACE = 1000, 4000


class ToolReport(NamedTuple):
    """Errors and counts; empty when the output was not understood."""

    errors: tuple[StructuredError, ...] = ()
    metrics: VerificationMetrics = VerificationMetrics()


def error(
    kind: ErrorType,
    message: str,
    *,
    tool: str,
    file: str | None = None,
    line: str | int | None = None,
    column: str | int | None = None,
    trace: str = "",
    severity: Severity = "error",
    rule: str | None = None,
    test: str | None = None,
) -> StructuredError:
    """An error, cut to the limits of what is stored."""
    return StructuredError(
        type=kind,
        message=one_line(message, _MESSAGE) or "(no message)",
        file=clip(file, 500) if file else None,
        line=_number(line),
        column=_number(column),
        stack_trace=clip_middle(clean(trace).strip(), _TRACE) if trace.strip() else None,
        severity=severity,
        rule=clip(rule, 100) if rule else None,
        tool=tool,
        test=one_line(test, 300) if test else None,
    )


def matches(pattern: str, text: str) -> Iterator[re.Match[str]]:
    """Matches at the start of each line; lines are cut, so a long one costs little."""
    matched = 0
    for line in text.splitlines():
        if (match := re.match(pattern, line[:2000])) and matched < MOST_ERRORS:
            matched += 1
            yield match


def blocks(header: str, text: str) -> Iterator[tuple[re.Match[str], list[str]]]:
    """Every header line with the lines below it, up to the next header."""
    current: tuple[re.Match[str], list[str]] | None = None
    for line in text.splitlines():
        match = re.match(header, line[:2000])
        if match:
            if current:
                yield current
            current = match, []
        elif current and len(current[1]) < 2000:
            current[1].append(line[:2000])
    if current:
        yield current


def count(pattern: str, text: str) -> int | None:
    """The number in the last line that the pattern matches."""
    number = None
    for line in text.splitlines():
        if match := re.search(pattern, line[:500]):
            number = int(match[1][:9])
    return number


def document(text: str) -> Any:
    """The JSON that begins a line of the text; None without any."""
    for start in itertools.islice(re.finditer(r"^[\[{]", text, re.MULTILINE), 20):
        try:
            value, _ = json.JSONDecoder().raw_decode(text, start.start())
        except (ValueError, RecursionError):
            continue
        if value:
            return value
    return None


def as_int(value: object) -> int:
    """The number if it is a natural number, else 0."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else 0


def _number(value: str | int | None) -> int | None:
    try:
        number = int(value) if value is not None else None
    except ValueError:
        return None
    return number if number is None or 0 <= number < 1_000_000_000 else None
