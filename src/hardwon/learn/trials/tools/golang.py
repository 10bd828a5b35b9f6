"""go test, go build and go vet; with `-json` too."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from hardwon.learn.trials.tools.report import MOST_ERRORS, ToolReport, error, matches
from hardwon.learn.trials.values import StructuredError, VerificationMetrics

if TYPE_CHECKING:
    from collections.abc import Iterable

_VERDICT = r"\s{0,40}--- (PASS|FAIL|SKIP): (\S{1,300})"
_RUNNING = r"=== (?:RUN|CONT|NAME)\s{1,4}(\S{1,300})"
_PLACE = r"\s{1,40}([^\s:]{1,300}\.go):(\d{1,9}): (.{0,1500})$"
_COMPILER = r"(?:vet: )?([^\s:][^:]{0,300}\.go):(\d{1,9}):(?:(\d{1,9}):)? (.{1,1500})$"


def parse(text: str) -> ToolReport:
    """Every failed test with its first message; what does not compile; panics."""
    plain = _unwrapped(text) if text.lstrip().startswith('{"') else text
    tests, verdicts = _tests(plain)
    built = [
        error("syntax_error" if "syntax error" in m[4] else "type_error", m[4],
              tool="go", file=m[1], line=m[2], column=m[3])
        for m in matches(_COMPILER, plain)
    ]  # fmt: skip
    panics = [error("runtime_error", m[1], tool="go") for m in matches(r"(panic: .{1,500})", plain)]
    good, bad = verdicts.count("PASS"), verdicts.count("FAIL")
    metrics = VerificationMetrics(good, bad, good + bad) if verdicts else VerificationMetrics()
    return ToolReport((*built, *tests, *panics)[:MOST_ERRORS], metrics)


def _tests(text: str) -> tuple[list[StructuredError], list[str]]:
    """The failed tests, and the verdict on every test that has no tests below it."""
    places: dict[str, re.Match[str]] = {}
    verdicts: dict[str, str] = {}
    current = ""
    for line in text.splitlines():
        short = line[:2000]
        if place := re.match(_PLACE, short):
            places.setdefault(current, place)
        elif running := re.match(_RUNNING, short):
            current = running[1]
        elif verdict := re.match(_VERDICT, short):  # without -v, the messages follow the verdict
            current = verdict[2]
            verdicts[current] = verdict[1]
    leaves = {name: how for name, how in verdicts.items() if not _has_below(name, verdicts)}
    failed = [name for name, how in verdicts.items() if how == "FAIL"]
    failing = [name for name in failed if name in leaves or name in places]
    return [_failure(name, places.get(name)) for name in failing], list(leaves.values())


def _has_below(name: str, names: Iterable[str]) -> bool:
    return any(candidate.startswith(f"{name}/") for candidate in names)


def _failure(test: str, place: re.Match[str] | None) -> StructuredError:
    if place is None:
        return error("test_failure", f"{test} failed", tool="go", test=test)
    file, line, message = place.groups()
    return error("test_failure", message, tool="go", file=file, line=line, test=test)


def _unwrapped(text: str) -> str:
    """The output inside the events of `go test -json`."""
    parts = []
    for line in text.splitlines():
        try:
            event = json.loads(line)
        except (ValueError, RecursionError):
            parts.append(line + "\n")
            continue
        if isinstance(event, dict) and isinstance(event.get("Output"), str):
            parts.append(event["Output"])
    return "".join(parts)
