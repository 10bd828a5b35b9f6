"""What tools printed, and what it says."""

from __future__ import annotations

from pathlib import Path

from hardwon.core.text.clean import clean
from hardwon.learn.trials.diagnostics import ToolReport
from hardwon.learn.trials.tools import tool_of

OUTPUTS = Path(__file__).parent / "outputs"


def read(name: str, command: str = "make check") -> tuple[str, ToolReport]:
    text = clean((OUTPUTS / name).read_text())
    tool = tool_of(command, text)
    return tool.name, tool.parse(text)


def seen(report: ToolReport) -> list[tuple[object, ...]]:
    return [(e.type, e.file, e.line, e.test or e.rule) for e in report.errors]


def check_tests(name: str, tool: str, errors: list[tuple], tests: tuple) -> None:
    """That an output is known, with these errors and this many tests."""
    found, report = read(name)

    assert found == tool
    assert seen(report) == errors
    assert counted(report) == tests


def check_types(name: str, tool: str, errors: list[tuple]) -> None:
    """That an output is known, with these type errors."""
    found, report = read(name)

    assert found == tool
    assert seen(report) == errors
    assert report.metrics.type_errors == len(errors)


def counted(report: ToolReport) -> tuple[int | None, ...]:
    return report.metrics.tests_passed, report.metrics.tests_failed, report.metrics.tests_total
