"""Commands that were stopped at their time limit are known by the words of harnesses."""

from __future__ import annotations

import pytest

from hardwon.knowledge.reading.verdict import has_timed_out, says_timeout


@pytest.mark.parametrize(
    ("line", "says_so"),
    [
        ("Command timed out after 120 seconds", True),
        ("Error: the command 'make' timed out after 2m", True),
        ("Tool call was cancelled because it took too long", True),
        ("Execution exceeded the time limit", True),
        ("connection timed out", False),
        ("the test says: command timed out after 1s", False),
    ],
)
def test_a_line_says_that_a_command_timed_out(line: str, says_so: bool) -> None:
    assert says_timeout(line) is says_so


def test_the_first_or_the_last_line_of_an_output_says_so() -> None:
    late = "Command timed out after 120 seconds"

    assert has_timed_out(f"{late}\na\nb")
    assert has_timed_out(f"a\nb\n{late}\n")
    assert not has_timed_out(f"a\n{late}\nb")
    assert not has_timed_out("")
