"""Another tool that does the same work."""

from __future__ import annotations

from tests.failures.fix_cases import applied_in, case, shown_by, told_apart, tool

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
