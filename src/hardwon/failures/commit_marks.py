"""Marks of a commit message: the area of a change at its start, the number of a ticket anywhere."""

from __future__ import annotations

from hardwon._cold import re

AREA = r"[a-z]{2,16}(?:\([\w.-]{1,30}\))?!?:"  # `core:`, `fix(api)!:`
TICKET = r"[(\[]?(?:[A-Z][A-Z\d]{1,9}-\d{1,7}|#\d{1,7})[)\]]?:?"  # `HB-7`, `(#12)`
_UNMARKED = "no mark"


def mark_form(word: str) -> str:
    """A mark with its numbers folded: `HB-<n>`; any area is `<word>:`."""
    return "<word>:" if re.fullmatch(AREA, word) else str(re.sub(r"\d+", "<n>", word))


def form_of(message: str) -> str:
    """The form of the first mark in a message; "no mark" if it has none."""
    words = message.split()
    if words and (words[0].endswith((":", "]")) or re.search(r"\d", words[0])):
        return mark_form(words[0])
    ticket = next((word for word in words if re.fullmatch(TICKET, word)), "")
    return mark_form(ticket) or _UNMARKED
