"""A text that worked in another form is told without a value of the run."""

from __future__ import annotations

import pytest

from hardwon.failures.argument_texts import reworded
from hardwon.failures.fix_case import case_of
from hardwon.values.step import Step

LONGEST = 4_000


def told(old: object, new: object, error: str) -> str:
    """The key of the advice, or nothing."""
    case = case_of([Step("ask", "{}", error, failed=True)], 0)
    found = reworded("q", old, new, case)
    return found[1] if found else ""


@pytest.mark.parametrize(
    ("old", "new", "error", "key"),
    [
        ("select nme from t", "select title from t", 'column "nme" unknown', "q name title"),
        ("select nme from t", "select t.nme from t", 'column "nme" is ambiguous', "q qualified"),
        ("select nme from t", "select men from t", 'column "nme" unknown', ""),
        ("select nme from t", "select title2 from t", 'column "nme" unknown', ""),
        ("select nme from t", "select title from u", 'column "nme" unknown', "q name title"),
        ("select nme, b from t", "select title, c from t", "columns nme and b unknown", ""),
        ("select nme, b from t", "select title, c from t", "column nme unknown", "q name title"),
        ("select nme from t", "select title from t", "nme unknown", ""),
        ("nme of t", "title of t", "column nme unknown", ""),
        ("select nme from t", "select title, a from t", "column nme unknown", ""),
        ("a b", "'a b'", "bad", "q quotes"),
        ("ab", "'ab'", "bad", ""),
        ("a b", "a b", "bad", ""),
        ("age", "age.raw", "use a raw field", "q with raw"),
        ("age", "raw:age", "use a raw field", "q with raw"),
        ("age", "ageraw", "use a raw field", ""),
        ("age", "age.raw", "not sortable", ""),
        ("", ".raw", "use a raw field", ""),
        ("age", "age.xy", "use xy", ""),
        ("Anna", "Anna B", "several matches for Anna", "q exact"),
        ("Anna", "Anna B", "several matches", ""),
        ("Anna", "Anna B", "no Anna here", ""),
        (
            "select a from t group by a",
            "select a from t where day >= '1' and b = 2",
            "full scan refused",
            "q with day",
        ),
        (
            "select a from t where b = 2",
            "select a from t where b = 2 and t.day between 1 and 3",
            "a partition filter is needed",
            "q with t.day",
        ),
        ("select a from t where b = 2", "select a from t where B = 3", "full scan refused", ""),
        ("select a from t", "select a from t where day = 1", "time-out", ""),
        ("all of t", "all of t where day = 1", "full scan refused", ""),
        (3, "a", "bad", ""),
        ("a", 3, "bad", ""),
    ],
)
def test_a_text_is_told_by_what_the_error_has(
    old: object, new: object, error: str, key: str
) -> None:
    assert told(old, new, error) == key


def test_another_function_is_told_as_what_worked_in_its_place() -> None:
    case = case_of([Step("ask", "{}", "function foo does not exist", failed=True)], 0)

    assert reworded("q", "select foo(a)", "select bar(a)", case) == (
        "In `q`, there is no function `foo`; `bar` worked in its place.",
        "q name bar",
    )


@pytest.mark.parametrize(("size", "key"), [(LONGEST, "q name title"), (LONGEST + 1, "")])
def test_a_very_long_query_is_not_compared(size: int, key: str) -> None:
    old, new = (f"select {name} from t " for name in ("names", "title"))

    assert told(old.ljust(size, ";"), new.ljust(size, ";"), "column names unknown") == key


def test_a_word_behind_a_name_is_told_as_it_is_written() -> None:
    case = case_of([Step("ask", "{}", "use a RAW field", failed=True)], 0)

    assert reworded("q", "age", "age.raw", case) == (
        "Write `.raw` behind the name in `q`.",
        "q with raw",
    )
    assert reworded("q", "age", "raw.age", case) == (
        "Write `raw.` before the name in `q`.",
        "q with raw",
    )
