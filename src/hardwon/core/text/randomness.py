"""How random a word is: what tells a password or a key from a name."""

from __future__ import annotations

import re

_HEX = r"[0-9a-f]{32,128}|[0-9A-F]{32,128}"
_UUID = r"(?i:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"
DIGEST_OR_ID = f"{_HEX}|{_UUID}"
# One word or several, then a number: `Copper-Willow-52`, `falcon_5042!`.
_MADE_UP = (
    r"(?=[^\s]{0,60}\d\d)(?![A-Z]{2,6}[-_]?\d)[a-zA-Z][a-zA-Z\d]{2,40}(?:[-_@#!*+?^&$%.~][a-zA-Z\d]{1,40}){0,5}"
    r"[!#$%*?@^&+]{0,3}"
)
_NUMBERED = r"(?=\S{8,40}$)[A-Z]\w*[a-z]\w*[a-z]\w*\d\d[!#$@?*]{1,3}"  # a name, a number, a mark
_VERSIONED = r"0x[\da-fA-F]+|[A-Za-z]+\d{0,2}(?:[-_.][A-Za-z]+\d{0,2})*"  # `all-MiniLM-L6-v2`
_NOT_MOTLEY = r"[(){}\[\]<>/\\=|:;,`~\"']|%(?:[2-7][\da-fA-F]|[C-F][\dA-F]%)"
# What looks like one: files, versions, variables, sizes, dates, names of encodings.
_NO_PASSWORD = (
    r"(?i)^(?:[$%<{\[].*|.*\.(?:[a-z]{1,5}|\d{1,4})|.*%(?:[2-7][\da-f]|[c-f][\da-f]%).*|.*\$\d|.*\d{4}-\d{2}(?:-\d{2})?"
    r"|(?:sha\d?|md|utf|iso|base|int|float|python|version|latin|cp|test|user|item|foo|bar)[-_]?\d+\W?)$"
)
_STRONG_LEAST = 16  # characters of a strong value that are letters mixed with digits


def is_mixed(value: str) -> bool:
    """Whether a word mixes letters with digits or marks, like a chosen password."""
    if len(value) < 6 or re.search(r"[(\[{]", value):
        return False
    return bool(re.search(r"[a-zA-Z]", value)) and bool(re.search(r"[\d!#%^*]", value))


def is_chosen(value: str) -> bool:
    """Whether a word is a password wherever it stands: no other word mixes letters so."""
    if len(value) < 8 or re.search(r"[(){}\[\]<>/\\=|]", value):
        return False
    has_all = all(re.search(chars, value) for chars in ("[a-zA-Z]", r"\d", "[!#$%^&*]"))
    return has_all or is_jagged(value)


def is_made_up(value: str) -> bool:
    """Whether a word may be a password where programs take one: letters and a number."""
    if len(value) < 8 or re.search(_NO_PASSWORD, value):
        return False
    is_word = bool(re.fullmatch(_MADE_UP, value))
    return is_word or is_chosen(value) or is_strong(value) or is_scrambled(value)


def is_scrambled(value: str) -> bool:
    """Whether letters of both cases and digits change often, for ten characters or more."""
    if re.fullmatch(_VERSIONED, value):
        return False
    has_all = all(re.search(chars, value) for chars in ("[A-Z]", "[a-z]", r"\d"))
    return has_all and len(_runs(value)) >= 0.38 * len(value) and len(value) >= 10


def is_password(value: str) -> bool:
    """Whether a word is a password wherever it stands, by nothing but its form."""
    return bool(re.fullmatch(_NUMBERED, value)) or _is_motley(value)


def _is_motley(value: str) -> bool:
    """Whether letters of both cases, digits and marks change all the time."""
    if not 10 <= len(value) <= 40 or re.search(_NOT_MOTLEY, value):
        return False
    if not all(re.search(chars, value) for chars in ("[A-Z]", "[a-z]", r"\d", "[!#$^&*?@%]")):
        return False
    if re.fullmatch(r"[\w.+-]+@[\w.-]+", value):  # an address, or the version of a symbol
        return False
    runs = re.findall(r"\d++|[A-Z]++|[a-z]++|[^A-Za-z0-9]++", value)
    return len(runs) >= 0.55 * len(value)


