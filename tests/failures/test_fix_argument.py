"""What an argument of a tool has to be."""

from __future__ import annotations

import pytest

from hardwon.failures.fix_argument import argument_fix
from hardwon.failures.fix_case import case_of
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


@pytest.mark.parametrize(
    ("header", "value", "is_told"),
    [
        ("Content-Type", "application/merge-patch+json", True),
        ("X-Market-Role", "LF", True),
        ("X-Api-Key", "hunterhunter", False),
        ("X-Auth-Token", "opensesame", False),
        ("X-Token-Type", "opensesame", False),
        ("Cookie", "opensesame", False),
        ("X-Session", "opensesame", False),
        ("X-User-Role", "anna", False),
        ("X-Sender", "anna", False),
        ("X-Api-Version", "v31", False),
    ],
)
def test_the_value_of_a_header_is_told_only_where_the_service_defines_it(
    header: str, value: str, is_told: bool
) -> None:
    failed, worked = (
        tool("request", method="GET", path="/a", headers={"X-Trace": "x", **more})
        for more in ({}, {header: value})
    )
    steps = [step_of(failed, "!refused as it is"), step_of(worked, "ok")]
    fix = argument_fix(case_of(steps, 0))

    assert fix
    assert (value in fix.text) is is_told
    assert header in fix.text
