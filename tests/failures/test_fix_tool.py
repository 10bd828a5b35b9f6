"""Another tool that does the same work."""

from __future__ import annotations

import pytest

from hardwon.failures.fix_case import case_of
from hardwon.failures.fix_tool import has_changed, is_look, shown_file, tool_fix
from tests.failures.fix_cases import applied_in, case, shown_by, step_of, told_apart, tool

CASES = (
    case(
        "another way to look somebody up",
        (tool("find_user_by_phone", phone="555-0101"), "!Error: no such user"),
        (tool("find_user_by_name_city", city="Oslo", name="Kari"), '{"user": "u_1"}'),
        sort="tool",
        says=("`find_user_by_name_city`",),
        never=("Oslo", "Kari"),
    ),
    case(
        "another look that shares two words of its name is another question",
        (tool("get_order_items", order="O-10001"), "!Error: no such order"),
        (tool("get_order_history", customer="C-20002"), '{"orders": []}'),
    ),
    case(
        "another tool for the other state",
        (
            tool("cancel_shipped_order", order="O-10001", reason="late"),
            "!Error: order is not shipped",
        ),
        (tool("cancel_open_order", order="O-10001", reason="late"), '{"ok": true}'),
        sort="tool",
        says=("`cancel_open_order`", "same arguments"),
        never=("O-10001",),
    ),
    case(
        "another action is the next task",
        (tool("grid.publish", channel="ONE", day="2031-06-04"), "!level 2 required"),
        (tool("grid.free", channel="ONE", day="2031-06-04"), "OK"),
    ),
    case(
        "another tool of the same name space",
        (tool("crm.update_card", card="C-1001", name="x"), "!the record is read-only"),
        (tool("crm.edit_card", card="C-1001", name="x"), "ok"),
        sort="tool",
        says=("`crm.edit_card`",),
    ),
    case(
        "another action for one that is unknown",
        (tool("grid.move", channel="ONE", day="2031-06-04"), "!unknown action move"),
        (tool("grid.shift", channel="ONE", day="2031-06-04"), "OK"),
        sort="tool",
        says=("`grid.shift`",),
    ),
    case(
        "a tool that is broken",
        (tool("get_best_price", item="A-1111"), "!Internal error"),
        (tool("get_best_price", item="A-2222"), "!Internal error"),
        (tool("get_best_price", item="A-3333"), "!Internal error"),
        (tool("get_price_list", item="A-3333"), "[1, 2]"),
        sort="tool",
        says=("`get_best_price` fails whatever", "`get_price_list`"),
        never=("A-3333",),
    ),
    case(
        "a program that is not there",
        ("rg -n TODO src/app.py", "!bash: rg: command not found"),
        ("grep -n TODO src/app.py", "3: # TODO"),
        sort=None,
    ),
    case(
        "the test runner of a checkout",
        ("pytest lib/tests/test_a.py", "!bash: line 1: pytest: command not found"),
        ("bin/test lib/tests/test_a.py", "lib/tests/test_a.py[3] ...\ntests finished: 3 passed"),
        sort="tool",
        says=("`bin/test`", "`bin/test lib/tests/test_a.py`"),
    ),
    case(
        "a look by another name",
        (tool("get_person", person_id="kim@example.com"), "!No person with that id."),
        (tool("search_people", query="kim@example.com"), '[{"email": "kim@example.com"}]'),
        sort="tool",
        says=("Use `search_people` instead (`query`)",),
        never=("kim",),
    ),
    case(
        "a look by another name that finds nothing",
        (tool("get_person", person_id="kim@example.com"), "!No person with that id."),
        (tool("search_people", query="kim@example.com"), "[]"),
    ),
    case(
        "another change with the same values",
        (tool("fill", element="State", ref="e4", text="Draft"), "!Element is not a text field"),
        (tool("choose", element="State", ref="e4", values=["Draft"]), "ok"),
        sort="tool",
        says=("`choose`",),
    ),
    case(
        "the value in another tool, that is about the same",
        (tool("list_members_of_room", room="Kim Lee"), "!there is no room of this name"),
        (tool("read_member", user="Kim Lee"), "Kim Lee: 2 mails"),
        sort="tool",
        says=("Use `read_member` instead (`user`)",),
    ),
    case(
        "another tool, where the error is about an argument of the first",
        (tool("get_ratings_of_parks", parks=None), "!parks: Input should be a valid list"),
        (tool("get_ratings_of_shops", shops=["Elm"]), '{"Elm": 4}'),
    ),
    case(
        "another tool, where the error is about what it was asked for",
        (tool("get_ratings_of_parks", names=["Elm"]), "!there is no park of this name"),
        (tool("get_ratings_of_shops", names=["Elm"]), '{"Elm": 4}'),
        sort="tool",
        says=("Use `get_ratings_of_shops`",),
    ),
)

