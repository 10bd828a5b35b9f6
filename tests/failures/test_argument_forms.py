"""The forms of values: a template tells them, and knows them again."""

from __future__ import annotations

import pytest

from hardwon.failures.argument_forms import (
    changed_form,
    changed_time,
    has_form,
    template_of_format,
    time_template,
)


@pytest.mark.parametrize(
    ("value", "template"),
    [
        ("2026-05-19", "YYYY-MM-DD"),
        ("2026-05-19 12:30", "YYYY-MM-DD HH:MM"),
        ("2026-05-19T12:30:59", "YYYY-MM-DDTHH:MM:SS"),
        ("12:30", "HH:MM"),
        ("20260519", "YYYYMMDD"),
        ("19.05.2026", "DD.MM.YYYY"),
        ("26101989", "DDMMYYYY"),  # 2610 has no month 19
        ("19051989", "DDMMYYYY"),  # 1905 has no month 19
        ("05191989", ""),
        ("5/19/2026", ""),  # which part is the month is not seen
        ("2026-05-19 noon", ""),
        ("M-1", ""),
        ("", ""),
    ],
)
def test_a_date_or_time_is_known_by_its_template(value: str, template: str) -> None:
    assert time_template(value) == template
    assert not template or has_form(value, f"as {template}")


@pytest.mark.parametrize(
    ("text", "template"),
    [
        ("%Y-%m-%d %H:%M", "YYYY-MM-DD HH:MM"),
        ("%d.%m.%Y", "DD.MM.YYYY"),
        ("%F", "YYYY-MM-DD"),
        ("%d %b %Y", ""),  # letters in the middle
        ("%Y-%m-%d for Kim", ""),
        ("", ""),
    ],
)
def test_the_format_of_an_error_is_told_as_a_template(text: str, template: str) -> None:
    assert template_of_format(text) == template


def test_only_a_change_of_the_form_is_told() -> None:
    assert changed_time("19.5.2026", "2026-05-19") == "YYYY-MM-DD"
    assert changed_time("2026-05-18", "2026-05-19") == ""
    assert changed_time("2026-05-19", "tomorrow") == ""
    assert changed_form("shop.example", "https://shop.example") == "as a whole address"
    assert changed_form("https://a.example", "https://shop.example") == ""


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("2026-05-19 12:30", "as YYYY-MM-DD"),
        ("2026-05-1x", "as YYYY-MM-DD"),
        ("shop", "as a whole address"),
        (20260519, "as YYYYMMDD"),
        ("whole", "whole"),
        ("", ""),
    ],
)
def test_a_value_of_another_form_is_not_taken_for_it(value: object, words: str) -> None:
    assert not has_form(value, words)
