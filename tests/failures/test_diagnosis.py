"""Errors of every family are told apart by their form."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.knowledge.reading.diagnosis import diagnose

PYTHON = 'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\n    '
ERRORS = [
    ("python", f"{PYTHON}import numpy\nModuleNotFoundError: No module named 'numpy'", "`numpy`"),
    ("python", f"{PYTHON}x\nNameError: name 'x' is not defined", "NameError"),
    ("python", "  File \"a.py\", line 3\n    if x\n       ^\nSyntaxError: expected ':'", "parse"),
    ("pytest", "E       assert 1 == 2\nFAILED t/a.py::test_x - assert 1 == 2", "assert 1 == 2"),
    ("mypy", "src/a.py:3: error: Name 'x' is not defined  [name-defined]", "Name 'x'"),
    ("ruff", "a.py:1:8: F401 [*] `os` imported but unused", "F401"),
    ("tsc", "src/a.ts(3,5): error TS2304: Cannot find name 'x'.", "TS2304"),
    ("eslint", "/a.js\n  3:10  error  'x' is not defined  no-undef\n\n✖ 1 problem", "no-undef"),
    ("node", "Error: Cannot find module 'express'\nRequire stack:", "`express`"),
    ("node", 'npm error Missing script: "biuld"', "biuld"),
    ("go", "./main.go:7:2: undefined: x", "undefined: x"),
    ("go", "--- FAIL: TestLogin (0.00s)\nFAIL", "TestLogin"),
    ("rust", "error[E0425]: cannot find value `x` in this scope", "E0425"),
    ("rust", "thread 'main' panicked at src/main.rs:2:5:\nboom", "panicked"),
    ("java", 'Exception in thread "main" java.lang.NullPointerException: x', "NullPointer"),
    ("shell", "bash: line 1: pytest: command not found", "`pytest`"),
    ("shell", "cat: nope.txt: No such file or directory", "`nope.txt`"),
    ("git", "fatal: not a git repository (or any of the parent directories): .git", "not a git"),
    ("git", "CONFLICT (content): Merge conflict in a.py", "CONFLICT"),
    ("http", "requests.exceptions.HTTPError: 404 Client Error: Not Found", "404"),
    ("json", "json.decoder.JSONDecodeError: Expecting value: line 1 column 1", "Expecting value"),
    ("sql", "sqlite3.OperationalError: no such table: users", "no such table"),
    ("docker", "Error response from daemon: No such container: web", "No such container"),
    ("permission", "sh: ./run.sh: Permission denied", "may not"),
    ("timeout", "TimeoutError: timed out after 30 s", "in time"),
    ("rate-limit", "429 Too Many Requests", "how often"),
    ("network", "curl: (7) Failed to connect: Connection refused", "reached"),
    ("usage", "error: unrecognized arguments: --fast", "--fast"),
    ("edit", "String to replace not found in file.", "exactly"),
    ("disk", "OSError: [Errno 28] No space left on device", "full"),
    ("", "", ""),
]


@pytest.mark.parametrize(("family", "output", "word"), ERRORS)
def test_an_error_is_known_by_its_form(family: str, output: str, word: str) -> None:
    found = diagnose(output)

    assert found.family == family
    assert word in found.cause
    assert not family or found.check


@given(st.text(max_size=300))
def test_any_output_is_told_of(output: str) -> None:
    assert isinstance(diagnose(output).cause, str)


def test_tags_are_language_and_family_as_far_as_they_are_known() -> None:
    assert diagnose("ModuleNotFoundError: No module named 'numpy'").tags == ("python", "python")
    assert diagnose("429 Too Many Requests").tags == ("rate-limit",)
    assert diagnose("it did not go well at all").tags == ()


def test_nothing_is_said_of_nothing() -> None:
    assert diagnose("") == ("", "", "", "", "")
