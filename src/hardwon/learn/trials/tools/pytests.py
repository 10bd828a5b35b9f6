"""pytest, as text."""

from __future__ import annotations

import re

from hardwon.learn.trials.tools.report import ToolReport, blocks, error, matches
from hardwon.learn.trials.values import ErrorType, StructuredError, VerificationMetrics

_COUNT = r"(\d{1,9}) (passed|failed|errors?|xfailed|xpassed|skipped)\b"
_SUMMARY = r"(FAILED|ERROR) ([^\s:]\S*?\.py)(?:::(.{1,400}?))?(?: - (.*))?$"
_HEADER = r"_{2,} (?:ERROR (?:collecting|at (?:setup|teardown) of) )?(.{1,400}?) _{2,}$"
_PLACE = r"([^\s:]{1,400}\.py):(\d{1,9}): "
_UNPARSED = r'E {3,40}File "(.{1,500})", line (\d{1,9})'  # above a SyntaxError


def parse(text: str) -> ToolReport:
    """Every failed test and every collection error, with its place."""
    traces = {head[1]: lines for head, lines in blocks(_HEADER, text)}
    errors = tuple(_failure(line, traces) for line in matches(_SUMMARY, text))
    return ToolReport(errors or tuple(_from_traces(traces)), _metrics(text))


def _failure(line: re.Match[str], traces: dict[str, list[str]]) -> StructuredError:
    verdict, file, test, message = line.groups()
    lines = traces.get((test or "").replace("::", "."), traces.get(file, []))
    place_file, place_line = _place(lines, file)
    words = message or _exception(lines) or f"{test or file} failed"
    return error(
        kind_of(words, verdict),
        words,
        tool="pytest",
        file=place_file,
        line=place_line,
        trace="\n".join(lines),
        test=f"{file}::{test}" if test else file,
    )


def _from_traces(traces: dict[str, list[str]]) -> list[StructuredError]:
    """The failures when the short summary was switched off."""
    errors = []
    for name, lines in traces.items():
        if words := _exception(lines):
            file, line = _place(lines, "")
            kind = kind_of(words, "FAILED")
            trace = "\n".join(lines)
            errors.append(
                error(kind, words, tool="pytest", file=file, line=line, trace=trace, test=name)
            )
    return errors


def kind_of(message: str, verdict: str) -> ErrorType:
    """The kind of failure; a test that could not be collected is a runtime error."""
    if re.match(r"(?:E +)?(?:SyntaxError|IndentationError|TabError)\b", message):
        return "syntax_error"
    return "test_failure" if verdict == "FAILED" else "runtime_error"


def _place(lines: list[str], file: str) -> tuple[str, str | None]:
    """The file that cannot be parsed, else the last place named in a traceback."""
    places = [place for line in lines if (place := re.match(_UNPARSED, line))]
    places = places or [place for line in lines if (place := re.match(_PLACE, line))]
    return (places[-1][1], places[-1][2]) if places else (file, None)


def _exception(lines: list[str]) -> str:
    messages = [line[1:] for line in lines if re.match(r"E {3,}\S", line)]
    is_unparsed = any(re.match(_UNPARSED, line) for line in lines)  # then its code comes first
    return messages[-1 if is_unparsed else 0].strip() if messages else ""


def _metrics(text: str) -> VerificationMetrics:
    counts: dict[str, int] = {}
    for line in text.splitlines():
        if re.search(r" in \d[\d.]{0,12}s\b", line[-80:]) and re.search(_COUNT, line[:400]):
            counts = {word.rstrip("s"): int(n) for n, word in re.findall(_COUNT, line[:400])}
    if not counts:
        return VerificationMetrics(coverage_percentage=_coverage(text))
    passed = counts.get("passed", 0) + counts.get("xfailed", 0)
    failed = counts.get("failed", 0) + counts.get("error", 0)
    return VerificationMetrics(passed, failed, passed + failed, _coverage(text))


def _coverage(text: str) -> float | None:
    totals = [m[1] for m in matches(r"TOTAL\s.{0,200}?\s(\d{1,3}(?:\.\d{1,3})?)%$", text)]
    return min(float(totals[-1]), 100.0) if totals else None
