"""Values of one run become placeholders."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.knowledge.evidence.folding import fold_call, fold_value, shorten_values

TASK = "Ticket 3117: refund order 10482 on 18 November 2025"


@pytest.mark.parametrize(
    ("call", "folded"),
    [
        ("ops get '{\"ticket\": 3117}'", "ops get '{\"ticket\": <n>}'"),
        ('ops get \'{"order": "ord_10482_cc2"}\'', 'ops get \'{"order": "ord_<n>_cc2"}\''),
        ('ops draft \'{"day": "18-NOV-2025"}\'', 'ops draft \'{"day": "18-NOV-2025"}\''),
        ('ops line \'{"amount": "EUR3450"}\'', 'ops line \'{"amount": "EUR3450"}\''),
        ("mail bram.vos@example.org", "mail <id>"),
        ("git show 3fa9c1e77b", "git show <id>"),
        ("yard plan --day 2025-12-01", "yard plan --day 2025-12-01"),
        ("yard call +49 30 1234567", "yard call <id>"),
        ('ops reply \'{"text": "Dear Mr Vos, all is well"}\'', 'ops reply \'{"text": "<text>"}\''),
        ("cat /home/ann/x", "cat <dir>/x"),
    ],
)
def test_what_the_task_names_and_what_identifies_is_folded(call: str, folded: str) -> None:
    assert fold_call(call, TASK) == folded


def test_a_plain_word_is_a_choice_only_if_a_tool_printed_it() -> None:
    printed = "methods: birth_year, phrase\ncabin: economy, business"

    assert fold_value("economy", "", printed) == "economy"
    assert fold_value("violet", "", printed) == ""
    assert fold_value("violet", "") == "violet"  # what was printed is not known


def test_prose_between_tags_is_folded() -> None:
    assert fold_value("<p>Notes of Ada Lovelace.</p>", "") == "<p><text></p>"
    assert fold_value("<name>\nAda\n</name>", "") == "<name><text></name>"
    assert fold_value("price > 10 and size < 20", "") == "price > 10 and size < 20"


def test_a_person_s_folder_in_an_argument_is_folded() -> None:
    assert fold_value("/home/ann/work/a.py", "") == "<dir>/work/a.py"


def test_a_list_of_objects_is_cut_after_the_first() -> None:
    call = """ops add '{"id": "D1", "lines": [{"a": 1}, {"a": 2}, {"a": 3}]}'"""

    assert shorten_values(call) == """ops add '{"id": "D1", "lines": [{"a": 1}, …]}'"""


@given(st.text(max_size=400), st.text(max_size=80))
def test_any_text_can_be_folded(call: str, task: str) -> None:
    once = fold_call(call, task)

    assert len(shorten_values(once)) <= len(once) + 8