test_a_run_shows_its_fix_or_none = shown_by(CASES)
test_the_run_that_shows_a_fix_applies_it = applied_in(CASES)
test_a_call_applies_a_fix_or_not = told_apart(
    CASES,
    [
        ("the test runner of a checkout", "./bin/test other.py", "pytest other.py"),
        ("another way to look somebody up", tool("find_user_by_name_city", x=1), "ls"),
    ],
)


def told(*steps: tuple[object, str]) -> str:
    fix = tool_fix(case_of([step_of(call, output) for call, output in steps], 0))
    return fix.text if fix else ""


@pytest.mark.parametrize(("between", "is_told"), [(3, True), (4, False)])
def test_the_other_tool_comes_soon_after(between: int, is_told: bool) -> None:
    thought = (tool("think", a="x"), "")
    failed = (tool("get_person_by_id", id="kim1"), "!no person")
    worked = (tool("get_person_by_name", id="kim1"), "kim1")

    assert bool(told(failed, *[thought] * between, worked)) is is_told


@pytest.mark.parametrize(
    ("first", "second", "output"),
    [
        (tool("get_person", id="kim1"), tool("make_person", id="kim1"), "kim1"),
        (tool("get_person", id="kim1"), tool("check_person", id="kim1"), "kim1"),
        (tool("get_person", id="kim1"), tool("get_person", id="kim2"), "kim2"),
        (tool("get_person", id="kim1"), tool("get_weather", town="kim1"), "kim1"),
        (tool("get_person", id="kim1"), tool("search_people", query="kim1"), "nobody"),
        (tool("get_person", id="kim"), tool("search_people", query="kim"), "kim"),
        (tool("get_person", id="kim1"), tool("search_people", query="kim1"), "!kim1"),
        (tool("shut", a=1, b=2), tool("drop", a=1, b=3), "ok"),
        (tool("shut", a=1, b=2), tool("drop", a=1, b=2, c=3), "ok"),
    ],
    ids=[
        "a change",
        "a check",
        "the same tool",
        "about something else",
        "an answer without it",
        "too short to be told apart",
        "that fails too",
        "another value",
        "one more argument",
    ],
)
def test_a_call_for_another_end_is_no_fix(first: object, second: object, output: str) -> None:
    assert told((first, "!it is not there"), (second, output)) == ""


def test_a_change_with_more_arguments_is_the_same_if_it_shares_three() -> None:
    first, second = tool("shut", a=1, b=2, c=3), tool("drop", a=1, b=2, c=3, d=4)

    assert told((first, "!no"), (second, "ok")).startswith(
        "Use `drop` instead (`a`, `b`, `c`, `d`)"
    )


def test_the_same_arguments_are_told_as_such() -> None:
    assert told((tool("shut", a=1, b=2), "!no"), (tool("drop", a=1, b=2), "ok")) == (
        "Use `drop` with the same arguments."
    )


@pytest.mark.parametrize(
    ("calls", "is_broken"),
    [(("kim1", "kim2", "kim3"), True), (("kim1", "kim2"), False), (("kim1",) * 3, False)],
)
def test_a_tool_is_broken_when_it_fails_whatever_it_is_given(
    calls: tuple[str, ...], is_broken: bool
) -> None:
    failing = [step_of(tool("get_person_by_id", id=one), "!boom") for one in calls]
    last = step_of(tool("get_person_by_name", id=calls[-1]), calls[-1])
    fix = tool_fix(case_of([*failing, last], len(failing) - 1))

    assert fix
    assert ("fails whatever it is given" in fix.text) is is_broken


@pytest.mark.parametrize(
    ("name", "is_reading"),
    [
        ("get_x", True),
        ("mcp__srv__listThings", True),
        ("api.find", True),
        ("set_x", False),
        ("think", True),
    ],
)
def test_a_tool_reads_by_its_name(name: str, is_reading: bool) -> None:
    assert is_look(name) is is_reading


def test_a_file_is_shown_by_a_tool_or_by_its_command() -> None:
    assert shown_file(step_of(tool("read_file", path="a"))) == "a"
    assert shown_file(step_of(tool("editor", command="view", path="a"))) == "a"
    assert shown_file(step_of(tool("editor", command="insert", path="a"))) == ""


def test_something_changed_between_when_another_tool_did_more_than_look() -> None:
    failed, last = step_of(tool("shut", a=1), "!no"), step_of(tool("shut", a=1), "ok")

    def changed(call: object, output: str = "ok") -> bool:
        return has_changed(case_of([failed, step_of(call, output), last], 0))

    assert changed(tool("drop", a=1))
    assert not changed(tool("drop", a=1), "!no")
    assert not changed(tool("get_it", a=1))
    assert not changed(tool("shut", a=2))
