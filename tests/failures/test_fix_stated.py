"""Fixes that an error states by itself, before any run has shown them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hardwon.failures.fix_stated import stated_fix
from hardwon.values.fix import Fix
from hardwon.values.step import Step

FIELD = "1 validation error for Input schema for `send`\n{}\n  {} [type=x, input_value=1]"


def stated(said: str, **args: Any) -> Fix | None:
    return stated_fix(Step("send", json.dumps(args), said, failed=True))


@pytest.mark.parametrize(
    ("said", "args", "text", "key"),
    [
        (
            "TypeError: send() missing 1 required positional argument: 'query'",
            {"sender": "kim"},
            "Pass `query` too.",
            "+query",
        ),
        (
            "TypeError: send() missing 2 required positional arguments: 'to' and 'day'",
            {"sender": "kim"},
            "Pass `to` and `day` too.",
            "+to +day",
        ),
        (FIELD.format("query", "Field required"), {}, "Pass `query` too.", "+query"),
        ("'query' is a required property", {}, "Pass `query` too.", "+query"),
        ("Missing required parameter: query.", {"query": None}, "Pass `query` too.", "+query"),
        (
            "TypeError: send() got an unexpected keyword argument 'subject'",
            {"subject": "x"},
            "Leave out `subject`.",
            "-subject",
        ),
        (
            "Additional properties are not allowed ('subject' was unexpected)",
            {"subject": "x"},
            "Leave out `subject`.",
            "-subject",
        ),
        (
            "TypeError: slice indices must be integers or None or have an __index__ method",
            {"n": 10.0, "to": "kim"},
            "Give `n` as a whole number.",
            "n whole",
        ),
        (
            "ValueError: time data '2026-05-19T12:00' does not match format '%Y-%m-%d %H:%M'",
            {"at": "2026-05-19T12:00", "day": "2026-05-19"},
            "Give `at` as YYYY-MM-DD HH:MM.",
            "* as YYYY-MM-DD HH:MM",
        ),
        (
            "ValueError: unconverted data remains: :00",
            {"at": "2026-05-19 12:00:00", "note": "the address ends in :00"},
            "Give `at` as YYYY-MM-DD HH:MM.",
            "* as YYYY-MM-DD HH:MM",
        ),
        (
            FIELD.format("to", "Input should be a valid list"),
            {"to": "kim"},
            "Give `to` as a list.",
            "to a list",
        ),
        (
            FIELD.format("right", "Input should be 'r' or 'rw'"),
            {"right": "read"},
            "Give `right` as one of `r`, `rw`.",
            "right one of r|rw",
        ),
        (
            "level: 'worst' is not one of low, normal, high.",
            {"level": "worst"},
            "Give `level` as one of `low`, `normal`, `high`.",
            "level one of low|normal|high",
        ),
        (
            "engine: unknown value 'maria'. Allowed: postgres, mysql.",
            {"engine": "maria"},
            "Give `engine` as one of `postgres`, `mysql`.",
            "engine one of postgres|mysql",
        ),
    ],
)
def test_an_error_states_its_fix(said: str, args: dict[str, Any], text: str, key: str) -> None:
    fix = stated(said, **args)

    assert fix == Fix("argument", f"`send`: {text}", f"argument send {key}", worked=0)


@pytest.mark.parametrize(
    ("said", "args"),
    [
        ("TypeError: send() missing 1 required positional argument: 'query'", {"query": "x"}),
        ("TypeError: send() got an unexpected keyword argument 'subject'", {"to": "x"}),
        ("TypeError: list indices must be integers or slices, not str", {"to": "x"}),
        ("TypeError: slice indices must be integers", {"from": 1.0, "to": 2.0}),
        ("ValueError: time data 'x' does not match format '%d %b %Y'", {"at": "x"}),
        ("ValueError: time data 'x' does not match format '%Y-%m-%d'", {"at": "y"}),
        ("ValueError: unconverted data remains: :00", {"at": "noon:00"}),
        ("ValueError: unconverted data remains: :00", {"at": "2026-05-19 12:00"}),
        (
            "ValueError: unconverted data remains: :00",
            {"a": "12:00:00", "b": "2026-05-19:00"},
        ),
        ("to: must be set or sent", {"to": "x"}),
        ("to: 'x' is unknown. Allowed: card-77, card-78.", {"to": "x"}),
        ("to: must be one of Anna, Boris", {"to": "x"}),
        ("level: 'low' is not one of low, high.", {"level": "low"}),
        ("level: the level should be lower or higher than before", {"level": "low"}),
        ("level: must be one of the levels, or none", {"level": "low"}),
        ("other: 'x' is not one of low, high.", {"level": "low"}),
        ("to: Input should be a valid email", {"to": "x"}),
        ("The room is taken", {"room": "R-1"}),
        ("", {}),
    ],
)
def test_what_is_not_certain_is_not_stated(said: str, args: dict[str, Any]) -> None:
    assert stated(said, **args) is None


def test_a_command_has_no_arguments_that_could_be_named() -> None:
    said = "TypeError: send() missing 1 required positional argument: 'query'"

    assert stated_fix(Step("bash", "python go.py", said, failed=True)) is None


@pytest.mark.parametrize(("count", "is_told"), [(3, True), (4, False)])
def test_three_missing_arguments_are_told_at_most(count: int, is_told: bool) -> None:
    names = ", ".join(f"'a{number}'" for number in range(count))
    said = f"TypeError: send() missing {count} required positional arguments: {names}"

    assert bool(stated(said, x=1)) is is_told


@pytest.mark.parametrize(
    ("said", "args"),
    [
        ("slice indices must be integers", {"n": 1.5, "m": 2.5}),
        ("slice indices must be integers", {"n": 3}),
        ("something else", {"n": 1.5}),
        ("TypeError: send() missing 1 required positional argument: 'to'", {"to": "kim"}),
        ("TypeError: send() got an unexpected keyword argument 'to'", {"of": "kim"}),
        (FIELD.format("n", "Input should be a valid thing"), {"n": 1}),
        (FIELD.format("n", "Input should be a valid string"), {"m": 1}),
    ],
)
def test_an_error_that_may_mean_another_argument_states_nothing(
    said: str, args: dict[str, Any]
) -> None:
    assert stated(said, **args) is None
    assert stated_fix(Step("send", "make it", said, failed=True)) is None
