"""The marks of a commit message."""

from __future__ import annotations

import pytest

from hardwon.failures.commit_marks import form_of


@pytest.mark.parametrize(
    ("message", "form"),
    [
        ("core: add a line", "<word>:"),
        ("fix(api)!: add a line", "<word>(<scope>):"),
        ("fix(api): Add a line", "<word>(<scope>): and a capital letter"),
        ("HB-7: Add a line", "HB-<n>:"),
        ("HB-7 add a line", "HB-<n>"),
        ("HB-7: add a line", "HB-<n>:"),
        ("hb-7 add a line", "hb-<n>"),
        ("[shop] add a line", "[shop]"),
        ("Core: add a line", "Core:"),
        ("add 3 lines", "no mark"),
        ("add lines (FB-969)", "(FB-<n>)"),
        ("add lines #12", "#<n>"),
        ("read UTF-8 files", "UTF-<n>"),
        ("", "no mark"),
    ],
)
def test_the_mark_of_a_message(message: str, form: str) -> None:
    assert form_of(message) == form
