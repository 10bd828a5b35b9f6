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
        ('  File "a.py", line 3, in f\n    go()\nKeyError: 1', "KeyError: 1"),
        (
            "a.o: in f: undefined reference to `g'\ncollect2",
            "a.o: in f: undefined reference to `g'",
        ),
        ("a: b\nCaused by: x.IOException: closed\n\tat y", "Caused by: x.IOException: closed"),
        ("--- FAIL: TestA (0.1s)\n    a_test.go:3: no rows", "a_test.go:3: no rows"),
        ("FAILED a.py::test_x - ValueError: y", "FAILED a.py::test_x - ValueError: y"),
        ("error: no such jar\nmore", "error: no such jar"),
        ("one\ntwo cannot go on\nthree\nfour", "two cannot go on"),
        ("a\nTOKEN is not set\nb\nc", "TOKEN is not set"),
        ("check: no link to a.md\ntwo\nthree\nfour", "check: no link to a.md"),
        ("check: no link to a.md\ncheck: it is done now\nthree\nfour", ""),
        ("one two three", "one two three"),
        ("one\ntwo three\nfour", "two three"),
        ("one two\ntwo two\nthree three\nfour four", ""),
        ("exit code 1", ""),
        ("E1031 SRC", "E1031 SRC"),
        ("E1031", "E1031"),
        ("ORA-00942: x", "ORA-00942: x"),
        ("a\nE1031\nb\nc", ""),
        ("stderr: the row is gone", "the row is gone"),
        ("\x1b[31merror: red\x1b[0m", "error: red"),
        ("│ Error: boxed\n╵", "Error: boxed"),
        ("-----\n=====", ""),
    ],
)
def test_the_line_that_tells(output: str, line: str) -> None:
    assert informative_line(output) == line


@pytest.mark.parametrize(
    ("lines", "line"),
    [
        (("ValueError: a", "KeyError", "x: error: b", "it cannot go on"), "ValueError: a"),
        (("KeyError", "x: error: b", "it cannot go on"), "KeyError"),
        (("x: error: b", "it cannot go on"), "x: error: b"),
        (("kit: it cannot go on", "it cannot end"), "kit: it cannot go on"),
        (("x: error: a", "a.c:3: error: b"), "a.c:3: error: b"),
        (("ValueError: a", "  KeyError: b"), "ValueError: a"),
        (("it cannot go on", "Run x, it must not fail", "hint: x is missing"), "it cannot go on"),
        (("Use no invalid names", "x is new"), "Use no invalid names"),
        (("x cannot go on", "3 passed; 1 failed; 0 ignored", "Found 2 errors"), "x cannot go on"),
        (("x cannot go on", "===== 1 error =====", "FAIL a/b 0.3s"), "x cannot go on"),
        (("x cannot go on", "warning: error: odd", "a/b.py:3: SomeWarning: odd"), "x cannot go on"),
        (("SomeWarning: odd", "it cannot go on"), "SomeWarning: odd"),
        (("2026-01-02 10:11:12 1 failed bind", "done"), "2026-01-02 10:11:12 1 failed bind"),
        (("ValueError:", "  too long"), "ValueError: too long"),
        (("kit: missing package:", "  ab"), "kit: missing package: ab"),
        (("call.id", "  Field is required"), "call.id: Field is required"),
        (("2 errors for the call", "call.id", "  Field is required"), "call.id: Field is required"),
        (("E   KeyError: 'a'", "x", "E   ValueError: b", "E   + c"), "ValueError: b"),
        (("E   assert 1 == 2", "E    +  where 1 = f()", "a.py:3: LookupError"), "assert 1 == 2"),
        (("E   it differs", "E   ValueError: b"), "ValueError: b"),
        (("a.py:3:5: an odd name", "x"), "a.py:3:5: an odd name"),
        (("a_test.py:9: got 3, want 4", "FAIL"), "a_test.py:9: got 3, want 4"),
        (("error: expected 2 fields, got 3", "x"), "error: expected 2 fields, got 3"),
        (("a.x(1,1): error E23: an odd name", "x"), "a.x(1,1): error E23: an odd name"),
        (("kit: a.x:1: an odd name", "  a.x:9: in main"), "kit: a.x:1: an odd name"),
        (("kit error a is not here", "kit error Log: /a.log"), "kit error a is not here"),
        (("[ERROR] no rows: x", "[ERROR] -> [Help 1]", "[ERROR] See a: b"), "[ERROR] no rows: x"),
        (("[ERROR] no rows: x", "[ERROR] [Help 1] http://a/b"), "[ERROR] no rows: x"),
        (("a: limit exceeded: 120 > 100", "x"), "a: limit exceeded: 120 > 100"),
        (("it cannot go on", "result: FAILED. 2 passed; 3 of 9 failed"), "it cannot go on"),
        (("    ^-- an odd name is invalid", "x"), "an odd name is invalid"),
    ],
)
def test_the_line_that_looks_most_like_an_error_tells(lines: tuple[str, ...], line: str) -> None:
    dull = "all of it\n" * 4

    assert informative_line(f"{dull}{chr(10).join(lines)}\n{dull}") == line


def test_an_output_that_tells_nothing_has_a_last_line() -> None:
    assert error_line("a b\nc d\ne f\n\nthe end\n") == "the end"
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


def test_a_line_with_numbers_in_quotes_or_tags_counts_nothing() -> None:
    assert error_line('done\nBoom: <b>alert("1")</b> at 2\n') == 'Boom: <b>alert("1")</b> at 2'
    assert informative_line("3 passed, 1 failed in 0.3s") == ""


def test_a_traceback_may_be_indented() -> None:
    lines = ['>   File "a.py", line 3', ">     go()", "> KeyError: 1"]

    assert traceback_line(lines) == "KeyError: 1"
    assert traceback_line(['  File "a.py", line 3', "    go()"]) == ""
    assert traceback_line(["KeyError: 1"]) == ""
