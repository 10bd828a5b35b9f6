"""What a model answers becomes changes to a playbook, or it is a bad reply."""

from __future__ import annotations

import json

import pytest

from hardwon.core.errors import BadReply
from hardwon.learn.reader.answer import SCHEMA, Answer, Item, parse

ADD = {"sort": "way", "when": "When committing.", "do": "Use `git commit`", "steps": [1, "2", "#3"]}
PLAIN = json.dumps({"add": [ADD], "change": [], "confirm": [], "withdraw": []})


@pytest.mark.parametrize(
    "reply",
    [
        PLAIN,
        f"```json\n{PLAIN}\n```",
        f"Here is what I found: {{so far}}.\n{PLAIN}\nI hope that {{helps}}.",
        f'<think>{{"add": [1, 2]}} perhaps</think>{PLAIN}',
        json.dumps({"note": "first", **json.loads(PLAIN)}),
        PLAIN.replace("]}", "],}"),
    ],
)
def test_the_changes_are_found_whatever_stands_around_them(reply: str) -> None:
    assert parse(reply) == Answer(
        add=(Item("committing", "Use `git commit`", "", (1, 2, 3), "way"),)
    )


@pytest.mark.parametrize(
    "reply",
    ["", "None", "null", "nothing new", "[]", "{}", '{"lesson": "x"}', PLAIN[:-9], "{" * 300_000],
)
def test_no_answer_and_garbage_are_bad_replies(reply: str) -> None:
    with pytest.raises(BadReply):
        parse(reply)


def test_four_empty_lists_are_an_answer() -> None:
    assert parse('{"add": [], "change": [], "confirm": [], "withdraw": []}') == Answer()


@pytest.mark.parametrize(
    "row",
    [
        "text",
        7,
        {"when": "x", "do": "", "steps": [1]},
        {"when": "", "do": "y", "steps": [1]},
        {"when": "x", "do": "None", "steps": [1]},
        {"when": "x", "do": None},
    ],
)
def test_an_item_without_a_situation_or_advice_is_left_out(row: object) -> None:
    assert parse(json.dumps({"add": [row]})) == Answer()


def test_a_sort_that_is_not_known_follows_from_what_the_item_says() -> None:
    rows = [{**ADD, "sort": "tip"}, {**ADD, "sort": "tip", "wrong": "It fails"}]

    assert [item.sort for item in parse(json.dumps({"add": rows})).add] == ["way", "pitfall"]


@pytest.mark.parametrize(
    ("steps", "numbers"),
    [
        ([3, "4", "#5"], (3, 4, 5)),
        ("2, 4-6 and 9", (2, 4, 5, 6, 9)),
        (["2–3"], (2, 3)),
        (None, ()),
        ("1-99999", tuple(range(1, 42))),
    ],
)
def test_steps_may_be_written_in_any_form(steps: object, numbers: tuple[int, ...]) -> None:
    (item,) = parse(json.dumps({"add": [{**ADD, "steps": steps}]})).add

    assert item.steps == numbers


def test_ids_may_be_written_in_any_form() -> None:
    answer = parse('{"confirm": [1, "2", "#3", "[4]", {"id": 5}, true, "six", -7]}')

    assert answer.confirm == (1, 2, 3, 4, 5)


def test_an_item_is_withdrawn_with_its_reason() -> None:
    answer = parse('{"withdraw": [{"id": 2, "why": "gone"}, 3, {"why": "no id"}]}')

    assert answer.withdraw == ((2, "gone"), (3, ""))


def test_a_change_may_give_only_what_is_new() -> None:
    answer = parse('{"change": [{"id": 4, "do": "Use `x --y`", "steps": [2]}, {"id": 5}]}')

    assert answer.change == (Item("", "Use `x --y`", "", (2,), "", 4),)


def test_the_schema_is_one_that_servers_take() -> None:
    assert set(SCHEMA["required"]) == set(SCHEMA["properties"]) == set(Answer._fields)
    for rows in (SCHEMA["properties"][name]["items"] for name in ("add", "change", "withdraw")):
        assert set(rows["required"]) == set(rows["properties"])
