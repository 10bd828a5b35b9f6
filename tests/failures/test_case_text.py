"""One failure of one run as a text for a model."""

from __future__ import annotations

from hardwon.failures.case_text import case_text
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
