"""What tools print, as they really printed it, becomes errors and counts."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hardwon
from hardwon.core.processes import Finished
from hardwon.core.text.clean import clean
from hardwon.learn.trials.roles import judge, verifier
from hardwon.learn.trials.tools import KNOWN, ToolReport, read_report, tool_of

OUTPUTS = Path(__file__).parent / "outputs"


def read(name: str, command: str = "make check") -> tuple[str, ToolReport]:
    """The tool and the report of a stored output."""
    text = clean((OUTPUTS / name).read_text())
    tool = tool_of(command, text)
    return tool.name, read_report(text, tool)


def read_text(command: str, output: str) -> ToolReport:
    """The report of a verifier that printed this and failed."""
    return judge(verifier(command), Finished(1, output, "", 0.1), cwd="/elsewhere")[1]


def seen(report: ToolReport) -> list[tuple[object, ...]]:
    return [(e.type, e.file, e.line, e.test or e.rule) for e in report.errors]


def count(report: ToolReport) -> tuple[int | None, ...]:
    return report.metrics.tests_passed, report.metrics.tests_failed, report.metrics.tests_total


@pytest.mark.parametrize(
    ("command", "tool", "kind"),
    [
        ("python3 -m pytest -q", "pytest", "unit_tests"),
        ("cd api && .venv/bin/mypy .", "mypy", "type_check"),
        ("ruff check", "ruff", "lint"),
        ("npx tsc --noEmit", "tsc", "type_check"),
        ("cargo +nightly test", "cargo test", "unit_tests"),
        ("go vet ./...", "go build", "compilation"),
        ("make", "make", "compilation"),
        ("./check-mypytest", "check-mypytest", "heuristic"),
    ],
)
def test_a_tool_is_known_by_its_command(command: str, tool: str, kind: str) -> None:
    found = tool_of(command)

    assert (found.name, found.kind) == (tool, kind)


GO = [
    ("test_failure", "calc_test.go", 3, "TestAdd"),
    ("test_failure", "calc_test.go", 5, "TestSub/deep"),
]
NONE = (None, None, None)


@pytest.mark.parametrize(
    ("name", "tool", "errors", "tests"),
    [
        ("pytest.txt", "pytest",
         [("test_failure", "test_calc.py", 6, "test_calc.py::TestAdd::test_adds"),
          ("runtime_error", "test_calc.py", 11, "test_calc.py::test_setup")], (1, 2, 3)),
        ("unittest.txt", "unittest",
         [("test_failure", "/repo/test_calc.py", 6, "test_calc.TestAdd.test_adds")], (1, 1, 2)),
        ("jest.txt", "jest", [("test_failure", "sum.test.js", 1, "sum › adds")], (1, 1, 2)),
        ("jest.json", "jest",
         [("test_failure", "/repo/sum.test.js", None, "sum adds")], (1, 1, 2)),
        ("vitest.txt", "vitest",
         [("test_failure", "s.test.ts", 2, "s.test.ts > sum > adds")], (1, 1, 2)),
        ("go.txt", "go test", GO, (0, 2, 2)),
        ("go-v.txt", "go test", GO, (1, 2, 3)),
        ("go.json", "go test", GO, (1, 2, 3)),
        ("go-build.txt", "go test", [("type_error", "./calc.go", 2, None)], NONE),
        ("cargo.txt", "cargo test", [("test_failure", "src/lib.rs", 6, "tests::adds")], (1, 1, 2)),
        ("cargo-build.txt", "cargo build",
         [("type_error", "src/lib.rs", 2, "E0425"), ("type_error", "src/lib.rs", 1, "E0308")],
         NONE),
        ("junit.xml", "junit",
         [("test_failure", "test_calc.py", 6, "test_calc.TestAdd.test_adds"),
          ("runtime_error", "test_calc.py", 11, "test_calc.test_setup")], (1, 2, 3)),
    ],
)  # fmt: skip
def test_failed_tests_are_found_with_their_place(
    name: str, tool: str, errors: list[tuple], tests: tuple
) -> None:
    found, report = read(name)

    assert found == tool
    assert seen(report) == errors
    assert count(report) == tests


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("pytest.txt", "AssertionError: '3' != 3"),
        ("unittest.txt", "AssertionError: '3' != 3"),
        ("jest.txt", "Expected: 3 Received: 2"),
        ("vitest.txt", "AssertionError: expected 2 to be 3 // Object.is equality"),
        ("go.txt", "Add(1, 2) = -1; want 3"),
        ("go-v.txt", "Add(1, 2) = -1; want 3"),
        ("cargo.txt", "assertion `left == right` failed left: -1 right: 3"),
    ],
)  # fmt: skip
def test_the_message_of_a_failed_test_is_kept(name: str, message: str) -> None:
    assert message in read(name)[1].errors[0].message


@pytest.mark.parametrize(
    ("name", "tool", "errors"),
    [
        ("mypy.txt", "mypy", [("type_error", "calc.py", 3, "return-value")]),
        ("pyright.txt", "pyright", [("type_error", "/repo/calc.py", 3, "reportReturnType")]),
        ("pyright.json", "pyright", [("type_error", "/repo/calc.py", 3, "reportReturnType")]),
        ("tsc.txt", "tsc",
         [("type_error", "src/a.ts", 1, "TS2322"), ("type_error", "src/a.ts", 2, "TS2551")]),
    ],
)  # fmt: skip
def test_type_errors_are_found_and_counted(name: str, tool: str, errors: list[tuple]) -> None:
    found, report = read(name)

    assert found == tool
    assert seen(report) == errors
    assert report.metrics.type_errors == len(errors)


def test_the_pretty_form_of_tsc_says_the_same() -> None:
    assert seen(read("tsc-pretty.txt", "npx tsc --noEmit")[1]) == seen(read("tsc.txt")[1])


@pytest.mark.parametrize("name", ["ruff.txt", "ruff-concise.txt", "ruff.json"])
def test_every_form_of_ruff_says_the_same(name: str) -> None:
    tool, report = read(name)

    assert tool == "ruff"
    assert [
        (t, str(f).removeprefix("/repo/"), line, rule) for t, f, line, rule in seen(report)
    ] == [
        ("lint_error", "calc.py", 1, "I001"),
        ("lint_error", "calc.py", 1, "F401"),
        ("lint_error", "test_calc.py", 1, "I001"),
    ]
    assert report.metrics.lint_errors == 3


@pytest.mark.parametrize("name", ["eslint.txt", "eslint.json"])
def test_every_form_of_eslint_says_the_same(name: str) -> None:
    tool, report = read(name)

    assert tool == "eslint"
    assert [e.severity for e in report.errors] == ["warning", "error", "error"]
    assert [e.rule for e in report.errors] == ["no-var", "no-unused-vars", "no-undef"]
    assert (report.metrics.lint_errors, report.metrics.lint_warnings) == (2, 1)


def test_problems_beyond_those_that_are_kept_are_counted() -> None:
    rows = "\n".join(f"a.py:{line}: error: Bad type  [misc]" for line in range(1, 251))
    mypy = read_text("mypy .", f"{rows}\nFound 250 errors in 1 file (checked 1 source file)\n")
    eslint = read_text("eslint .", "/a.js\n  3:4  error  no foo  no-undef\n\n"
                       "✖ 340 problems (300 errors, 40 warnings)\n")  # fmt: skip

    assert mypy.metrics.type_errors == 250
    assert (eslint.metrics.lint_errors, eslint.metrics.lint_warnings) == (300, 40)


def test_an_unknown_tool_gives_its_error_line() -> None:
    report = read_text("smoke", "starting\nconnect: Connection refused\nbye\n")

    assert [e.message for e in report.errors] == ["connect: Connection refused"]


def test_lines_of_compilers_are_understood_without_knowing_the_compiler() -> None:
    report = read_text("check", "main.c:3:5: error: expected ';'\nmain.c:9: warning: unused\n")

    assert [(e.file, e.line, e.severity) for e in report.errors] == [
        ("main.c", 3, "error"),
        ("main.c", 9, "warning"),
    ]


LINE = """\
==================== ERRORS ====================
________ ERROR at setup of test_setup ________
test_calc.py:13: in bad
E   RuntimeError: no fixture
==================== FAILURES ====================
/repo/calc.py:4: KeyError: 'k'
==================== short test summary info ====================
FAILED test_calc.py::test_key - KeyError: 'k'
ERROR test_calc.py::test_setup - RuntimeError: no fixture
1 failed, 1 error in 0.10s
"""


@pytest.mark.parametrize(
    ("command", "output", "errors"),
    [
        ("pytest nosuch.py", "no tests ran in 0.00s\nERROR: file or directory not found: nosuch.py",
         [("other", None, None, None)]),
        ("pytest --tb=line", LINE,
         [("test_failure", "test_calc.py", None, "test_calc.py::test_key"),
          ("runtime_error", "test_calc.py", 13, "test_calc.py::test_setup")]),
        ("gcc -c t.c",
         "t.c: In function 'main':\nt.c:1:34: error: 'y' undeclared\nt.c:1:34: note: only once",
         [("type_error", "t.c", 1, None)]),
    ],
    ids=["no file", "one line each", "notes"],
)  # fmt: skip
def test_what_is_no_error_of_its_own_is_left_out(
    command: str, output: str, errors: list[tuple]
) -> None:
    assert seen(read_text(command, output)) == errors


TWINS = """\
=================================== FAILURES ===================================
___________________________________ test_ends ___________________________________
a/test_cart.py:3: in test_ends
    assert total() == 1
