"""Values of one run become placeholders, so that a call can be shown to another run.

A value that the agent wrote itself stays: it shows the form that is accepted. What the task names,
what identifies somebody or something, and free text is folded.
"""

from __future__ import annotations

import re

from hardwon.core.text.clean import clip_middle

LONGEST = 600  # characters of a call that is kept
_TEXT = 28  # characters that remain of a free text: its form is at its beginning
_PERSONAL = re.compile(
    r"(?<![\w.+-])[\w.+-]++@[\w-]++\.[\w.]++"
    r"|\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F-]{4,27}"
    r"|\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\b"
    r"|(?<![\w.])(?!\d{4}-\d\d-\d\d\b)\+?\d[\d -]{8,}\d\b|\b\d{7,}\b"
)
_HOMES = re.compile(r"(?:/home/|/Users/|/root\b)[\w.-]*|/(?:private/)?tmp/[\w./-]+")
_CODED = re.compile(r"(?<![A-Za-z])[A-Za-z]++[-_]?(?=\w{0,5}[a-f])(?=\w{0,5}\d)[0-9a-f]{6}[-_]\d+")
_TEXT_FIELD = re.compile(r'("[A-Za-z_]\w*"\s*:\s*)"([^"\\]*(?:\\.[^"\\]*)*)"')
_QUOTED = re.compile(r"(\"(?![{\[])[^\"$`\n]{29,}\"|'(?![{\[])[^'\n]{29,}')")
_TOKEN = re.compile(r"[\w./@+-]++")
_NUMBER = re.compile(r"\d{2,}")


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


def fold_numbers(text: str, task: str) -> str:
    """The text without the numbers that the task names."""
    numbers = {number for number in _NUMBER.findall(task) if not _is_year(number)}
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


def _without(token: str, numbers: set[str], task: str) -> str:
    """A token without the numbers that the task names; one that the agent composed stays."""
    own = [number for number in _NUMBER.findall(token) if number in numbers]
    if token not in task and not any(len(number) > 2 for number in own):
        return token
    for number in own:
        token = token.replace(number, "<n>")
    return token


def _is_year(number: str) -> bool:
    return len(number) == 4 and number.startswith(("19", "20"))


def _short_field(match: re.Match[str]) -> str:
    is_text = match[2].count(" ") > 2
    return f'{match[1]}"<text>"' if is_text else match[0]


def _short_text(match: re.Match[str]) -> str:
    quote, text = match[0][0], match[0][1:-1]
    return f"{quote}{text[:_TEXT].rstrip()}…{quote}" if text.count(" ") > 2 else match[0]
