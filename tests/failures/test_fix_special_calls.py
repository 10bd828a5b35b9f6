"""Cures that follow from the error: files that are gone, one-line code, a taken port."""

from __future__ import annotations

import pytest

from hardwon.failures.fix_call import call_fix
from hardwon.failures.fix_case import case_of
from tests.failures.fix_cases import step_of


def key(first: str, error: str, last: str, output: str) -> str:
    fix = call_fix(case_of([step_of(first, f"!{error}"), step_of(last, output)], 0))
    return fix.key if fix else ""


GONE = "rm: cannot remove '{}': No such file or directory"


@pytest.mark.parametrize(
    ("last", "output", "found"),
    [
        ("rm b c", "!" + GONE.format("b"), "call flags rm -f"),
        ("rm b d", "!" + GONE.format("b"), ""),
        ("rm b c", "!" + GONE.format("a"), ""),
        ("rm b c", "", ""),
    ],
)
def test_files_were_removed_although_the_call_failed(last: str, output: str, found: str) -> None:
    assert key("rm a b c", GONE.format("a"), last, output) == found


LOOP = "python -c 'import a; for x in y: z()'"
LINES = "python - <<'E'\na\nb\nE"


@pytest.mark.parametrize(
    ("first", "error", "last", "is_told"),
    [
        (
            "python -c 'import a; for x in y: z()'",
            "SyntaxError: bad",
            LINES,
            True,
        ),
        ("python -c 'import a; b()'", "SyntaxError: bad", LINES, False),
        (LOOP, "KeyError: 1", LINES, False),
        (LOOP, "SyntaxError: bad", "python -c 'a; b'", False),
    ],
)
def test_compound_code_belongs_on_several_lines(
    first: str, error: str, last: str, is_told: bool
) -> None:
    assert (key(first, error, last, "ok") == "call lines for one-liner") is is_told


@pytest.mark.parametrize(
    ("error", "last", "is_told"),
    [
        ("Error: port 80 is already in use", "serve -p 81", True),
        ("Error: port 80 is not allowed", "serve -p 81", False),
        ("Error: port 80 is already in use", "other -p 81", False),
    ],
)
def test_another_port_is_told_without_its_number(error: str, last: str, is_told: bool) -> None:
    assert (key("serve -p 80", error, last, "up") == "call port another") is is_told
