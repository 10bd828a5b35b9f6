"""Marks of a commit message: an area or a type at its start, the number of a ticket anywhere."""

from __future__ import annotations

from hardwon._cold import re

_TYPE = r"[a-z]{2,16}"
_SCOPE = r"\([\w.-]{1,30}\)"
AREA = rf"{_TYPE}(?:{_SCOPE})?!?:"  # `core:`, `fix(api)!:`
TICKET = r"[(\[]?(?:[A-Z][A-Z\d]{1,9}-\d{1,7}|#\d{1,7})[)\]]?:?"  # `HB-7`, `(#12)`
TYPED, SCOPED = "<word>:", "<word>(<scope>):"  # the forms of an area
SMALL = "small letters"
_UNMARKED = "no mark"


def mark_form(word: str) -> str:
    """A mark with its numbers and names folded: `HB-<n>`, `<word>:`, `<word>(<scope>):`."""
    if re.fullmatch(AREA, word):
        return SCOPED if "(" in word else TYPED
    return str(re.sub(r"\d+", "<n>", word))


def form_of(message: str) -> str:
    """The form of the first mark in a message; "no mark" if it has none."""
    words = message.split()
    if words and (words[0].endswith((":", "]")) or re.search(r"\d", words[0])):
        is_capital = "".join(words[1:2]).istitle() and re.fullmatch(AREA, words[0])
        return mark_form(words[0]) + (" and a capital letter" if is_capital else "")
    ticket = next((word for word in words if re.fullmatch(TICKET, word)), "")
    return mark_form(ticket) or _UNMARKED


def restyled(old: str, new: str) -> str:
    """The area that a message got, or `SMALL` if only its text got small letters; else ""."""
    area, text = _split(new)
    old_area, old_text = _split(old)
    if not area or not set(text.split()) <= set(re.split(r"\W+", old.lower())):
        return ""
    if mark_form(area) != mark_form(old_area):
        return area
    is_smaller = area == old_area and old_text[:1].isupper() and text[:1].islower()
    return SMALL if is_smaller else ""


def is_small(message: str) -> bool:
    """Whether a message has an area, and its text begins with a small letter."""
    area, text = _split(message)
    return bool(area) and text[:1].islower()


def _split(message: str) -> tuple[str, str]:
    """The area of a message, "" if it has none, and its text."""
    match = re.match(rf"({AREA}) +", message)
    return (match[1], message[match.end() :]) if match else ("", message)
