"""The names in a script or a query."""

from __future__ import annotations

import pytest

from hardwon.failures.code_names import is_query, names_in


def test_comments_and_prose_are_left_out() -> None:
    script = "import os\n# import numpy\nconnect('shop', timeout=5)\nprint('a long sentence')\n"

    assert names_in(script) == ["import", "os", "connect", "'shop", "timeout", "print"]


def test_a_name_counts_once_and_without_the_dot_behind_it() -> None:
    assert names_in("SELECT orders. FROM orders JOIN crm.people") == [
        "SELECT",
        "orders",
        "FROM",
        "JOIN",
        "crm.people",
    ]


def test_a_long_script_has_a_limited_number_of_names() -> None:
    assert len(names_in(" ".join(f"name{number}" for number in range(400)))) == 150


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("Select name from people", True),
        ("{ user { name } }", True),
        ("count(people)", True),
        ("age >= 3", True),
        ("name='kim'", True),
        ("we selected (some) people; they came", False),
        ("a -> b", False),
    ],
)
def test_a_query_is_no_prose(text: str, is_one: bool) -> None:
    assert is_query(text) is is_one
