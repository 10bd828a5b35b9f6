"""The words that an error offers for an argument are read as far as they are words."""

from __future__ import annotations

import pytest

from hardwon.failures.argument_offers import offered, options


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("must be one of low, normal, high", ("low", "normal", "high")),
        ("Allowed values are: 'a', 'b' or 'c'.", ("a", "b", "c")),
        ("valid: low|high", ("low", "high")),
        ("expected 'r' or 'rw'", ("r", "rw")),
        ("expected `r`/`rw`, got x", ("r", "rw")),
        ("expected r or rw", ()),
        ("one of low, high2", ()),
        ("one of Anna, Chen", ()),
        ("one of low", ()),
        ("must be set", ()),
        ("one of low, received high", ()),
    ],
)
def test_all_that_an_argument_takes_is_listed(line: str, words: tuple[str, ...]) -> None:
    assert options(line) == words


@pytest.mark.parametrize(
    ("line", "chosen", "words"),
    [
        ("use one of low, high", "high", ("low", "high")),
        ("supported formats: xlsx", "xlsx", ("xlsx",)),
        ("supported: v1.2 or v2", "v2", ("v1.2", "v2")),
        ("use one of low, high", "medium", ()),
        ("the levels low, high", "high", ()),
        ("use one of id7777, high", "id7777", ()),
        ("use one of low, high", "hi gh", ()),
        ("low, high: use one of these", "high", ("high",)),
    ],
)
def test_the_word_that_worked_is_told_with_its_row(
    line: str, chosen: str, words: tuple[str, ...]
) -> None:
    assert offered(line, chosen) == words
