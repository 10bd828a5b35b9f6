"""The kind of a failing step is that of its line, seen with its call and its run."""

from __future__ import annotations

import json

import pytest

from hardwon.core.values.run import Step
from hardwon.knowledge.reading.reading import step_kind


def kind(line: str, call: str, *before: str) -> str:
    steps = [Step("bash", command) for command in before]
    return step_kind(line, Step("bash", call, line, failed=True), steps)


def kind_of_tool(line: str, **args: object) -> str:
    return step_kind(line, Step("book", json.dumps(args), line, failed=True), [])


def test_a_module_of_the_run_is_not_named() -> None:
    line = "ModuleNotFoundError: No module named 'shop'"

    assert kind(line, "python a.py").endswith("named shop")
    assert kind(line, "python a.py", "mkdir shop").endswith("named <name>")
    assert kind(line, "manage test shop").endswith("named <name> that the call names")


def test_a_fixture_that_the_run_wrote_is_not_named() -> None:
    line = "fixture 'client' not found"

    assert kind(line, "pytest") == "fixture client not found"
    assert kind(line, "pytest", "echo 'def test(client)'") == "fixture <name> not found"


def test_a_time_out_is_told_by_the_program() -> None:
    kind_text = kind("Command timed out after 120 seconds", "cd a && npm test")

    assert kind_text == "npm test: command timed out"


@pytest.mark.parametrize(
    ("line", "args", "text"),
    [
        ("TypeError: f() missing 1 required positional argument: 'day'", {}, "day: Field required"),
        ("f() got an unexpected keyword argument 'day'", {}, "day: unexpected argument"),
        ("day: no such day", {"day": "x"}, "day: no such day"),
        ("R-77: no such room", {"room": "R-77"}, "<name>: no such room"),
        ("room R-7 is taken", {"room": "R-7"}, "room <name> is taken"),
        ("the room of Anna is taken", {"who": "Anna"}, "the room of <name> is taken"),
        ("Anna has no room", {"who": "Anna"}, "Anna has no room"),
        ("the room of anna is taken", {"who": "anna"}, "the room of anna is taken"),
        ("no open orders", {"state": "open"}, "no open orders"),
        ("anna is not a guest", {"who": "anna"}, "<name> is not a guest"),
        ("anna is here", {"who": "anna"}, "anna is here"),
        ("R( is not a room", {"room": "R("}, "<name> is not a room"),
        ("DATE ? sun", {"day": "sun"}, "DATE ? <name>"),
        ("DUR ? 45", {"dur": 45}, "DUR ? <name>"),
        ("no such day: sun", {"day": "sun"}, "no such day <name>"),
        ("got day = sun", {"day": "sun"}, "got day = <name>"),
        ("not in the sun", {"day": "sun"}, "not in the sun"),
    ],
)
def test_the_values_of_a_call_are_folded_and_its_fields_stay(
    line: str, args: dict[str, object], text: str
) -> None:
    assert kind_of_tool(line, **args) == text
