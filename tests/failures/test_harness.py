"""Outputs as harnesses hand them over: the command's own words decide, not what stands around."""

from __future__ import annotations

import pytest

from hardwon.core.values.run import Step
from hardwon.knowledge.reading.error_line import without_harness_lines
from hardwon.knowledge.reading.reading import read_failure
from hardwon.knowledge.reading.verdict import has_failed

AROUND = {
    "a status in brackets": "{}\n[The command completed with exit code {status}.]\n"
    "[Current working directory: /w]\n[Command finished with exit code {status}]",
    "a prompt": "{}\n(Open file: /w/a.py)\n(Current directory: /w)\nbash-$",
    "a failed execution": "OBSERVATION:\n{}\n\nEXECUTION FAILED with exit code {status}",
    "tags": "<returncode>{status}</returncode>\n<output>\n{}\n</output>",
    "tags in a line": "<bash><exit_code>{status}</exit_code><stderr>\n{}\n</stderr></bash>",
    "a status above": "Exit code {status}\n{}",
    "a status below": "{}\n<exited with exit code {status}>",
    "a fence": "Exit code: {status}\n\nCommand output:\n\n```\n{}\n```",
    "a time": "Exit code: {status}\nWall time: 0.3 seconds\nOutput:\n{}",
    "a form": "Command: x\nDirectory: (root)\nStdout: (empty)\nStderr: {}\nError: (none)\n"
    "Exit Code: {status}\nSignal: (none)\nBackground PIDs: (none)\nProcess Group PGID: 4242",
    "a heading": "Command executed.\nOutput:\n{}",
}


@pytest.mark.parametrize("around", AROUND.values(), ids=list(AROUND))
def test_a_failure_is_seen_and_named_whatever_stands_around_it(around: str) -> None:
    output = around.format("bash: line 1: kit: command not found", status=127)
    failure = read_failure(Step("bash", "kit run", output, failed=True), ())

    assert has_failed("bash", output, "kit run")
    assert failure is not None
    assert failure.text == "no command or module named kit"


@pytest.mark.parametrize("around", AROUND.values(), ids=list(AROUND))
def test_what_a_harness_says_is_no_failure_of_its_own(around: str) -> None:
    if "FAILED" in around:
        return
    output = around.format("a.py\nb.py", status=0)

    assert not has_failed("bash", output, "make list")


@pytest.mark.parametrize(
    "output",
    [
        "Exit code: 1\nWall time: 0.1 seconds\nOutput:",
        "Output:\nExit Code: 1\nProcess Group PGID: 4242",
        "(Open file: n/a)\n(Current directory: /w)\nbash-$",
        "<exited with exit code 1>",
    ],
)
def test_a_command_that_said_nothing_has_no_failure_to_name(output: str) -> None:
    assert read_failure(Step("bash", "make list", output, failed=True), ()) is None


def test_only_the_lines_at_both_ends_are_those_of_a_harness() -> None:
    inner = ["first", "Exit code: 1", "last"]

    assert without_harness_lines(["Exit code: 1", *inner, "bash-$"]) == inner
    assert without_harness_lines(inner) == inner
    assert without_harness_lines(["bash-$"]) == []


def test_a_command_that_prints_such_lines_for_long_keeps_those_in_the_middle() -> None:
    assert without_harness_lines(["bash-$"] * 20) == ["bash-$"] * 4
