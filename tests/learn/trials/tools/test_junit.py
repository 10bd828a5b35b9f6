"""JUnit XML."""

from __future__ import annotations

import pytest

from hardwon.learn.trials.diagnostics import ToolReport
from hardwon.learn.trials.tools import tool_of
from tests.learn.trials.printed import check_tests


def test_entities_in_xml_are_not_expanded() -> None:
    bomb = '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaa">]><testsuite>&a;</testsuite>'

    assert tool_of("", bomb).parse(bomb) == ToolReport()


@pytest.mark.parametrize(
    ("name", "tool", "errors", "tests"),
    [
        (
            "junit.xml",
            "junit",
            [
                ("test_failure", "test_calc.py", 6, "test_calc.TestAdd.test_adds"),
                ("runtime_error", "test_calc.py", 11, "test_calc.test_setup"),
            ],
            (1, 2, 3),
        ),
    ],
)
def test_failed_tests_are_found_with_their_place(
    name: str, tool: str, errors: list[tuple], tests: tuple
) -> None:
    check_tests(name, tool, errors, tests)
