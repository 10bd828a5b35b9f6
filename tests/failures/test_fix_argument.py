"""What an argument of a tool has to be."""

from __future__ import annotations

from hardwon.failures.fixes import applies
from tests.failures.argument_fix_cases import CASES
from tests.failures.fix_cases import applied_in, only_fix, shown_by, step_of, tool

test_a_run_shows_its_fix_or_none = shown_by(CASES)
test_the_run_that_shows_a_fix_applies_it = applied_in(CASES)


def test_a_failing_call_of_a_tool_does_not_show_that_an_argument_was_right() -> None:
    case = next(case for case in CASES if case.name == "an id from an earlier result")
    fix = only_fix(case)
    call = tool("charge", amount=5, card="x")

    assert applies(fix, step_of(call, "charged"))
    assert not applies(fix, step_of(call, "!Error: card not found"))
