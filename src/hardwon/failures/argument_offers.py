"""The values that an error offers for an argument: `must be one of low, normal, high`."""

from __future__ import annotations

from hardwon._cold import re
from hardwon.failures.fix_case import is_personal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_OFFERS = (
    r"(?i:one of|allowed|valid|expected|supported|must be|should be|choose|options|permitted|use)"
)
# A word of a schema, perhaps with a version; nothing that looks like an id
_WORD = r"[A-Za-z][A-Za-z_-]{0,30}(?:\d{1,2}(?:\.\d{1,2}){0,2})?"
_QUOTE = r"[\"'`]?"
_LISTS = (
    r"(?i:(?P<bare>\bone of|\b(?:allowed|valid|supported)(?: values)?(?: are)?:)|\b(?:be|expected))"
    r"[: ] ?"
)
_ENDS = r"[.,)\]]?(?:\s|\Z)"
_GOT = r"(?!(?:received|got|but|not|found|given|instead|was|is)\b)"  # these words follow the row
_ROW = (
    rf"{_QUOTE}{_WORD}{_QUOTE}(?:(?:, or | or |, and | and |, ?| ?\| ?|/){_GOT}"
    rf"{_QUOTE}{_WORD}{_QUOTE}){{1,11}}"
)


def offered(line: str, chosen: str) -> tuple[str, ...]:
    """The words that an error offers, `chosen` among them; empty if it does not offer `chosen`."""
    if is_personal(chosen):
        return ()
    offer = re.search(_OFFERS, line)
    if not offer or chosen not in re.findall(_WORD, line):
        return ()
    rows = (words for words in _rows(line[offer.end() :]) if chosen in words)
    return next(rows, (chosen,))


def options(line: str) -> tuple[str, ...]:
    """The complete list of values that an error allows; empty if it lists none."""
    for listed in re.finditer(_LISTS, line):
        row = re.match(_ROW, line, listed.end())
        is_whole = row and re.match(_ENDS, line, row.end())
        is_quoted = listed["bare"] or line[listed.end() : listed.end() + 1] in {"'", '"', "`"}
        if row and is_whole and is_quoted and not re.search(r"\d", row[0]):  # no value of a run
            return next(_rows(row[0]), ())
    return ()


def _rows(text: str) -> Iterator[tuple[str, ...]]:
    """The rows of words in a text; rows with capitalised words are skipped, they may be people."""
    for row in re.finditer(_ROW, text):
        words = tuple(word for word in re.findall(_WORD, row[0]) if word not in ("or", "and"))
        if not any(word.istitle() for word in words):
            yield words
