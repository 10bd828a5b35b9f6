"""One failure of one run as a text for a model."""

from __future__ import annotations

from hardwon.failures.case_text import CASE_LIMIT, case_text
from hardwon.failures.reading import read_failure
from hardwon.values.step import Step


def failing(tool: str, args: str, output: str) -> Step:
    step = Step(tool, args, output, failed=True)
    return step._replace(failure=read_failure(step, ()))


def test_the_line_that_matters_is_shown_however_long_the_output_is() -> None:
    warnings = "\n".join(f"  warning {n}: something is old" for n in range(60))
    output = f"ERROR: file or directory not found: tests/test_python.py\n{warnings}"

    told = case_text([failing("bash", "pytest tests/test_python.py", output)], 0)

    assert "it said: ERROR: file or directory not found: tests/test_python.py" in told
    assert "warning 59" in told


def test_of_a_tool_with_fields_no_value_of_one_run_is_shown() -> None:
    first = failing("order", '{"item_id": "1340995114"}', "Error: item 1340995114 not found")
    second = failing("order", '{"item_id": "7602931732"}', "Error: item 7602931732 is sold")

    told = case_text([first, second], 0)

    assert "not found" in told
    assert "is sold" in told
    assert "1340995114" not in told
    assert "7602931732" not in told


def test_six_steps_after_the_failure_are_shown() -> None:
    later = [Step("bash", f"try_{number}", "ok") for number in range(8)]
    told = case_text([failing("bash", "make", "error: no rule"), *later], 0)

    assert "then ok: try_5" in told
    assert "try_6" not in told


def test_a_case_is_cut_to_its_limit_and_a_call_in_its_middle() -> None:
    long = [failing("bash", f"make {'x' * 600} end", "error: no rule") for _ in range(7)]

    assert len(case_text(long, 0)) <= CASE_LIMIT == 1800
    assert " end\n  it said: " in case_text(long, 0)


def test_flags_lists_and_objects_are_shown_by_their_form() -> None:
    args = '{"on": true, "none": null, "ids": ["a1", "b2"], "who": {"name": "kim"}, "no": []}'
    told = case_text([failing("order", args, "Error: refused")], 0)

    assert "order(on=true, none=null, ids=[2 × <ids>], who={name: <name>}, no=[])" in told


def test_a_step_between_that_failed_tells_its_line() -> None:
    steps = [failing("bash", "make", "error: no rule"), failing("bash", "make a", "x\nerror: no a")]

    assert "then FAILED: make a → error: no a" in case_text(steps, 0)
