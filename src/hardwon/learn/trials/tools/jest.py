"""jest and vitest, as text or JSON."""

from __future__ import annotations

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
from hardwon.learn.trials.values import StructuredError, VerificationMetrics

_JEST = r"\s{1,4}● (?!Console|Validation)(.{1,500})$"
_VITEST = r"\s{0,3}FAIL\s{1,3}(\S{1,300}(?: > .{1,400}| \[ .{1,300} \]))$"
_PLACE = (
    r"(?:\s{1,20}at .{0,300}?\(?|\s{0,10}❯ )([^\s():]{1,400}\.[cm]?[jt]sx?):(\d{1,9}):(\d{1,9})\)?"
)


def parse(text: str) -> ToolReport:
    """Every failed test, once."""
    parsed = document(text)
    if isinstance(parsed, dict):
        return _json(parsed)
    by_test: dict[str, StructuredError] = {}
    for header, tool in ((_JEST, "jest"), (_VITEST, "vitest")):
        for head, lines in blocks(header, text):
            name = head[1].strip()
            by_test.setdefault(name, _failure(name, lines, tool))
    failures = tuple(by_test.values())[:MOST_ERRORS]
    return ToolReport((*failures, *_thresholds(text)), _metrics(text))


def _thresholds(text: str) -> list[StructuredError]:
    """Missed coverage thresholds, which fail a run although all its tests pass."""
    return [
        error("other", line[1], tool="jest", rule="coverage")
        for line in matches(r"\s{0,4}(?:Jest|ERROR): (.{0,200}coverage .{0,200}threshold.*)", text)
    ]


def _failure(name: str, lines: list[str], tool: str) -> StructuredError:
    words = [line.strip() for line in lines if line.strip()]
    places = [m for line in lines if (m := re.match(_PLACE, line)) and "node_modules" not in m[1]]
    return error(
        "syntax_error" if any("SyntaxError" in line for line in words[:8]) else "test_failure",
        _message(words) or name,
        tool=tool,
        file=places[0][1] if places else None,
        line=places[0][2] if places else None,
        column=places[0][3] if places else None,
        trace="\n".join(lines[:60]),
        test=name,
    )


def _message(words: list[str]) -> str:
    """The first line, with the expected and the received value."""
    details = [line for line in words[:30] if re.match(r"(?:Expected|Received)\b", line)]
    return " ".join([*words[:1], *(line for line in details if line not in words[:1])])


def _metrics(text: str) -> VerificationMetrics:
    line = r"^\s{0,8}Tests:?\s.{0,200}?"
    failed, passed = (
        count(rf"{line}(\d{{1,9}}) failed", text),
        count(rf"{line}(\d{{1,9}}) pass", text),
    )
    if failed is None and passed is None:
        return VerificationMetrics(coverage_percentage=_coverage(text))
    good, bad = passed or 0, failed or 0
    return VerificationMetrics(good, bad, good + bad, _coverage(text))


def _coverage(text: str) -> float | None:
    """Lines covered, in the row for all files of the table that `--coverage` prints."""
    cell = r"\s{0,20}[\d.]{1,8}\s{0,20}\|"
    row = rf"All files\s{{0,200}}\|{cell}{cell}{cell}\s{{0,20}}(\d{{1,3}}(?:\.\d{{1,4}})?)\s"
    shares = [float(match[1]) for match in matches(row, text)]
    return min(shares[-1], 100.0) if shares else None


def _json(parsed: dict[str, Any]) -> ToolReport:
    try:
        cases = [(f, c) for f in parsed["testResults"] for c in f.get("assertionResults", [])]
        errors = [_case(f, c) for f, c in cases if c.get("status") == "failed"]
    except (TypeError, KeyError, AttributeError):
        return ToolReport()
    good, bad = as_int(parsed.get("numPassedTests")), as_int(parsed.get("numFailedTests"))
    return ToolReport(tuple(errors[:MOST_ERRORS]), VerificationMetrics(good, bad, good + bad))


def _case(file: dict[str, Any], case: dict[str, Any]) -> StructuredError:
    trace = "\n".join(map(str, case.get("failureMessages") or []))
    place = case.get("location") or {}
    return error(
        "test_failure",
        trace.strip().split("\n")[0],
        tool="jest",
        file=str(file.get("name") or ""),
        line=as_int(place.get("line")) or None,
        column=as_int(place.get("column")) or None,
        trace=trace,
        test=str(case.get("fullName") or case.get("title") or ""),
    )
