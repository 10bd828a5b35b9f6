"""How a commit message begins."""

from __future__ import annotations

import pytest

from hardwon.failures.commit_marks import beginning


@pytest.mark.parametrize(
    ("message", "form"),
    [
        ("core: add a line", "<word>:"),
        ("fix(api)!: add a line", "<word>:"),
        ("HB-7 add a line", "HB-<n>"),
        ("HB-7: add a line", "HB-<n>:"),
        ("[shop] add a line", "[shop]"),
        ("Core: add a line", "Core:"),
        ("add 3 lines", "plainly"),
        ("", "plainly"),
    ],
)
def test_a_message_begins_with_a_mark_or_plainly(message: str, form: str) -> None:
    assert beginning(message) == form