E   assert 0 == 1
___________________________________ test_ends ___________________________________
b/test_cart.py:7: in test_ends
    assert total() == 2
E   assert 0 == 2
=========================== short test summary info ============================
FAILED a/test_cart.py::test_ends - assert 0 == 1
FAILED b/test_cart.py::test_ends - assert 0 == 2
ERROR c/test_cart.py - SyntaxError: invalid syntax
2 failed, 1 error in 0.10s
"""


def test_tests_with_one_name_keep_their_own_places() -> None:
    report = read_text("pytest", TWINS)

    assert seen(report) == [
        ("test_failure", "a/test_cart.py", 3, "a/test_cart.py::test_ends"),
        ("test_failure", "b/test_cart.py", 7, "b/test_cart.py::test_ends"),
        ("syntax_error", "c/test_cart.py", None, "c/test_cart.py"),
    ]
    assert count(report) == (0, 3, 3)


COVERAGE = """\
PASS ./sum.test.js
----------|---------|----------|---------|---------|-------------------
File      | % Stmts | % Branch | % Funcs | % Lines | Uncovered Line #s
----------|---------|----------|---------|---------|-------------------
All files |   85.71 |       50 |     100 |   83.33 |
 sum.js   |   85.71 |       50 |     100 |   83.33 | 4
