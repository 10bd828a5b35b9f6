"""Loops: the same call with the same result, whatever happened in between."""

from __future__ import annotations

import pytest

from hardwon import Step
from hardwon.failures.loops import find, render

BOOM = Step("bash", "make all", "error: boom at 10:01:02", failed=True)
AGAIN = Step("bash", "make   all", "error: boom at 10:07:44", failed=True)
OTHER = Step("bash", "make clean", "cleaned")
LOOK = Step("bash", "cat Makefile", "all: build")


def test_the_second_failure_of_a_call_gets_the_published_words() -> None:
    loop = find([BOOM, AGAIN])

    assert loop
    assert not loop.should_stop
    assert render(loop) == (
        "[LOOP DETECTED]\n"
        "The following tool calls have ERR'd twice in a row"
        " — repeating them won't change the result.\n"
        "Change argument, change tool, ask for help, or stop trying:\n"
        "  bash make all\n"
        "[END LOOP DETECTED]"
    )


def test_something_in_between_does_not_hide_a_loop() -> None:
    assert find([BOOM, OTHER, AGAIN])
    assert find([BOOM, OTHER, BOOM, OTHER, AGAIN])


def test_the_third_time_says_what_was_tried() -> None:
    loop = find([BOOM, OTHER, BOOM, LOOK, BOOM])

    assert loop
    assert "3 times" in render(loop)
    assert "  bash make clean\n  bash cat Makefile" in render(loop)


def test_the_fifth_time_should_be_stopped() -> None:
    loop = find([BOOM] * 5)

    assert loop
    assert loop.should_stop


def test_a_long_result_in_which_only_times_change_is_the_same() -> None:
    lines = [f"test_{number} failed: no such order here" for number in range(200)]
    soon, late = ("\n".join([*lines, f"200 failed in {took}s"]) for took in ("9.1", "1041.27"))

    assert find([BOOM._replace(output=soon), AGAIN._replace(output=late)])


def test_a_changed_result_is_no_loop() -> None:
    changed = BOOM._replace(output="error: bang")

    assert find([BOOM, changed]) is None
    assert find([BOOM, BOOM, changed]) is None
    assert find([BOOM, BOOM._replace(failed=False)]) is None


@pytest.mark.parametrize(
    ("steps", "is_loop"),
    [
        ([LOOK, LOOK], True),
        ([LOOK, OTHER, LOOK], False),
        ([OTHER, LOOK, OTHER, LOOK], True),
        ([LOOK, OTHER, LOOK, OTHER._replace(args="x"), LOOK], True),
    ],
)
def test_success_without_progress_is_a_loop(steps: list[Step], is_loop: bool) -> None:
    assert bool(find(steps)) is is_loop


def test_polling_may_be_exempt_by_tool_or_program() -> None:
    wait = Step("bash", "sleep 5")

    assert find([wait, wait], exempt=frozenset({"sleep"})) is None
    assert find([BOOM, BOOM], exempt=frozenset({"bash"})) is None
    assert find([wait, wait])
