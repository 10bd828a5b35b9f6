"""ruff, and every linter that prints `file:line:column: CODE message` (flake8, pycodestyle)."""

from __future__ import annotations

import re
from typing import Any

from hardwon.learn.trials.tools.report import (
    MOST_ERRORS,
    ToolReport,
    as_int,
    count,
    document,
    error,
    matches,
)
from hardwon.learn.trials.values import StructuredError, VerificationMetrics

_CONCISE = (
    r"([^\s:][^:]{0,400}?):(\d{1,9}):(?:(\d{1,9}):)? "
    r"([A-Z]{1,5}\d{1,5}|invalid-syntax|SyntaxError):? (?:\[\*\] )?(.{1,1500})$"
)
_FULL = r"([A-Z]{1,5}\d{1,5}|invalid-syntax)(?: \[\*\])?:? (.{1,1500})$"
_ARROW = r"\s{0,20}--> ([^\s:][^:]{0,400}?):(\d{1,9}):(\d{1,9})"
_UNFORMATTED = r"(?:Would reformat|would reformat):? (.{1,500})$"


def parse(text: str) -> ToolReport:
    """Every complaint, in any output format."""
    parsed = document(text)
    if isinstance(parsed, list):
        return _json(parsed)
    errors = [_concise(match) for match in matches(_CONCISE, text)] or _full(text)
    errors += [
        error("lint_error", "not formatted", tool="ruff", file=match[1], rule="format")
        for match in matches(_UNFORMATTED, text)
    ]
    return ToolReport(tuple(errors), _metrics(errors, text))


def _metrics(errors: list[StructuredError], text: str) -> VerificationMetrics:
    stated = count(r"^Found (\d{1,9}) errors?", text)
    if stated is None and not errors:
        clean = "All checks passed" in text
        return VerificationMetrics(lint_errors=0) if clean else VerificationMetrics()
    return VerificationMetrics(lint_errors=max(len(errors), stated or 0), lint_warnings=0)


def _concise(match: re.Match[str]) -> StructuredError:
    file, line, column, rule, message = match.groups()
    return _lint(rule, message, file=file, line=line, column=column)


def _full(text: str) -> list[StructuredError]:
    """ruff's default since 0.9: the complaint, then an arrow with the place."""
    errors: list[StructuredError] = []
    head: re.Match[str] | None = None
    for line in text.splitlines():
        arrow = re.match(_ARROW, line[:1000])
        if arrow and head and len(errors) < MOST_ERRORS:
            errors.append(_lint(head[1], head[2], file=arrow[1], line=arrow[2], column=arrow[3]))
        head = re.match(_FULL, line[:2000]) or (head if not arrow else None)
    return errors


def _lint(
    rule: str,
    message: str,
    *,
    file: str,
    line: str | int | None,
    column: str | int | None,
) -> StructuredError:
    broken = rule in ("invalid-syntax", "SyntaxError", "E999")
    return error(
        "syntax_error" if broken else "lint_error",
        message,
        tool="ruff",
        file=file,
        line=line,
        column=column,
        rule=rule,
    )


def _json(parsed: list[Any]) -> ToolReport:
    try:
        errors = [_item(item) for item in parsed[:MOST_ERRORS]]
    except (TypeError, KeyError, AttributeError):
        return ToolReport()
    return ToolReport(tuple(errors), VerificationMetrics(lint_errors=len(errors), lint_warnings=0))


def _item(item: dict[str, Any]) -> StructuredError:
    place = item["location"]
    return _lint(
        str(item.get("code") or "invalid-syntax"),
        str(item["message"]),
        file=str(item["filename"]),
        line=as_int(place["row"]),
        column=as_int(place["column"]),
    )
