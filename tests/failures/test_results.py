"""The values of a result, with their places, in the forms that tools print."""

from __future__ import annotations

import json

import pytest

from hardwon.knowledge.reading.results import Leaf, is_id, leaves, scalars

FILES = """\
- filename: plans.docx
  id_: '7'
  note: "See the list:
    Dates: June to July"
  owner: kim
- filename: list.txt
  id_: '11'
  shared_with:
    kim: rw
"""


def test_the_lines_of_yaml_are_values_with_the_fields_of_their_entry() -> None:
    found = leaves(FILES)
    entry = (("filename", "list.txt"), ("id_", "11"))

    assert Leaf(("id_",), "11", entry) in found
    assert [leaf.value for leaf in found if leaf.path == ("id_",)] == ["7", "11"]
    assert dict(found[0].beside) == {"filename": "plans.docx", "id_": "7", "owner": "kim"}


def test_what_stands_deeper_or_reads_as_prose_is_no_field() -> None:
    names = {leaf.path[0] for leaf in leaves(FILES)}

    assert names == {"filename", "id_", "owner"}
    assert leaves("Some text: and more\nNote that it ends: here") == ()


def test_marks_in_plain_text_are_values() -> None:
    assert leaves('- button "Save" [ref=e31]') == (Leaf(("ref",), "e31", ()),)


@pytest.mark.parametrize(
    ("output", "leaf"),
    [
        ('{"a": {"b": 3}, "c": "x"}', Leaf(("a", "b"), "3", (("b", "3"),))),
        (
            '{"rows": [{"id": "r-1", "free": true}]}',
            Leaf(("rows", "id"), "r-1", (("id", "r-1"), ("free", "true"))),
        ),
        (
            '{"cards": {"c-1001": {"kind": "gift"}}}',
            Leaf(("cards",), "c-1001", (("kind", "gift"),)),
        ),
        (
            '{"cards": {"c-1001": {"kind": "gift"}}}',
            Leaf(("cards", "*", "kind"), "gift", (("kind", "gift"),)),
        ),
        ('["r-1", "r-2"]', Leaf((), "r-2", ())),
        ('{"text": "{\\"id\\": \\"r-1\\"}"}', Leaf(("id",), "r-1", (("id", "r-1"),))),
        (
            '{"id": "r-1", "size": 3, "more": {"cut',
            Leaf(("id",), "r-1", (("id", "r-1"), ("size", "3"))),
        ),
        (
            '{"cards": {"c-1001": {"kind": "gift"}}, "cut',
            Leaf(("cards",), "c-1001", (("kind", "gift"),)),
        ),
        ("<a><id>r-1</id><size>3</size></a>", Leaf(("id",), "r-1", (("id", "r-1"), ("size", "3")))),
    ],
)
def test_a_value_has_a_place_and_fields_beside_it(output: str, leaf: Leaf) -> None:
    assert leaf in leaves(output)


def test_nothing_is_no_value() -> None:
    assert leaves('{"a": null, "b": []}') == ()


def test_values_are_looked_for_some_objects_deep_and_so_many_of_them() -> None:
    def nested(depth: int) -> str:
        return '{"a": ' * depth + '"x"' + "}" * depth

    assert leaves(nested(9))
    assert not leaves(nested(10))
    assert 4000 <= len(leaves(json.dumps([["x"]] * 5000))) < 4010


@pytest.mark.parametrize(
    ("value", "texts"),
    [
        ({"a": [1, {"b": "x"}]}, ["1", "x"]),
        ([True, None, 2.5], ["2.5"]),
        ("x", ["x"]),
        (None, []),
    ],
)
def test_the_texts_and_numbers_in_a_value(value: object, texts: list[str]) -> None:
    assert scalars(value) == texts


def test_scalars_are_looked_for_down_to_a_depth() -> None:
    assert scalars([[["x"]]], depth=3) == ["x"]
    assert scalars([[["x"]]], depth=2) == []


@pytest.mark.parametrize(
    ("name", "is_one"),
    [("c-1001", True), ("c-10", False), ("Anna", True), ("a b", True), ("name", False)],
)
def test_a_name_of_a_field_may_itself_be_an_id(name: str, is_one: bool) -> None:
    assert is_id(name) is is_one


@pytest.mark.parametrize(
    "head", ["HTTP/1.1 200 OK\n\n", "HTTP/1.1 201 Created\nETag: x\n\n", "result: "]
)
def test_the_body_of_a_response_is_read_behind_its_head(head: str) -> None:
    assert leaves(head + '{"slug": "media-proxy"}')[-1][:2] == (("slug",), "media-proxy")


def test_a_text_that_begins_with_a_bracket_need_not_be_a_body() -> None:
    assert leaves("[12] ref=e77 opened")[0].value == "e77"
