"""The values of a result, with their places, in the forms that tools print."""

from __future__ import annotations

from hardwon.failures.results import Leaf, leaves

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
