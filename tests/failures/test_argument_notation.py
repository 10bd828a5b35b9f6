"""The same value in another notation: told in words, and known again."""

from __future__ import annotations

import pytest

from hardwon.failures.argument_notation import changed_notation, has_notation


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("usd", "USD", "in capital letters"),
        ("CSV", "csv", "in small letters"),
        ("dark_mode", "dark-mode", "with `-` between its parts"),
        ("darkMode", "dark_mode", "in small letters, with `_` between its parts"),
        ("Next Day", "NEXT_DAY", "in capital letters, with `_` between its parts"),
        ("next-day", "next day", "with blanks between its parts"),
        ("DE89 3704 0044", "DE8937040044", "without blanks"),
        ("12:30", "1230", "without `:`"),
        ("42", "00042", "with 5 digits"),
        ("150920", "1509200000", "with 10 digits"),
        ("00042", "42", "with 2 digits"),
        ("08/2025", "2025P08", "as `YYYYPMM`"),
        ("2025-31", "31/2025", "as `NN/YYYY`"),
        ("5512", "ORD-5512", "as `ORD-NNNN`"),
        ("A1", "A01", "with 2 digits"),
        ("45", "00:45:00:00", "as `NN:NN:NN:NN`"),
        ("01:30:00", "01:30:00:00", "as `NN:NN:NN:NN`"),
    ],
)
def test_the_notation_is_told_and_known_again(old: str, new: str, words: str) -> None:
    assert changed_notation(old, new) == words
    assert has_notation(new, words)
    assert not has_notation(old, words)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("kim lee", "Kim Lee"),  # a name
        ("USD", "USD"),
        ("usd", "EUR"),
        ("1234", "1243"),  # the same digits in the same form: another number
        ("42", "4200042"),
        ("0042", "42000"),
        ("45", "00:54:00"),
        ("45:10", "45:00"),
        ("A1", "B01"),
        ("ABCD1", "ABCD01"),
        ("ab", "ab0"),  # no number
        ("12", "A21"),  # too few digits to say that it is the same value
        ("ab-12 34", "12ab/34"),
        ("--", "__"),
        ("a b.c", "a-b_c"),
        ("x" * 61, "X" * 61),
    ],
)
def test_another_value_has_no_notation(old: str, new: str) -> None:
    assert changed_notation(old, new) == ""


def test_a_value_without_parts_needs_no_separator() -> None:
    assert has_notation("mode", "with `-` between its parts")
    assert not has_notation("mode", "")
    assert not has_notation("mode", "from `x`")
