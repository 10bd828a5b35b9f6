"""When a mined lesson holds, in words that are printed."""

from __future__ import annotations

import pytest

from hardwon.core.values.run import Failure, Step
from hardwon.knowledge.reading.mined_lesson import situation
from hardwon.knowledge.reading.reading import read_failure


@pytest.mark.parametrize(
    ("args", "output", "when"),
    [
        (
            "python check.py",
            "ModuleNotFoundError: No module named 'numpy'",
            "When you see “ModuleNotFoundError: No module named 'numpy'”",
        ),
        (
            "cat > shop/cart.py\npython check.py",
            "ModuleNotFoundError: No module named 'shop'",
            "When you see “ModuleNotFoundError: No module named <name>”",
        ),
        ("pnpm test", "bash: pnpm: command not found", "When you see “pnpm: command not found”"),
        (
            "npm run build",
            "Command timed out after 120 seconds",
            "When `npm run build` does not end in time",
        ),
        (
            "python -c 'if x: pass; class A: pass'",
            '  File "<string>", line 1\n    if x: pass; class A: pass\nSyntaxError: invalid syntax',
            "When you see “SyntaxError: invalid syntax” in code given with the call",
        ),
        (
            "pytest -q",
            "FAILED tests/test_cart.py::test_sum - assert 3 == 4",
            "When the test `test_sum` fails",
        ),
        (
            "grid apply p.json",
            "usage: grid apply PLAN [--wave N]",
            "When you see “usage: grid apply PLAN [--wave N]”",
        ),
        (
            "tools/run_checks",
            "run_checks: trailing blanks in a/b.md",
            "When you see “run_checks: trailing blanks in <name>”",
        ),
        (
            '{"email": "ann@a.org"}',
            "Error: user not found",
            "When `find` says “Error: user not found”",
        ),
    ],
)
def test_a_situation_quotes_what_is_printed(args: str, output: str, when: str) -> None:
    step = Step("find", args, output, failed=True)
    failure = read_failure(step, ())
    assert failure is not None

    assert situation(failure.text, step._replace(failure=failure)) == when


def test_an_error_that_may_not_be_quoted_is_told_by_its_call() -> None:
    line = "bin/check: line 3: PAGE_LANG: set PAGE_LANG to en or de"
    args = "cd site; bin/check --all 'a b' /home/ann/x"
    step = Step("bash", args, line, failed=True, failure=Failure("a", "b", "", line))
    when = "When `cd site && bin/check --all … <dir>/x` fails"

    assert situation("PAGE_LANG: set <name> to en or de", step) == when
    assert situation("", step._replace(failure=None)) == "When `check` fails"


def test_a_body_whose_fields_tell_nothing_is_not_quoted() -> None:
    step = Step("book", '{"day": 1}', '{"statusCode": 400, "error": "Bad Request"}', failed=True)
    failure = read_failure(step, ())
    assert failure is not None

    assert situation(failure.text, step._replace(failure=failure)) == "When `book` fails"
