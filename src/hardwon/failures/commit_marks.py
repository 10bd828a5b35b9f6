"""Marks at the beginning of a commit message: the number of a ticket, or the area of a change."""

from __future__ import annotations

from hardwon._cold import re

AREA = r"[a-z]{2,16}(?:\([\w.-]{1,30}\))?!?:"  # `core:`, `fix(api)!:`
_PLAINLY = "plainly"


def mark_form(word: str) -> str:
    """A mark with its numbers folded: `HB-<n>`; any area is `<word>:`."""
    return "<word>:" if re.fullmatch(AREA, word) else str(re.sub(r"\d+", "<n>", word))


def beginning(message: str) -> str:
    """How a message begins: with a mark, or plainly."""
    word = message.split(" ", 1)[0]
    has_mark = word.endswith((":", "]")) or re.search(r"\d", word)
    return mark_form(word) if has_mark else _PLAINLY
