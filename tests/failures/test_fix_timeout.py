"""Commands that were not let end."""

from __future__ import annotations

from typing import Any

import pytest

from hardwon.failures.fix_case import case_of
from hardwon.failures.fix_timeout import applies_timeout, is_of_timeout, timeout_fix
from tests.failures.fix_cases import applied_in, case, shown_by, step_of, told_apart, tool

DONE = "The file /w/cart.py has been edited."


def edit(old: str, **args: Any) -> tuple[str, str]:
    return tool("Edit", file_path="/w/cart.py", new_string="total = 0", old_string=old, **args)


CASES = (
    case(
        "a server that is to keep running",
        ("npm start", "!Command timed out after 2m 0.0s"),
        ("npm start > server.log 2>&1 &", ""),
        sort="call",
        says=("in the background",),
        never=("server.log",),
    ),
    case(
        "a server with its output elsewhere",
        ("npm start", "!Command timed out after 2m 0.0s"),
        ("npm start > server.log 2>&1", ""),
    ),
    case(
        "all tests, then those that matter",
        ("pytest", "!Command timed out after 120 seconds"),
        ("pytest tests/test_cart.py", "4 passed in 1s"),
        sort="call",
        says=("Give `pytest` less to do at once",),
        never=("test_cart",),
    ),
    case(
        "code that was mended after a time-out",
        ("python go.py", "!Command timed out after 120 seconds"),
        (edit("while True:"), DONE),
        ("python go.py fast", "3 rows"),
    ),
    case(
        "tests that matter and fail",
        ("pytest", "!Command timed out after 120 seconds"),
        ("pytest tests/test_cart.py", "!1 failed in 1s"),
    ),
    case(
        "a server that was in the background before",
        ("npm start & sleep 200", "!Command timed out after 120 seconds"),
        ("npm start > server.log 2>&1 &", ""),
    ),
    case(
        "a quoted ampersand",
        ("npm start", "!Command timed out after 120 seconds"),
        ('npm start "a & b"', "ok"),
        sort="call",
        says=("less to do at once",),
    ),
)

test_a_run_shows_its_fix_or_none = shown_by(CASES)
test_the_run_that_shows_a_fix_applies_it = applied_in(CASES)
test_a_call_applies_a_fix_or_not = told_apart(
    CASES,
    [
        ("a server that is to keep running", "npm start &", "npm start"),
        ("a server that is to keep running", "npm start &", "sleep 5 &"),
        ("all tests, then those that matter", "pytest a.py", "pytest"),
    ],
)


TIMED_OUT = "!Command timed out after 120 seconds"


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ("kit serve", "kit serve &", "call background kit"),
        ("kit serve", "other &", ""),
        ("kit serve &", "kit serve &", ""),
        ("kit a", "kit a b", "call part kit"),
        ("kit a", "kit b", ""),
        ("kit a", "kit a", ""),
        ("python a.py", "python a.py b", ""),
        ("kit a", "kit a 'b & c'", "call part kit"),
    ],
)
def test_a_command_got_by_in_the_background_or_with_less(old: str, new: str, key: str) -> None:
    fix = timeout_fix(case_of([step_of(old, TIMED_OUT), step_of(new, "ok")], 0))

    assert (fix.key if fix else "") == key
    assert timeout_fix(case_of([step_of(old, "!boom"), step_of(new, "ok")], 0)) is None
    assert timeout_fix(case_of([step_of(old, TIMED_OUT), step_of(new, "!boom")], 0)) is None


@pytest.mark.parametrize(
    ("key", "call", "is_applied"),
    [
        ("background kit", "kit serve &", True),
        ("background kit", "kit serve", False),
        ("background kit", "other &", False),
        ("part kit", "kit a", True),
        ("part kit", "kit", False),
        ("part kit", "other a", False),
    ],
)
def test_a_command_does_what_the_fix_says(key: str, call: str, is_applied: bool) -> None:
    assert is_of_timeout(key)
    assert applies_timeout(key, step_of(call)) is is_applied
    assert not is_of_timeout("flags kit -f")