def is_noise(value: str) -> bool:
    """Whether a text of letters, digits and many marks, perhaps with blanks, is a salt or a key."""
    marks = re.findall(r"[^\w\s./:-]", value)
    if len(value) < 20 or len(marks) < 5 or re.search(r"\\[dwsbn.]|\(\?|://|%[sd]|\{\w*\}", value):
        return False
    runs = re.findall(r"\d++|[A-Z]++|[a-z]++|[^A-Za-z0-9]++", value)
    has_all = all(re.search(chars, value) for chars in ("[A-Z]", "[a-z]", r"\d"))
    return has_all and len(runs) >= 0.5 * len(value)


def is_base64_key(value: str) -> bool:
    """Whether a word is a key of 18 bytes or more as base64, with marks that no name has."""
    if not re.fullmatch(r"[A-Za-z0-9+/_-]{22,}+={0,2}", value):
        return False
    body = re.sub("[^A-Za-z0-9]", "", value)
    runs = re.findall(r"\d++|[A-Z]++|[a-z]++", body)
    has_all = all(re.search(chars, body) for chars in ("[A-Z]", "[a-z]", r"\d"))
    return has_all and len(runs) >= 0.42 * len(body)


def is_jagged(value: str) -> bool:
    """Whether letters of both cases and digits change all the time."""
    runs = re.findall(r"\d++|[A-Z][a-z]{2,}+|[A-Z]++|[a-z]++", value)
    is_other = re.fullmatch(r"(?:0x)?[\da-fA-F]++|[^(){}\[\]]*+[(){}\[\]].*", value)
    return len(value) >= 10 and len(runs) >= 0.45 * len(value) and not is_other


def is_strong(value: str) -> bool:
    """Whether a value is as random as only a program makes it: a digest, an id or a key."""
    if not re.search(r"\d", value):
        return False
    if re.fullmatch(DIGEST_OR_ID, value):
        return re.search(r"[a-fA-F]", value) is not None
    if re.fullmatch(r"0x[\da-fA-F]{1,40}", value):
        return False
    if is_base64_key(value) or is_noise(value):
        return True
    parts = re.split(r"[^A-Za-z0-9]++", value)
    return sum(len(part) for part in parts if is_jumbled(part)) >= _STRONG_LEAST


def _runs(value: str) -> list[str]:
    """Words, numbers and letters of one case, as they follow each other."""
    return re.findall(r"\d++|[A-Z][a-z]{2,}+|[A-Z]++|[a-z]++", value)


def is_shuffled(value: str) -> bool:
    """Whether letters and digits follow each other as in no name of a program, and in no digest."""
    runs = _runs(value)
    digits = sum(run.isdigit() for run in runs)
    if all(re.search(chars, value) for chars in ("[A-Z]", "[a-z]", r"\d")):
        return len(runs) >= 0.42 * len(value) and digits >= (2 if len(value) >= 32 else 3)
    is_digest = re.fullmatch(r"[\da-f]+|[\dA-F]+", value)
    return not is_digest and len(value) >= 40 and digits >= 0.12 * len(value)


def is_jumbled(part: str) -> bool:
    """Whether letters and digits change as often as in no name."""
    runs = re.findall(r"\d++|[A-Z][a-z]{2,}+|[A-Z]++|[a-z]++", part)
    digits = sum(run.isdigit() for run in runs)
    if len(part) < 4 or not digits or digits == len(runs):
        return False
    return len(runs) >= 0.3 * len(part) or (digits >= 3 and len(runs) >= 0.18 * len(part))


def is_random(value: str) -> bool:
    """Whether letters and digits are mixed as people do not write them."""
    if len(value) < 8 or re.search(r"[(){}\[\]]", value) or re.fullmatch(r"[a-z_.]+\d?", value):
        return False
    if re.fullmatch(
        r"v?\d+(?:[.:/-]\d+)*\w?|[\w./-]+\.(?:py|js|ts|json|txt|md|ya?ml|toml|go|rs|java)"
        r"|[a-z_]+\d{0,4}|[\w.+-]+@[\w-]+\.[\w.]+",
        value,
    ):
        return bool(re.fullmatch(r"\d{15,}", value))
    digits = sum(c.isdigit() for c in value)
    if digits and digits < len(value):
        return len(re.findall(r"\d++|[A-Z]++|[a-z]++", value)) >= 3 or len(value) >= 16
    return len(value) >= 16 and len(re.findall(r"[A-Z]++|[a-z]++", value)) >= 6
