"""Type checkers of Python: mypy and pyright."""

from __future__ import annotations

import itertools
import re
from typing import Any

from hardwon.learn.trials.tools.report import (
    MOST_ERRORS,
    ToolReport,
    as_int,
    blocks,
    count,
    document,
    error,
    matches,
)
from hardwon.learn.trials.values import Severity, StructuredError, VerificationMetrics

_MYPY = (
    r"([^\s:][^:]{0,400}?):(\d{1,9}):(?:(\d{1,9}):)?(?:\d{1,9}:\d{1,9}:)? "
    r"(error|warning): (.{1,1500}?)(?:  \[([a-z0-9-]{1,60})\])?$"
)
_PYRIGHT = (
    r"\s*([^\s:][^:]{0,400}?):(\d{1,9}):(\d{1,9}) - (error|warning|information): "
    r"(.{1,1500}?)(?: \((report\w{1,60})\))?$"
)
_SEVERITIES: dict[str, Severity] = {"error": "error", "warning": "warning"}


def mypy(text: str) -> ToolReport:
    """Every line of mypy's that is not a note."""
    errors = tuple(_typed(match, "mypy") for match in matches(_MYPY, text))
    stated = count(r"^Found (\d{1,9}) errors? in ", text)
    if stated is None and not errors and "Success: no issues found" in text:
        stated = 0
    return ToolReport(errors, _metrics(errors, stated))


def pyright(text: str) -> ToolReport:
    """pyright's lines, or its JSON."""
    parsed = document(text)
    if isinstance(parsed, dict):
        return _pyright_json(parsed)
    errors = tuple(_with_rule(*block) for block in blocks(_PYRIGHT, text))[:MOST_ERRORS]
    return ToolReport(errors, _metrics(errors, count(r"^(\d{1,9}) errors?, \d{1,9} warn", text)))


def _typed(match: re.Match[str], tool: str) -> StructuredError:
    file, line, column, level, message, rule = match.groups()
    return error(
        "syntax_error"
        if rule == "syntax" or message.startswith("invalid syntax")
        else "type_error",
        message,
        tool=tool,
        file=file,
        line=line,
        column=column,
        severity=_SEVERITIES.get(level, "info"),
        rule=rule,
    )


def _with_rule(match: re.Match[str], below: list[str]) -> StructuredError:
    """The error with its rule: pyright may name it at the end of indented lines below."""
    continuation = list(itertools.takewhile(lambda line: line[:2].isspace(), below))[:10]
    typed = _typed(match, "pyright")
    rule = re.search(r"\((report\w{1,60})\)$", continuation[-1]) if continuation else None
    return typed._replace(rule=rule[1]) if rule and not typed.rule else typed


def _metrics(errors: tuple[StructuredError, ...], stated: int | None) -> VerificationMetrics:
    error_count = sum(problem.severity == "error" for problem in errors)
    if stated is None and not errors:
        return VerificationMetrics()
    return VerificationMetrics(type_errors=max(error_count, stated or 0))


def _pyright_json(parsed: dict[str, Any]) -> ToolReport:
    try:
        items = parsed.get("generalDiagnostics", [])[:MOST_ERRORS]
        errors = tuple(_diagnostic(item) for item in items)
        stated = as_int(parsed.get("summary", {}).get("errorCount"))
    except (AttributeError, TypeError, KeyError):
        return ToolReport()
    return ToolReport(errors, _metrics(errors, stated))


def _diagnostic(item: dict[str, Any]) -> StructuredError:
    start = item.get("range", {}).get("start", {})
    return error(
        "type_error",
        str(item["message"]),
        tool="pyright",
        file=str(item["file"]),
        line=as_int(start.get("line")) + 1,
        column=as_int(start.get("character")) + 1,
        severity=_SEVERITIES.get(str(item.get("severity")), "info"),
        rule=str(item["rule"]) if item.get("rule") else None,
    )
