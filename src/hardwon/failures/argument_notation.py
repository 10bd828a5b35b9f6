"""Another notation of the same value: capital letters, other separators, a number of digits."""

from __future__ import annotations

from hardwon._cold import re

_LONGEST = 60  # characters of a value that may be a code or a name
_FEWEST = 3  # digits of a value that is recognised by its digits alone
_SEPARATOR = r"[\W_]"
_YEAR = r"(?<!\d)(?:19|20)\d\d(?!\d)"
_TWO_DIGITS = r"(?<!\d)\d\d(?!\d)"
_MONTHS = 12
_NUMBERED = r"([A-Za-z]{0,3})(\d{1,20})"  # a number, or a place such as `A1`


def changed_notation(old: str, new: str) -> str:
    """How the same value is written now, in words; "" if it is another value."""
    if old == new or max(len(old), len(new)) > _LONGEST:
        return ""
    return _rewritten(old, new) or _padded(old, new) or _reordered(old, new)


def has_notation(value: str, words: str) -> bool:
    """Whether a value is written as `words` say, which `changed_notation` returned."""
    return bool(words) and all(_obeys(value, part) for part in words.split(", "))


def _rewritten(old: str, new: str) -> str:
    """The same letters and digits in the same order, in other case or with other separators."""
    if not _content(new) or _content(old) != _content(new):
        return ""
    return ", ".join(filter(None, (_case(old, new), _joints(old, new))))


def _content(value: str) -> str:
    return str(re.sub(_SEPARATOR, "", value)).casefold()


def _case(old: str, new: str) -> str:
    if new.isupper() and not old.isupper():
        return "in capital letters"
    return "in small letters" if new.islower() and not old.islower() else ""


def _joints(old: str, new: str) -> str:
    """The separators that the new value has, or has no more."""
    before, after = (set(re.findall(_SEPARATOR, value)) for value in (old, new))
    if before == after:
        return ""
    if len(after) == 1:
        return f"with {_named(after.pop())} between its parts"
    gone = sorted(before - after)
    return f"without {_named(gone[0])}" if len(gone) == 1 and after <= before else ""


def _named(separator: str) -> str:
    return "blanks" if separator == " " else f"`{separator}`"


def _padded(old: str, new: str) -> str:
    """The same digits, filled up with zeros or without them; letters may come before them."""
    before, after = (re.fullmatch(_NUMBERED, value) for value in (old, new))
    if not before or not after or before[1] != after[1] or len(old) == len(new):
        return ""
    shorter, longer = sorted((before[2], after[2]), key=len)
    is_same = longer.strip("0") == shorter.strip("0") and shorter in longer
    return f"with {len(after[2])} digits" if is_same else ""


def _reordered(old: str, new: str) -> str:
    """The same digits in another order, with other letters or with more parts: its template."""
    digits = [sorted(re.findall(r"\d", value)) for value in (old, new)]
    if re.search(r"[^\W\d]", old) or len(digits[1]) < _FEWEST:
        return ""
    if digits[0] != digits[1] and not _has_more_parts(old, new):
        return ""
    return f"as {_template(new)}" if _template(old) != _template(new) else ""


def _has_more_parts(old: str, new: str) -> bool:
    """Whether parts of zeros were added: `45` as `00:45:00`."""
    before, after = (re.split(_SEPARATOR, value) for value in (old, new))
    return len(before) < len(after) and [part for part in after if part.strip("0")] == [
        part for part in before if part.strip("0")
    ]


def _template(value: str) -> str:
    """The value with a letter for each digit: Y of a year, M of its month, N of anything else."""
    pairs = re.findall(_TWO_DIGITS, value)
    is_month = re.search(_YEAR, value) and len(pairs) == 1 and 0 < int(pairs[0]) <= _MONTHS
    text = re.sub(_YEAR, "YYYY", value)
    text = re.sub(_TWO_DIGITS, "MM", text) if is_month else text
    return f"`{re.sub(r'[0-9]', 'N', text)}`"


def _obeys(value: str, part: str) -> bool:
    if part == "in capital letters":
        return value == value.upper()
    if part == "in small letters":
        return value == value.lower()
    if match := re.fullmatch(r"with (\d+) digits", part):
        number = re.fullmatch(_NUMBERED, value)
        return number is not None and len(number[2]) == int(match[1])
    if match := re.fullmatch(r"(with|without) (?:`(.)`|blanks)(?: between its parts)?", part):
        others = {*re.findall(_SEPARATOR, value)} - {match[2] or " "}
        return not others if match[1] == "with" else (match[2] or " ") not in value
    return part.startswith("as ") and part == f"as {_template(value)}"