----------|---------|----------|---------|---------|-------------------

Jest: "global" coverage threshold for lines (90%) not met: 83.33%
Test Suites: 1 passed, 1 total
Tests:       5 passed, 5 total
"""


def test_the_table_of_jests_coverage_is_read() -> None:
    report = read_text("npx jest --coverage", COVERAGE)

    assert count(report) == (5, 0, 5)
    assert report.metrics.coverage_percentage == 83.33
    assert [(e.rule, e.message) for e in report.errors] == [
        ("coverage", '"global" coverage threshold for lines (90%) not met: 83.33%')
    ]


def test_entities_in_xml_are_not_expanded() -> None:
    bomb = '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaa">]><testsuite>&a;</testsuite>'

    assert read_report(bomb, tool_of("", bomb)) == ToolReport()


TRACEBACK = """\
checking
Traceback (most recent call last):
  File "/repo/check.py", line 3, in <module>
    main()
  File "/repo/shop/cart.py", line 12, in average
    json.loads(text)
  File "/usr/lib/python3.12/json/__init__.py", line 346, in loads
    return _default_decoder.decode(s)
shop.errors.BadCart: expected a price
"""


@pytest.mark.parametrize(
    ("output", "place", "message", "kind"),
    [
        (TRACEBACK, ("/repo/shop/cart.py", 12), "shop.errors.BadCart: expected a price",
         "runtime_error"),
        (f"{TRACEBACK}\nDuring handling of the above exception, another exception occurred:\n\n"
         'Traceback (most recent call last):\n  File "/repo/b.py", line 7, in f\nKeyError: 1\n',
         ("/repo/b.py", 7), "KeyError: 1", "runtime_error"),
        ('  File "/repo/a.py", line 2\n    x = (\n        ^\nSyntaxError: \'(\' was never closed\n',
         ("/repo/a.py", 2), "SyntaxError: '(' was never closed", "syntax_error"),
    ],
    ids=["own code", "chained", "syntax"],
)  # fmt: skip
def test_a_bare_traceback_keeps_file_and_line(
    output: str, place: tuple[str, int], message: str, kind: str
) -> None:
    (found,) = read_text("check", output).errors

    assert ((found.file, found.line), found.message, found.type) == (place, message, kind)


def test_a_traceback_of_a_script_reaches_the_reflection(tmp_path: Path) -> None:
    (tmp_path / "check.py").write_text("import json\n\njson.loads('no')\n")

    with hardwon.open(tmp_path / "home") as hw:
        coder = hw.agent("coder")
        done = coder.loops.run("x", actor="true", verify=(f"{sys.executable} check.py",),
                            cwd=str(tmp_path), max_trials=1)  # fmt: skip
        (error,) = coder.loops.reflections(done.loop_id)[0].evaluator_output.errors

    assert (error.file, error.line) == ("check.py", 3)


TORN = st.sampled_from([path.read_text() for path in sorted(OUTPUTS.iterdir())]) | st.text(
    max_size=300
)


@given(st.lists(TORN, max_size=3), st.integers(0, 3000), st.integers(0, 3000))
def test_no_torn_output_stops_the_reader(parts: list[str], start: int, end: int) -> None:
    text = "\n".join(parts)[start : start + end]

    for tool in KNOWN:
        report = read_report(text, tool)
        assert len(report.errors) <= 200
        assert all(e.message and (e.line is None or e.line >= 0) for e in report.errors)
