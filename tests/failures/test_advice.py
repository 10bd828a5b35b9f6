"""A call that already does what a fix advises needs no warning."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hardwon.failures.advice import is_followed, is_worth_showing, not_followed
from hardwon.values.fix import Fix
from hardwon.values.step import Step

PEOPLE = Step("list_people", "{}", '{"people": [{"id": "p-4410", "name": "Kim"}]}', False)
PAGES = (
    Step("page_look", "{}", '- button "Save" [ref=e13]', False),
    Step("page_click", "{}", '- button "Save" [ref=e31]', False),
)
VERIFIED = Step("verify", '{"id": "C-1002"}', "ok", False)


def is_kept(key: str, *before: Step, **args: Any) -> bool:
    sort = key.split(" ", 1)[0]
    step = Step("send", json.dumps(args), "", False)
    return is_followed(Fix(sort, "", key), step, before)


@pytest.mark.parametrize(
    ("key", "args"),
    [
        ("argument send +version", {"version": 3}),
        ("argument send -version", {"id": 3}),
        ("argument send +to +version", {"to": "x", "version": 3}),
        ("argument send query fewer", {"query": "hiking"}),
        ("argument send amount whole", {"amount": 3}),
        ("argument send amount a number", {"amount": 3.5}),
        ("argument send to a list", {"to": ["x"]}),
        ("argument send * as YYYY-MM-DD", {"note": "x", "since": "2026-01-31"}),
        ("argument send level one of low|high", {"level": "high"}),
        ("argument send since as YYYY-MM-DD", {"since": "2026-01-31"}),
        ("argument send to from list_people people.id", {"to": "p-4410"}),
        ("argument send to from list_people people.id", {"to": ["p-4410"]}),
        ("argument send note renamed text", {"text": "x"}),
        ("argument send ref from page_look ref", {"ref": "e31"}),
        (
            "argument send region of entry name list_people people.id",
            {"name": "Kim", "region": "p-4410"},
        ),
        ("preparation tool verify", {"id": "C-1002"}),
        ("argument send query name total", {"query": "{ total }"}),
        ("argument send rows a list of lists", {"rows": [["x"]]}),
        ("argument send period as `YYYYPMM`", {"period": "2025P09"}),
        ("argument send amount times 100", {"amount": 1850}),
        ("argument send method word by_mail", {"method": "by_mail"}),
        ("argument send person from list_people ", {"person": "p-4410"}),
        ("argument send fewer lines", {"old_string": "a line"}),
    ],
)
def test_a_call_heeds_a_fix(key: str, args: dict[str, Any]) -> None:
    assert is_kept(key, PEOPLE, VERIFIED, *PAGES, **args)


@pytest.mark.parametrize(
    ("key", "args"),
    [
        ("argument send +version", {"id": 3}),
        ("argument other +version", {"version": 3}),
        ("argument send +to +version", {"version": 3}),
        ("argument send query fewer", {"query": "hiking trip"}),
        ("argument send amount whole", {"amount": 3.0}),
        ("argument send to a list", {"to": "x"}),
        ("argument send to a list", {"to": 3}),
        ("argument send to text", {"to": 3}),
        ("argument send rows a list of lists", {"rows": []}),
        ("argument send rows a list of lists", {"rows": [["x"], "y"]}),
        ("argument send * as YYYY-MM-DD", {"since": "2026-01-31", "until": "2026-01-31 12:00"}),
        ("argument send * as YYYY-MM-DD", {"note": "x"}),
        ("argument send level one of low|high", {"level": "worst"}),
        ("argument send since as YYYY-MM-DD", {"since": "31.1.2026"}),
        ("argument send to from list_people people.id", {"to": "Kim"}),
        ("argument send to from list_people people.id", {"to": []}),
        ("argument send amount named", {"amount": 3}),
        ("argument send note renamed text", {"note": "x", "text": "x"}),
        ("argument send ref from page_look ref", {"ref": "e99"}),
        (
            "argument send region of entry name list_people people.id",
            {"name": "Jo", "region": "p-4410"},
        ),
        ("preparation tool verify", {"id": "C-2003"}),
        ("preparation tool send", {"id": "C-2003"}),
        ("argument send query name total", {"query": "{ sum }"}),
        ("argument send rows a list of lists", {"rows": ["x"]}),
        ("call send it", {"id": "C-2003"}),
        ("argument send period as `YYYYPMM`", {"period": "09/2025"}),
        ("argument send amount times 100", {"amount": 18.5}),
        ("argument send method word by_mail", {"method": "by_hand"}),
        ("argument send person from list_people ", {"person": "p-9999"}),
        ("argument send fewer lines", {"old_string": "a line\nand more"}),
        ("argument send person of `state`", {"person": "p-4410"}),  # of which look-up is not known
    ],
)
def test_a_call_does_not_heed_a_fix_or_that_is_not_sure(key: str, args: dict[str, Any]) -> None:
    assert not is_kept(key, PEOPLE, VERIFIED, *PAGES, **args)


@pytest.mark.parametrize(
    ("key", "text", "is_told"),
    [
        ("argument send +version", "Pass `version` too.", True),
        ("argument send +to", "Pass `to` too.", False),
        (
            "argument send version named",
            "Give as `version` the number that the error names.",
            False,
        ),
        (
            "preparation tool wait",
            "Call `wait` first, with the `seconds` that the error names",
            False,
        ),
        ("lines proposed-name", "Write what the error itself proposes.", False),
        ("call git commit mark", "Begin the text in the form that the error names.", True),
    ],
)
def test_a_fix_is_news_before_a_call(key: str, text: str, is_told: bool) -> None:
    """The label of a warning shows the form that an error names, and no value of another run."""
    step = Step("send", '{"to": "x"}', "", False)

    assert is_worth_showing(Fix(key.split(" ", 1)[0], text, key), step, ()) is is_told


def test_what_lay_over_an_element_was_closed_by_a_call_on_another_one() -> None:
    closed = Step("send", '{"id": "C-9009"}', "ok", False)
    assert is_kept("preparation tool send", closed, id="C-2003")
    assert not is_kept("preparation tool send", closed._replace(failed=True), id="C-2003")


@pytest.mark.parametrize(
    ("key", "is_left"),
    [
        ("argument send -date", False),
        ("argument send +to", False),
        ("argument send to fewer", False),
        ("argument send to a list", True),
        ("argument send -to", True),
        ("argument other -date", True),
        ("argument send to from list_people people.id", True),
        ("preparation tool verify", True),
        ("call flags send -f", True),
    ],
)
def test_a_call_that_failed_is_told_what_it_does_not_do_yet(key: str, is_left: bool) -> None:
    fix = Fix(key.split(" ", 1)[0], "", key)

    assert not_followed([fix], Step("send", '{"to": "p-4410"}', "", True)) == (
        (fix,) if is_left else ()
    )


def test_a_result_that_failed_is_no_source() -> None:
    lost = Step("list_people", "{}", "no answer about p-4410", failed=True)

    assert not is_kept("argument send person from list_people ", lost, person="p-4410")
