"""eslint and similar linters, as JSON or in the stylish format."""

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
)
from hardwon.learn.trials.values import Severity, StructuredError, VerificationMetrics

_FILE = r"(\S.{0,500}\.[A-Za-z]{1,5})$"
_PROBLEM = r"\s{1,10}(\d{1,9}):(\d{1,9})\s{1,20}(error|warning)\s{1,20}(.{1,1500})$"
_UNIX = (
    r"([^\s:][^:]{0,400}?):(\d{1,9}):(\d{1,9}): (.{1,1500}?) \[(Error|Warning)(?:/(\S{1,100}))?\]$"
)


def parse(text: str) -> ToolReport:
    """Every problem with its file and rule."""
    parsed = document(text)
    return _json(parsed) if isinstance(parsed, list) else _stylish(text)


def _stylish(text: str) -> ToolReport:
    errors: list[StructuredError] = []
    file: str | None = None
    for line in text.splitlines():
        short = line[:2000]
        if match := re.match(_PROBLEM, short):
            errors.append(_problem(file, match))
        elif match := re.match(_UNIX, short):
            errors.append(_unix(match))
        elif match := re.match(_FILE, short):
            file = match[1]
    return ToolReport(tuple(errors[:MOST_ERRORS]), _metrics(errors, text))


def _problem(file: str | None, match: re.Match[str]) -> StructuredError:
    line, column, level, tail = match.groups()
    message, _, rule = tail.rstrip().rpartition("  ")
    return _lint(message.strip() or tail, level, file=file, line=line, column=column, rule=rule)


def _unix(match: re.Match[str]) -> StructuredError:
    file, line, column, message, level, rule = match.groups()
    return _lint(message, level.lower(), file=file, line=line, column=column, rule=rule)


def _lint(
    message: str,
    level: str,
    *,
    file: str | None,
    line: str | int | None,
    column: str | int | None,
    rule: str | None,
) -> StructuredError:
    severity: Severity = "warning" if level == "warning" else "error"
    broken = message.startswith("Parsing error")
    return error(
        "syntax_error" if broken else "lint_error",
        message,
        tool="eslint",
        file=file,
        line=line,
        column=column,
        severity=severity,
        rule=(rule or "").strip() or None,
    )


def _metrics(errors: list[StructuredError], text: str) -> VerificationMetrics:
    stated_errors = count(r"problems? \((\d{1,9}) errors?", text)
    stated_warnings = count(r"problems? \(\d{1,9} errors?, (\d{1,9}) warn", text)
    if stated_errors is None and not errors:
        return VerificationMetrics()
    error_count = sum(problem.severity == "error" for problem in errors)
    return VerificationMetrics(
        lint_errors=max(stated_errors or 0, error_count),
        lint_warnings=max(stated_warnings or 0, len(errors) - error_count),
    )


def _json(files: list[Any]) -> ToolReport:
    try:
        errors = [_item(f, item) for f in files for item in f["messages"]]
        bad = sum(as_int(f.get("errorCount")) for f in files)
        odd = sum(as_int(f.get("warningCount")) for f in files)
    except (TypeError, KeyError, AttributeError):
        return ToolReport()
    metrics = VerificationMetrics(lint_errors=bad, lint_warnings=odd)
    return ToolReport(tuple(errors[:MOST_ERRORS]), metrics)


def _item(file: dict[str, Any], item: dict[str, Any]) -> StructuredError:
    return _lint(
        str(item["message"]),
        "warning" if item.get("severity") == 1 else "error",
        file=str(file["filePath"]),
        line=as_int(item.get("line")),
        column=as_int(item.get("column")),
        rule=str(item.get("ruleId") or ""),
    )
