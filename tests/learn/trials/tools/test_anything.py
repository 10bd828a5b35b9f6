"""What tools print that nobody knows."""

from __future__ import annotations

from hardwon.learn.trials.tools import tool_of


def test_an_unknown_tool_tells_its_most_telling_line() -> None:
    report = tool_of("smoke").parse("starting\nconnect: Connection refused\nbye\n")

    assert [e.message for e in report.errors] == ["connect: Connection refused"]


def test_lines_of_compilers_are_understood_without_knowing_the_compiler() -> None:
    report = tool_of("check").parse("main.c:3:5: error: expected ';'\nmain.c:9: warning: unused\n")

    assert [(e.file, e.line, e.severity) for e in report.errors] == [
        ("main.c", 3, "error"),
        ("main.c", 9, "warning"),
    ]
