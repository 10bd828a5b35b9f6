"""An argument is traced to the earlier result that gave it, or to none."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hardwon.failures.fix_case import Case, case_of
from hardwon.failures.fix_source import is_id_name, is_refused, source_change, source_in_words
from hardwon.values.step import Step

ERROR = "card is not valid"


def case(*before: Step, error: str = ERROR, failed: str = "charge", **args: Any) -> Case:
    """Earlier steps, then a failing call and one that works."""
    last = Step(failed, json.dumps(args), "ok")
    return case_of([*before, Step(failed, "{}", error, failed=True), last], len(before))


def result(tool: str, output: Any, **args: Any) -> Step:
    return Step(tool, json.dumps(args), json.dumps(output))


ACCOUNT = result("get_account", {"cards": [{"number": "c-881"}]}, person="p-1001")


def test_a_value_is_told_by_its_place_and_never_by_itself() -> None:
    found = source_change("card", "c-1", "c-881", case(ACCOUNT))

    assert found == (
        "Take `card` from `cards.number` in the result of `get_account`; do not make it up.",
        "card from get_account cards.number",
    )


@pytest.mark.parametrize(
    ("old", "new", "before", "error"),
    [
        ("c-1", "c-999", ACCOUNT, ERROR),
        ("c-1", "cdef", result("get_account", {"card": "cdef"}), ERROR),
        ("c-1", "c-881", ACCOUNT, "the shop is closed today"),
        ("c-1", "c-881", ACCOUNT, "not enough money on this card"),
        ("c-1", "c-881", ACCOUNT._replace(failed=True), ERROR),
        ("c-1", "c-881", result("get_account", {"number": "c-881"}, card="c-881"), ERROR),
        ("c-1", "c-881", result("charge", {"card": "c-881"}), ERROR),
        ("c-881", "c-881", ACCOUNT, ERROR),
    ],
    ids=[
        "in no result",
        "a word",
        "an error of another sort",
        "used up",
        "a result that failed",
        "what was asked for",
        "of the same tool",
        "unchanged",
    ],
)
def test_a_value_without_a_source_is_not_explained(
    old: str, new: str, before: Step, error: str
) -> None:
    assert source_change("card", old, new, case(before, error=error)) is None


def test_who_somebody_is_and_where_a_file_lies_is_not_taken_from_results() -> None:
    assert source_change("card", "c-1", "c-881", case(ACCOUNT, failed="verify_person")) is None
    assert source_change("path", "c-1", "c-881", case(ACCOUNT)) is None


@pytest.mark.parametrize(
    ("value", "key", "error", "is_told"),
    [
        ("7777", "card", ERROR, True),
        ("777", "card", ERROR, True),
        ("777", "limit", ERROR, False),
        ("777", "row", "the version has changed", False),
        ("777", "version", "the version has changed", True),
        ("777", "file_id", "no file with ID 3: not found", True),
        ("777", "invoice_id", "the invoice was not found", True),
        ("777", "thing_id", "the file was not found", False),
    ],
)
def test_a_short_value_needs_an_error_about_its_argument(
    value: str, key: str, error: str, is_told: bool
) -> None:
    place = {"card": "card", "limit": "limit", "row": "n", "version": "version"}.get(key, "id")
    before = result("list_all", {place: value})

    assert bool(source_change(key, "3", value, case(before, error=error))) is is_told


def test_a_value_that_was_replaced_is_taken_from_the_latest_result() -> None:
    old, new = (result("get_row", {"etag": f"e-{n}"}) for n in (1001, 2002))
    found = source_change("etag", "e-1001", "e-2002", case(old, new, error="etag does not match"))

    assert found
    assert (
        "from `etag` in the latest result of `get_row`; an earlier one no longer holds" in found[0]
    )
    assert (
        source_change("etag", "e-2002", "e-1001", case(old, new, error="etag does not match"))
        is None
    )


ROOMS = [
    {"id": "r-1001", "free": False, "kind": "closed"},
    {"id": "r-2002", "free": True, "kind": "open"},
]


@pytest.mark.parametrize(
    ("error", "key"),
    [
        ("the room is not free", "room free=true"),
        ("a closed room cannot be booked", "room kind!=closed"),
    ],
)
def test_of_two_entries_the_field_that_the_error_means_tells_which(error: str, key: str) -> None:
    found = source_change(
        "room", "r-1001", "r-2002", case(result("list_rooms", ROOMS), error=error)
    )

    assert found
    assert found[1] == key


def test_of_two_entries_another_argument_may_tell_which() -> None:
    boxes = [{"box": "b-1001", "zone": "z-11"}, {"box": "b-2002", "zone": "z-22"}]
    asked = case(result("list_boxes", boxes), error="zone is not valid", box="b-2002", zone="z-22")
    found = source_change("zone", "z-11", "z-22", asked)

    assert found
    assert found[1] == "zone of entry box list_boxes zone"
    small = case(result("list_boxes", boxes), error="zone is not valid", box="b-3", zone="z-22")
    assert source_change("zone", "z-11", "z-22", small) is None


@pytest.mark.parametrize(
    ("key", "where"),
    [("card_number", "`cards.number` in the result of `get_account`"), ("limit", "")],
)
def test_a_new_argument_has_a_source_that_is_called_alike(key: str, where: str) -> None:
    assert source_in_words(key, "c-881", case(ACCOUNT)) == where


def test_a_tool_that_only_looks_is_the_better_source() -> None:
    made = result("make_card", {"card": "c-881"})
    seen = result("get_card", {"card": "c-881"})

    assert source_in_words("card", "c-881", case(seen, made)).endswith("`get_card`")


@pytest.mark.parametrize(
    ("line", "is_wrong"),
    [
        ("card is not valid", True),
        ("invalid card", True),
        ("no card with this number", True),
        ("the row was modified", True),
        ("not enough money", False),
        ("too many cards, invalid", False),
        ("please wait", False),
    ],
)
def test_an_error_is_about_a_wrong_value(line: str, is_wrong: bool) -> None:
    assert is_refused(line) is is_wrong


@pytest.mark.parametrize(
    ("name", "is_id"),
    [
        ("id", True),
        ("id_", True),
        ("file_id", True),
        ("fileId", True),
        ("grid", False),
        ("ID", True),
    ],
)
def test_ids_are_known_by_their_names(name: str, is_id: bool) -> None:
    assert is_id_name(name) is is_id


@pytest.mark.parametrize(
    ("output", "error", "is_told"),
    [
        ('{"slug": "media-proxy"}', "no service with slug media", True),
        ('{"slug": "media-proxy"}', "no such service", False),  # does not quote the wrong value
        ('{"slug": "search"}', "no service with slug media", False),
    ],
)
def test_a_plain_word_has_a_source_if_it_was_looked_up_after_the_failure(
    output: str, error: str, is_told: bool
) -> None:
    failed = Step("charge", '{"service": "media"}', error, failed=True)
    look = Step("list_services", "{}", output)
    last = Step("charge", '{"service": "media-proxy"}', "ok")

    after, before = case_of([failed, look, last], 0), case_of([look, failed, last], 1)

    assert (source_change("service", "media", "media-proxy", after) is not None) is is_told
    assert source_change("service", "media", "media-proxy", before) is None


def test_a_look_up_that_was_asked_otherwise_is_told_by_what_was_asked() -> None:
    steps = [
        result("list_rooms", {"rooms": ["R-1001"]}),
        Step("assign", '{"room": "R-1001"}', "room R-1001 cannot be assigned", failed=True),
        result("list_rooms", {"rooms": ["R-2002"]}, status="READY"),
        Step("assign", '{"room": "R-2002"}', "ok"),
    ]

    change = source_change("room", "R-1001", "R-2002", case_of(steps, 1))

    assert change == (
        "Take `room` from `rooms` in the result of `list_rooms`, asked with another `status`.",
        "room of `status`",
    )


@pytest.mark.parametrize(
    ("printed", "is_one"),
    [
        ("GRID ONE 2031 SEQ 140\n8 EVENTS", True),
        ("seq: 140.", True),
        ("SEQ 1400", False),
        ("EVENTS 140", False),
        ("SEQUEL 140", False),
    ],
)
def test_a_short_value_is_known_by_its_label(printed: str, is_one: bool) -> None:
    grid = Step("grid", "{}", printed)
    found = source_change("seq", 139, 140, case(grid, error="SEQ 139 is not valid"))

    told = ("Take `seq` from the result of `grid`; do not make it up.", "seq from grid ")
    assert found == (told if is_one else None)
