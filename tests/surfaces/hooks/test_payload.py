"""Fields of foreign JSON come out in the expected type and size."""

from __future__ import annotations

from typing import Any

import pytest

from hardwon.surfaces.hooks.agents import OUTPUT_LIMIT, PROMPT_LIMIT, arguments, group, text, words


def test_a_text_is_the_first_field_that_holds_one() -> None:
    payload = {"a": "", "b": 3, "c": "yes", "d": "no"}

    assert text(payload, "a", "b", "c", "d") == "yes"
    assert text(payload, "a", "b", "x") == ""


def test_long_texts_are_cut_in_the_middle() -> None:
    long = "a" + "x" * 40_000 + "z"

    assert len(text({"a": long}, "a")) <= PROMPT_LIMIT
    assert text({"a": long}, "a")[::-1][:1] == "z"
    assert len(words(long)) <= OUTPUT_LIMIT


@pytest.mark.parametrize(
    ("value", "found"), [({"b": 1}, {"b": 1}), ([1], {}), ("x", {}), (None, {})]
)
def test_a_group_is_an_object(value: Any, found: Any) -> None:
    assert group({"a": value}, "a") == found


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ('{"b": 1}', {"b": 1}),
        ('{"b": ', '{"b": '),
        ("ls -l", "ls -l"),
        ("[1]", "[1]"),
        ({"b": 1}, {"b": 1}),
        (None, None),
    ],
)
def test_arguments_may_come_as_json_in_a_text(value: Any, found: Any) -> None:
    assert arguments({"a": value}, "a") == found


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("plain", "plain"),
        (["one", "", None, "two"], "one\ntwo"),
        ({"stdout": "out", "stderr": "err", "other": "x"}, "out\nerr"),
        ({"stdout": "", "stderr": "err"}, "err"),
        ({"rows": 3}, '{"rows": 3}'),
        ({"town": "Köln"}, '{"town": "Köln"}'),
        ({"content": [{"type": "text", "text": "deep"}]}, "deep"),
        (None, ""),
        (3, "3"),
        (False, "False"),
    ],
)
def test_a_result_is_told_as_a_person_would_have_seen_it(value: Any, said: str) -> None:
    assert words(value) == said


def test_a_hundred_parts_of_a_list_are_told() -> None:
    assert words([str(n) for n in range(101)]).splitlines()[-1] == "99"
