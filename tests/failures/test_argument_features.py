"""Named arguments are counted by their forms, their sources and the states around them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hardwon.failures.argument_features import features
from hardwon.values.step import Step


def of(args: dict[str, Any], *before: Step) -> list[str]:
    return list(features("book", json.dumps(args), before))


def gave(output: Any, tool: str = "Look", args: str = "{}", *, failed: bool = False) -> Step:
    return Step(tool, args, output if isinstance(output, str) else json.dumps(output), failed)


def test_a_call_is_the_first_of_its_tool_or_of_its_run() -> None:
    other, same = gave("x"), gave("x", "Book")

    assert of({})[:3] == ["runs book", "book opens the run", "first book"]
    assert of({}, other)[:2] == ["runs book", "first book"]
    assert "first book" not in of({}, other, same)


def test_arguments_that_are_cut_tell_only_their_tool() -> None:
    assert list(features("book", '{"room": "cut', [gave("x")])) == ["runs book", "first book"]


@pytest.mark.parametrize(
    ("value", "sort"),
    [
        ("", "empty"),
        ("x", "text"),
        (None, "null"),
        (True, "flag"),
        (3, "whole"),
        (3.0, "fraction"),
        ([], "list"),
        ({}, "object"),
    ],
)
def test_an_argument_is_of_a_sort(value: Any, sort: str) -> None:
    assert f"book passes a: {sort}" in of({"a": value})


@pytest.mark.parametrize(("value", "said"), [(True, "true"), (False, "false"), (None, "null")])
def test_a_flag_is_told_as_it_is(value: Any, said: str) -> None:
    assert f"book a is {said}" in of({"a": value})


def test_a_number_or_a_text_may_stand_in_no_result() -> None:
    seen = gave({"n": 17, "t": "blue"})

    assert "book a stands in no result" in of({"a": 18}, seen)
    assert "book a stands in no result" not in of({"a": 17}, seen)
    assert "book a stands in no result" in of({"a": "red"}, seen)
    assert "book a stands in no result" not in of({"a": "blue"}, seen)


def test_a_long_text_is_told_by_its_first_line_only() -> None:
    text = "\n  the first line\n" + "x" * 60

    assert "book a stands in no result" in of({"a": text}, gave("else"))
    assert "book a stands in no result" not in of({"a": text}, gave("so the first line is"))
    assert not any("shaped" in feature for feature in of({"a": "x" * 61}))
    assert any("shaped" in feature for feature in of({"a": "x" * 60}))


def test_a_text_has_a_shape_and_a_form() -> None:
    assert {"book a is shaped #W9-ab", "book a is like #A9-a"} <= set(of({"a": "#W1234-ab"}))


def test_a_value_comes_from_the_latest_result_that_worked() -> None:
    first, second = gave({"id": "r-77"}, "list_a"), gave({"key": "r-77"}, "List_B")

    assert "book a comes from list_b.key" in of({"a": "r-77"}, first, second)
    assert "book a comes from list_a.id" in of({"a": "r-77"}, first, second._replace(failed=True))
    assert "book a comes from look" in of({"a": "r-77"}, gave(" r-77\n"))
    assert "book a comes from look.item" in of({"a": "r-77"}, gave('["r-77"]'))
    assert "book a comes from look.room" in of({"a": "r-77"}, gave("- room: 'r-77'\n"))


def test_the_states_of_the_object_are_told_and_not_those_within_it() -> None:
    result = {
        "big": {"state": "old"},
        "rooms": [
            {"id": "r-1", "state": "shut"},
            {"id": "r-77", "state": "open", "free": True, "in": {"deep": "no"}, "ready": False},
        ],
    }
    told = of({"a": "r-77"}, gave(result))

    assert 'book a has state "open"' in told
    assert "book a has free true" in told
    assert "book a has ready false" in told
    assert not any("shut" in feature or "old" in feature or "deep" in feature for feature in told)


def test_an_id_that_is_a_key_has_the_states_of_what_it_names() -> None:
    result = {"cards": {"c-1": {"kind": "gift"}, "c-22": {"kind": "credit"}}, "owner": "kim"}
    told = of({"a": "c-22"}, gave(result))

    assert "book a comes from look.key" in told
    assert 'book a has kind "credit"' in told
    assert not any("gift" in feature or "kim" in feature for feature in told)


def test_what_was_done_with_the_same_object_is_told() -> None:
    opened, failed = (
        gave("x", "Open_it", '{"id": "r-77"}'),
        gave("x", "shut", '{"id": "r-77"}', failed=True),
    )

    assert "book a after open_it" in of({"a": "r-77"}, opened, failed)
    assert "book a after shut" not in of({"a": "r-77"}, opened, failed)
    assert "book a was in no call" in of({"a": "r-77"}, failed)
    assert "book a was in no call" not in of({"a": "r-7"}, failed)


def test_inner_arguments_and_the_items_of_lists_are_looked_at() -> None:
    told = of({"who": {"age": 31}, "rows": [{"n": True}, "x9"]})

    assert {"book age stands in no result", "book n is true", "book rows is shaped x9"} <= set(told)
    many = of({"rows": [True] * 8 + ["late"]})
    assert not any("late" in feature for feature in many)
    assert any("late" in feature for feature in of({"rows": [True] * 7 + ["late"]}))


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        ([1, 2], [3, 4], {"a and b agree in length", "a counts 2"}),
        ([1, 2], [3], {"a and b differ in length", "b counts 1"}),
        ([1, 1], [3], {"a has an item twice"}),
        ([*range(9)], [3], {"a counts 6"}),
    ],
)
def test_lists_are_told_by_their_lengths(
    first: list[int], second: list[int], said: set[str]
) -> None:
    told = of({"a": first, "b": second})

    assert {f"book {words}" for words in said} <= set(told)
    assert ("book a has an item twice" in told) == ("a has an item twice" in said)


def test_the_same_arguments_have_the_same_digest() -> None:
    first, again, other = (of({"a": value})[3] for value in ("x", "x", "y"))

    assert first == again != other
