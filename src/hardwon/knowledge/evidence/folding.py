"""Values of one run become placeholders, so that a call can be shown to another run.

A value that the agent wrote itself stays: it shows the form that is accepted. What the task names,
what identifies somebody or something, and free text is folded.
"""

from __future__ import annotations

import re
from functools import lru_cache

from hardwon.core.text.clean import clip_middle

LONGEST = 600  # characters of a call that is kept
_TEXT = 160  # characters that remain of a free text: its form is at its beginning
_PERSONAL = re.compile(
    r"(?<![\w.+-])[\w.+-]++@[\w-]++\.[\w.]++"
    r"|\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F-]{4,27}"
    r"|\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\b"
    r"|(?<![\w.])(?!\d{4}-\d\d-\d\d\b)\+?\d[\d -]{8,}\d\b|\b\d{7,}\b"
)
_HOMES = re.compile(r"(?:/home/|/Users/|/root\b)[\w.-]*|/(?:private/)?tmp/[\w./-]+")
_CODED = re.compile(r"(?<![A-Za-z])[A-Za-z]++[-_]?(?=\w{0,5}[a-f])(?=\w{0,5}\d)[0-9a-f]{6}[-_]\d+")
_TEXT_FIELD = re.compile(r'("[A-Za-z_]\w*"\s*:\s*)"([^"\\]*(?:\\.[^"\\]*)*)"')
_QUOTED = re.compile(r"(\"(?![{\[])[^\"$`\n]{161,}\"|'(?![{\[])[^'\n]{161,}')")
_TOKEN = re.compile(r"[\w./@+-]++")
_WORD = re.compile(r"[\w-]++")
_NUMBER = re.compile(r"\d{2,}")
_SHORT = 5  # characters of a number or code that names nobody
_VALUE = 200  # characters of an argument that may be shown
_CODE = re.compile(r"[|={}\[\]<>*\\]|\w\(|/\w+/|^/\w")
# A value that is written in a form, as a date, an amount or a code; its few letters name nobody.
_FORM = re.compile(r"(?=[^0-9]*\d)[A-Z0-9](?:[0-9 :./+_-]|[A-Z](?![A-Z]{4})){1,39}")
_LITERAL = re.compile(r"(?<=[\w\"'/]>)[^<>]+(?=</)|'[^'\n]*'|\"[^\"\n]*\"")


def is_value(word: str) -> bool:
    """Whether a word identifies something of one run."""
    return bool(_PERSONAL.search(word) or _CODED.search(word))


def fold_call(text: str, task: str = "") -> str:
    """The call with values of its run folded, in at most `LONGEST` characters."""
    text = _TEXT_FIELD.sub(_short_field, text)
    text = _QUOTED.sub(_short_text, text)
    text = _PERSONAL.sub("<id>", _CODED.sub("<id>", text))
    text = _HOMES.sub("<dir>", text)
    return clip_middle(fold_numbers(text, task).strip(), LONGEST)


def fold_value(value: object, seen: str, printed: str | None = None) -> str:
    """An argument of a tool without what belongs to one run; "" if nothing of it may be shown.

    `seen`: in small letters, what the run was told. What stands there belongs to the run, but
    for paths and code; of code the values inside go. A plain word is a choice if a tool `printed`
    it, where that is known; else it may be what somebody said.
    """
    if isinstance(value, bool | None):
        return str(value).lower()
    if isinstance(value, list):
        return f"a list of {len(value)}"
    text = str(value)
    is_number = isinstance(value, int | float)
    if not text or len(text) > _VALUE or isinstance(value, dict) or "[REDACTED" in text:
        return ""
    if text.isalpha() and text.islower():
        is_choice = printed is None or re.search(rf"\b{text}\b", printed) is not None
        return text if is_choice else ""
    if is_number or re.fullmatch(r"[a-z_-]+|[A-Z_-]+", text):
        return "" if text.lower() in seen or (is_number and len(text) > _SHORT) else text
    if _FORM.fullmatch(text):
        return re.sub(r"\d", "0", text)
    if not _CODE.search(text):
        return ""
    named = _LITERAL.sub(lambda found: _fold_literal(found[0], seen), _HOMES.sub("<dir>", text))
    return _WORD.sub(lambda found: _fold_token(found[0]), _PERSONAL.sub("<id>", named))


def has_other_form(old: object, new: object) -> bool:
    """Whether a value that replaces another is a code or a date of another form."""
    is_form = isinstance(new, str) and _FORM.fullmatch(new) is not None
    return is_form and re.sub(r"\d", "0", str(old)) != re.sub(r"\d", "0", str(new))


def _fold_literal(text: str, seen: str) -> str:
    """A text in quotes or tags, folded if the run was told it or if it is no plain word."""
    if text[0] not in "'\"":
        return text if text.isspace() else "<text>"
    is_own = re.fullmatch(r"[A-Za-z_.%*-]+", text[1:-1]) and text[1:-1].lower() not in seen
    return text if is_own else f"{text[0]}<text>{text[0]}"


def _fold_token(token: str) -> str:
    """A word of code; one with digits that may identify something is folded."""
    if len(token) <= _SHORT or not any(map(str.isdigit, token)):
        return token
    is_form = not any(map(str.isalpha, token))
    return re.sub(r"\d", "0", token) if is_form else "<id>"


def fold_numbers(text: str, task: str) -> str:
    """The text without the numbers that the task names."""
    numbers = _numbers_in(task)
    if not numbers:
        return text
    return _TOKEN.sub(lambda match: _without(match[0], numbers, task), text)


def shorten_values(text: str) -> str:
    """The call with a list of JSON objects cut after its first one."""
    start = text.find("[{") if "[{" in text else text.find("[ {")
    first = text.find("}", start) + 1 if start >= 0 else 0
    end = text.rfind("]")
    if not first or end < first or not text[first:].lstrip().startswith(","):
        return text
    return f"{text[:first]}, …{text[end:]}"


def _without(token: str, numbers: frozenset[str], task: str) -> str:
    """A token without the numbers that the task names; one that the agent composed stays."""
    own = [number for number in _NUMBER.findall(token) if number in numbers]
    if token not in task and not any(len(number) > 2 for number in own):
        return token
    for number in own:
        token = token.replace(number, "<n>")
    return token


@lru_cache(maxsize=16)  # every call of a run asks for the numbers of its task
def _numbers_in(task: str) -> frozenset[str]:
    numbers = _NUMBER.findall(task)
    years = [number for number in numbers if re.fullmatch(r"(?:19|20)..", number)]
    return frozenset(numbers).difference(years)


def _short_field(match: re.Match[str]) -> str:
    is_text = match[2].count(" ") > 2
    return f'{match[1]}"<text>"' if is_text else match[0]


def _short_text(match: re.Match[str]) -> str:
    quote, text = match[0][0], match[0][1:-1]
    return f"{quote}{text[:_TEXT].rstrip()}…{quote}" if text.count(" ") > 2 else match[0]
