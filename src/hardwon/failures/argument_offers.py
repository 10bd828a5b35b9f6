"""The values that an error offers for an argument: `must be one of low, normal, high`."""

from __future__ import annotations

from hardwon._cold import re
from hardwon.failures.fix_case import is_personal

_OFFERS = r"(?i:one of|allowed|valid|expected|supported|must be|choose|options|permitted|use)"
# A word of a schema, with a version at most; nothing that looks like an id
_WORD = r"[A-Za-z][A-Za-z_-]{1,30}(?:\d{1,2}(?:\.\d{1,2}){0,2})?"
_QUOTE = r"[\"'`]?"
_ROW = (
    rf"{_QUOTE}{_WORD}{_QUOTE}(?:(?:, or | or |, and | and |, ?|\||/)"
    rf"{_QUOTE}{_WORD}{_QUOTE}){{1,11}}"
)


def offered(line: str, chosen: str) -> tuple[str, ...]:
    """The words that an error offers, with the chosen one; empty if it does not offer that."""
    if not re.fullmatch(_WORD, chosen) or is_personal(chosen):
        return ()
    offer = re.search(_OFFERS, line)
    if not offer or chosen not in re.findall(_WORD, line):
        return ()
    for row in re.finditer(_ROW, line[offer.end() :]):
        words = [word for word in re.findall(_WORD, row[0]) if word not in ("or", "and")]
        if chosen in words and not any(word.istitle() for word in words):  # may be people
            return tuple(words)
    return (chosen,)
