"""JUnit XML, as pytest and many others write it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from hardwon.learn.trials.tools.report import MOST_ERRORS, ToolReport, error
from hardwon.learn.trials.values import VerificationMetrics

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    from hardwon.learn.trials.values import StructuredError


def parse(text: str) -> ToolReport:
    """Every failure and error; nothing when it is not XML or would expand entities."""
    start = text.find("<?xml") if "<?xml" in text else text.find("<testsuite")
    if start < 0 or "<!DOCTYPE" in text or "<!ENTITY" in text:
        return ToolReport()
    try:
        root = ElementTree.fromstring(text[start:].strip())
    except (ElementTree.ParseError, ValueError):
        return ToolReport()
    cases = list(root.iter("testcase"))
    bad = [(case, problem) for case in cases if (problem := _problem(case)) is not None]
    skipped = sum(case.find("skipped") is not None for case in cases)
    ran = len(cases) - skipped
    metrics = VerificationMetrics(ran - len(bad), len(bad), ran)
    return ToolReport(tuple(_failure(*pair) for pair in bad[:MOST_ERRORS]), metrics)


def _problem(case: Element) -> Element | None:
    failure = case.find("failure")
    return failure if failure is not None else case.find("error")


def _failure(case: Element, problem: Element) -> StructuredError:
    trace = problem.text or ""
    place = re.findall(r"^([^\s:]{1,400}):(\d{1,9}): ", trace[-8000:], re.MULTILINE)
    file, line = place[-1] if place else (case.get("file"), case.get("line"))
    return error(
        "test_failure" if problem.tag == "failure" else "runtime_error",
        problem.get("message") or trace.strip()[:200],
        tool="junit",
        file=file,
        line=line,
        trace=trace,
        test=f"{case.get('classname') or ''}.{case.get('name') or ''}".strip("."),
    )
