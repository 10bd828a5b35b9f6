"""The line that tells what went wrong is found where an engineer would look."""

from __future__ import annotations

import pytest

from hardwon.knowledge.reading.error_line import (
    error_line,
    informative_line,
    traceback_line,
)
from hardwon.knowledge.reading.reports import failing_test


@pytest.mark.parametrize(
    ("output", "line"),
    [
        ("<error>no such row</error>", "no such row"),
        ('{"error": "no such row"}', "no such row"),
        ("    def f():\nE   KeyError: 'x'\na.py:3: KeyError", "KeyError: 'x'"),
        ("E   KeyError: 'a'\nx\nE   ValueError: b", "ValueError: b"),
        ("E   no table\na.py:3: LookupError", "LookupError: no table"),
        (
            "t/a.t .. ok\nno year given at lib/Kit/Year.pm line 6.\nDubious, test returned 255",
            "no year given at lib/Kit/Year.pm line 6.",
        ),
        ("E   assert 1 == 2\na.py:3: AssertionError", "assert 1 == 2"),
        ("E   the order is open\na.py:3: AssertionError", "AssertionError"),
        ('  File "a.py", line 3, in f\n    go()\nKeyError: 1', "KeyError: 1"),
        ('  File "a.py", line 3, in f\n    go()\nStopIteration', "StopIteration: go()"),
        ('  File "a.py", line 3, in f\n    go()\nValueError:\n  too long', "ValueError: too long"),
        ("1 validation error for Args\nage\n  Field required [type=x]", "age: Field required"),
        ("Validation failed for x\n - age[0].b: too old", "age: too old"),
        (
            "TimeoutError: waited 3s.\nCall log:\n  - element is not visible\n  - x",
            "TimeoutError: waited 3s: element is not visible",
        ),
        ("a: b\nCaused by: x.IOException: closed\n\tat y", "x.IOException: closed"),
        ("a.o: in f: undefined reference to `g'\ncollect2", "undefined reference to `g'"),
        ("* What went wrong:\nTask failed.\n> no such jar\n\n* Try:", "no such jar"),
        ("error: no such jar\nmore", "error: no such jar"),
        ("warning: error: odd\nerror: no such jar", "error: no such jar"),
        ("E: unmet package:\n  kit", "E: unmet package: kit"),
        ("E: unmet package:\n1. kit", "E: unmet package:"),
        ("--- FAIL: TestA (0.1s)\n    a_test.go:3: no rows", "a_test.go:3: no rows"),
        ("FAILED a.py::test_x - ValueError: y", "ValueError: y"),
        ("FAILED a.py::test_x - Val...", "FAILED a.py::test_x"),
        ("FAILED a.py::test_x", "FAILED a.py::test_x"),
        ("=== no tests ran in 0.01s ===", "no tests ran"),
        ("one\ntwo cannot go on\nthree\nfour", "two cannot go on"),
        ("Try x: invalid y\nthe value is invalid here\nthree\nfour", "the value is invalid here"),
        ("Use invalid names\ntwo\nthree\nfour", "Use invalid names"),
        ("a\nTOKEN is not set\nb\nc", "TOKEN is not set"),
        ("check: no link to a.md\ntwo\nthree\nfour", "check: no link to a.md"),
        ("one two three", "one two three"),
        ("one\ntwo three\nfour", "two three"),
        ("one two\ntwo two\nthree three\nfour four", ""),
        ("exit code 1", ""),
        ("E1031 SRC", "E1031 SRC"),
        ("E1031", "E1031"),
        ("ORA-00942: x", "ORA-00942: x"),
        ("H7 7", ""),
        ("a\nE1031\nb\nc", ""),
        ("stderr: the row is gone", "the row is gone"),
        ("\x1b[31merror: red\x1b[0m", "error: red"),
        ("│ Error: boxed\n╵", "Error: boxed"),
        ("-----\n=====", ""),
    ],
)
def test_the_line_that_tells(output: str, line: str) -> None:
    assert informative_line(output) == line


def test_an_output_that_tells_nothing_has_a_last_line() -> None:
    assert error_line("a\nb\n\nfailed\n") == "failed"
    assert error_line("") == ""


def test_the_middle_of_a_very_long_output_is_not_read() -> None:
    dull = "x\n" * 4000

    assert informative_line("error: first\n" + dull * 4) == "error: first"
    assert informative_line(dull * 4 + "error: last\n") == "error: last"
    assert informative_line(dull * 2 + "error: middle\n" + dull * 3) == ""


@pytest.mark.parametrize(
    ("output", "name"),
    [
        ("FAILED a.py::TestX::test_y - z\nFAILED a.py::test_z", "test_z"),
        ("FAIL: test_y (a.TestX)", "test_y"),
        ("____ TestX.test_y[a] ____", "test_y"),
        ("    --- FAIL: TestX (0.1s)", "TestX"),
        ("---- mod::test_y stdout ----", "test_y"),
        ("  ● adds up", "adds up"),
        ("ShopTest#test_y [a.rb:3]:", "ShopTest#test_y"),
        ("all is well", ""),
    ],
)
def test_the_last_test_that_failed(output: str, name: str) -> None:
    assert failing_test(output) == name


def test_a_traceback_may_be_indented() -> None:
    lines = ['>   File "a.py", line 3', ">     go()", "> KeyError: 1"]

    assert traceback_line(lines) == "KeyError: 1"
    assert traceback_line(['  File "a.py", line 3', "    go()"]) == ""
    assert traceback_line(["KeyError: 1"]) == ""
