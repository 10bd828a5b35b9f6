"""Loops: a call that fails again though nothing has changed since."""

from __future__ import annotations

import pytest

from hardwon import Step
from hardwon.knowledge.reading.loops import find, render

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


@pytest.mark.parametrize(
    "between",
    [
        LOOK,
        Step("bash", "grep -rn boom src | head -5; git log -3", "src/a.c: boom"),
        Step("bash", "sed -n 1,20p Makefile && find . -name '*.c'", "all: build"),
        Step("read_file", '{"path": "Makefile"}', "all: build"),
        Step("str_replace_editor", '{"command": "view", "path": "Makefile"}', "all: build"),
        Step("getStatus", "{}", "{}"),
        Step("bash", "make lib", "error: bang", failed=True),
        Step("edit", '{"path": "a.c"}', "no such text", failed=True),
    ],
)
def test_to_look_around_or_to_fail_changes_nothing(between: Step) -> None:
    assert find([BOOM, between, AGAIN])


@pytest.mark.parametrize(
    "between",
    [
        OTHER,
        Step("bash", "sed -i s/boom/bang/ a.c"),
        Step("bash", "find . -name '*.o' -delete"),
        Step("bash", "echo x > a.c"),
        Step("bash", "cat > a.c <<EOF\nint main;\nEOF\nmake lib", "error: bang", failed=True),
        Step("bash", "git checkout main"),
        Step("bash", "python patch.py"),
        Step("edit", '{"path": "a.c", "new": "x"}', "done"),
        Step("str_replace_editor", '{"command": "insert", "path": "a.c"}', "done"),
    ],
)
def test_a_call_after_a_change_is_no_loop(between: Step) -> None:
    assert find([BOOM, between, AGAIN]) is None


def test_a_change_that_was_made_before_is_no_news() -> None:
    loop = find([BOOM, OTHER, BOOM, OTHER, AGAIN])

    assert loop
    assert loop.times == 2
    assert find([BOOM, OTHER, BOOM, OTHER, BOOM, OTHER, AGAIN]), "and so on"


def test_the_third_time_says_what_was_tried() -> None:
    wrong = Step("bash", "make lib", "error: bang", failed=True)
    loop = find([BOOM, wrong, BOOM, LOOK, BOOM])

    assert loop
    assert "3 times" in render(loop)
    assert "  bash make lib\n  bash cat Makefile" in render(loop)


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


def test_a_call_that_works_is_never_in_a_loop() -> None:
    green = Step("bash", "pytest", "162 passed")

    assert find([green, green]) is None
    assert find([LOOK] * 6) is None
    assert find([BOOM, AGAIN._replace(failed=False)]) is None


def test_a_call_that_worked_in_between_begins_anew() -> None:
    assert find([BOOM, BOOM._replace(failed=False), BOOM]) is None


def test_polling_may_be_exempt_by_tool_or_program() -> None:
    wait = Step("bash", "sleep 5", "interrupted", failed=True)

    assert find([wait, wait], exempt=frozenset({"sleep"})) is None
    assert find([BOOM, BOOM], exempt=frozenset({"bash"})) is None
    poll = BOOM._replace(tool="desk.poll")
    assert find([poll, poll], exempt=frozenset({"desk"})) is None
    assert find([poll, poll], exempt=frozenset({"desk.poll"})) is None
    assert find([poll, poll], exempt=frozenset({"poll"})) is not None
    deep = BOOM._replace(tool="functions.desk.poll")
    assert find([deep, deep], exempt=frozenset({"functions.desk"})) is None
    assert find([deep, deep], exempt=frozenset({"functions"})) is not None
    assert find([wait, wait])
