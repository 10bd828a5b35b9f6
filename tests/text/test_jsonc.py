"""JSON that people keep by hand is changed in one place and stays as it is elsewhere."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hardwon.core.errors import InvalidInput
from hardwon.core.text.jsonc import append, loads, put, remove


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{}", {}),
        ('\ufeff{"a": 1}', {"a": 1}),
        ('// top\n{"a": [1, 2,], /* b */ "b": null,}', {"a": [1, 2], "b": None}),
        ('{"a": "// no comment", "b": "x\\"y"}', {"a": "// no comment", "b": 'x"y'}),
        ("[true, false, -1.5e3]", [True, False, -1500.0]),
        ('"text"', "text"),
        ("/* a * b */ 3", 3),
    ],
)
def test_comments_and_trailing_commas_are_read_over(text: str, value: Any) -> None:
    assert loads(text) == value


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "ends too early, in line 1"),
        ('{"a": 1', "ends too early"),
        ('{"a": 1}\n x', "unexpected"),
        ('{"a" 1}', "unexpected '1}' in line 1"),
        ('{\n\n"a": ?}', "in line 3"),
        ("{a: 1}", "unexpected"),
        ('["a" "b"]', "unexpected"),
        ('"\\x"', "unexpected"),
    ],
)
def test_what_is_no_json_is_refused_with_its_line(text: str, said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        loads(text)


@pytest.mark.parametrize(("depth", "is_read"), [(200, True), (201, False)])
def test_a_file_may_be_nested_so_deep(depth: int, is_read: bool) -> None:
    text = "[" * depth + "1" + "]" * depth
    if is_read:
        assert json.dumps(loads(text)) == text
    else:
        with pytest.raises(InvalidInput, match="nested too deep"):
            loads(text)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("{}", '{\n  "a": {\n    "b": [\n      7\n    ]\n  }\n}'),
        ('{\n  "a": {\n    "b": []\n  }\n}', '{\n  "a": {\n    "b": [\n      7\n    ]\n  }\n}'),
        (
            '{\n\t"a": {\n\t\t"b": [\n\t\t\t1 // one\n\t\t]\n\t}\n}',
            '{\n\t"a": {\n\t\t"b": [\n\t\t\t1, // one\n\t\t\t7\n\t\t]\n\t}\n}',
        ),
        ('{"a": {"b": [1,]}}', '{"a": {"b": [1,\n      7\n    ]}}'),
        ('{\n  "x": 1\n}', '{\n  "x": 1,\n  "a": {\n    "b": [\n      7\n    ]\n  }\n}'),
        ('{"x": 1}', '{"x": 1,\n  "a": {\n    "b": [\n      7\n    ]\n  }\n}'),
    ],
    ids=["empty", "empty array", "tabs and a comment", "trailing comma", "beside", "on one line"],
)
def test_a_value_is_appended_in_the_layout_of_the_file(before: str, after: str) -> None:
    assert append(before, ("a", "b"), 7) == after


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"a": []}', '"a" holds .., expected an object'),
        ('{"a": {"b": {}}}', '"a.b" holds {}, expected an array'),
        ("[]", "the file holds .., expected an object"),
    ],
)
def test_a_place_of_another_kind_is_named(text: str, said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        append(text, ("a", "b"), 7)


def test_a_member_is_put_unless_it_is_there() -> None:
    assert put('{"version": 3}', "version", 1) == '{"version": 3}'
    assert put("{}", "version", 1) == '{\n  "version": 1\n}'
    with pytest.raises(InvalidInput, match="expected an object"):
        put("[]", "version", 1)


@pytest.mark.parametrize(
    ("before", "index", "after"),
    [
        ('{"a": [1, 2, 3]}', 0, '{"a": [ 2, 3]}'),
        ('{"a": [1, 2, 3]}', 1, '{"a": [1, 3]}'),
        ('{"a": [1, 2, 3]}', 2, '{"a": [1, 2]}'),
        ('{"x": 0, "a": [1]}', 0, '{"x": 0}'),
        ('{"a": [1], "x": 0}', 0, '{ "x": 0}'),
        ('{"a": [1]}', 0, "{}"),
        ('{\n  // mine\n  "a": [1]\n}', 0, "{\n  // mine\n}"),
        ('{"a": [1] // last\n}', 0, "{// last\n}"),
        ('{"a": [1],}', 0, "{}"),
    ],
)
def test_an_item_is_removed_with_what_becomes_empty(before: str, index: int, after: str) -> None:
    assert remove(before, ("a",), index) == after
    loads(after)


def test_only_containers_that_become_empty_go() -> None:
    text = '{"hooks": {"a": [1], "b": [2]}, "x": 0}'

    assert loads(remove(text, ("hooks", "a"), 0)) == {"hooks": {"b": [2]}, "x": 0}
    assert loads(remove('{"hooks": {"a": [1]}, "x": 0}', ("hooks", "a"), 0)) == {"x": 0}
