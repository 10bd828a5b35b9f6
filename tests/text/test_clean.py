"""The one door for foreign text."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.core.errors import InvalidInput
from hardwon.core.text.clean import clean, clip, clip_middle, file_id, one_line

ANYTHING = st.text(st.characters(exclude_categories=()))


@given(ANYTHING)
def test_cleaned_text_holds_nothing_that_steers_or_hides(text: str) -> None:
    cleaned = clean(text)

    assert not any(unicodedata.category(c) in {"Cc", "Cs"} and c not in "\n\t" for c in cleaned)
    assert not set(cleaned) & set("\u202a\u202e\u2066\u2069\u200b\u200d\ufeff\U000e0041")


@given(ANYTHING)
def test_cleaning_twice_changes_nothing_more(text: str) -> None:
    assert clean(clean(text)) == clean(text)


@given(ANYTHING, st.integers(1, 50))
def test_a_clipped_text_is_never_longer_than_asked(text: str, limit: int) -> None:
    assert len(clip(text, limit)) <= limit
    assert len(one_line(text, limit)) <= limit


@given(st.text(max_size=2000), st.integers(100, 500))
def test_a_text_clipped_in_the_middle_keeps_its_ends(text: str, limit: int) -> None:
    clipped = clip_middle(text, limit)

    assert len(clipped) <= limit
    assert clipped[:20] == text[:20]
    assert clipped[-20:] == text[-20:]


@pytest.mark.parametrize(
    ("raw", "cleaned"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]8;;http://x\x07link\x1b]8;;\x07", "link"),
        ("a\r\nb\rc", "a\nb\nc"),
        ("tab\tand\nline", "tab\tand\nline"),
        ("e\u0301", "é"),
        ("a\x00b\x9bc", "abc"),
    ],
)
def test_what_cleaning_does(raw: str, cleaned: str) -> None:
    assert clean(raw) == cleaned


@pytest.mark.parametrize("text", ["", ".", "..", "a/b", "a\x00", "x" * 129, "ü", "a b", "%2e\n"])
def test_an_id_that_is_no_file_name_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        file_id(text)


@pytest.mark.parametrize("text", ["a", "a.b-c_D9", "...", "x" * 128])
def test_an_id_that_is_a_file_name_is_kept(text: str) -> None:
    assert file_id(text) == text
