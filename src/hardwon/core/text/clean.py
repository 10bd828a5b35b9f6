"""Clean foreign text: what may be stored, shown and used in a file name."""

from __future__ import annotations

import re

from hardwon.core.errors import InvalidInput

LABEL_LIMIT = 200  # a signature or a situation
LESSON_LIMIT = 4096
ATTEMPT_LIMIT = 256 * 1024

# Patterns are kept as text: `re` compiles and caches them on first use, so an import stays cheap.
_ID = r"[A-Za-z0-9._-]{1,128}"
_ANSI = r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]{0,512}(?:\x07|\x1b\\)?|[@-Z\\-_])"
# Control characters except tab and newline; zero-width, bidi and tag characters; lone surrogates;
# variation selectors and fillers: all of them are invisible.
_UNSAFE = (
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f\U000e0100-\U000e01ef\ufe00-\ufe0f"
    "\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\uffa0]"
)
_PLAIN = r"[\n\t -~]*+"


def clean(text: str) -> str:
    """The text without escape sequences, control, invisible and direction characters."""
    if (text.isascii() and text.isprintable()) or re.fullmatch(_PLAIN, text):
        return text
    text = re.sub(_ANSI, "", text.replace("\r\n", "\n").replace("\r", "\n"))
    import unicodedata  # over a megabyte, and plain text does not need it

    # Composed characters, so that texts that look equal compare equal.
    return unicodedata.normalize("NFC", re.sub(_UNSAFE, "", text))


def as_text(value: object) -> str:
    """Any value as text: bytes decoded, exceptions with their type."""
    if isinstance(value, str):
        return value
    if isinstance(value, bytes | bytearray):
        return value.decode("utf-8", "replace")
    if isinstance(value, BaseException):  # so that two types never look alike
        return f"{type(value).__name__}: {_str(value)}".rstrip(": ")
    return "" if value is None else _str(value)


def _str(value: object) -> str:
    """The text of a foreign object; "" if its `__str__` raises."""
    try:
        return str(value)
    except Exception:  # noqa: BLE001 - a foreign `__str__` may raise anything
        return ""


def one_line(text: str, limit: int = LESSON_LIMIT) -> str:
    """The cleaned text on one line, at most `limit` characters; the same object if unchanged."""
    line = " ".join(clean(text).split())
    return clip(text if line == text else line, limit)


def comparable(text: str) -> str:
    """The text without differences of blanks and case; two texts with the same one say the same."""
    return " ".join(text.split()).casefold()


def many_lines(text: str, limit: int = LESSON_LIMIT) -> str:
    """The cleaned text with its line breaks and indentation, at most `limit` characters."""
    lines = [line.rstrip() for line in clean(text).split("\n")]
    if len(lines) == 1:
        return one_line(text, limit)
    tidy = re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n")
    return clip(text if tidy == text else tidy, limit)


def clip(text: str, limit: int) -> str:
    """At most `limit` characters; a cut is marked by an ellipsis."""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def clip_words(text: str, limit: int) -> str:
    """At most `limit` characters, cut between two words if that leaves half of them."""
    if len(text) <= limit:
        return text
    whole = text[:limit].rpartition(" ")[0]
    return f"{whole.rstrip(' ,;:-')}…" if len(whole) > limit // 2 else clip(text, limit)


def clip_middle(text: str, limit: int) -> str:
    """At most `limit` characters, keeping the beginning and the end."""
    if len(text) <= limit:
        return text
    mark = f"\n… {len(text) - limit} characters left out …\n"
    head = (limit - len(mark)) // 3
    return text[:head] + mark + text[len(text) - (limit - len(mark) - head) :]


def require_text(text: str, label: str, limit: int = LESSON_LIMIT) -> str:
    """The cleaned, trimmed text; raises InvalidInput when it is empty or too long."""
    if not isinstance(text, str):
        raise InvalidInput(f"{label} must be text, not {type(text).__name__}")
    if len(text) > 16 * limit:  # too long, even if most characters are invisible
        raise InvalidInput(f"{label} must be ≤ {limit} chars, not {len(text)}")
    cleaned = clean(text).strip()
    if not cleaned:
        raise InvalidInput(f"{label} is empty")
    if len(cleaned) > limit:
        raise InvalidInput(f"{label} must be ≤ {limit} chars, not {len(cleaned)}")
    return cleaned


def name(text: str, label: str) -> str:
    """The name of a tenant, agent or project as stored; InvalidInput if it is not valid."""
    cleaned = require_text(text, label, LABEL_LIMIT)
    if "\n" in cleaned or "\t" in cleaned or cleaned != text.strip():
        raise InvalidInput(f"{label} {cleaned!r} contains characters that a name must not have")
    return cleaned


def file_id(text: str, label: str = "id") -> str:
    """The id if it is a safe file name, else InvalidInput."""
    if not re.fullmatch(_ID, text) or text in {".", ".."}:
        raise InvalidInput(f"{label} {clip(text, 60)!r} is not of the form [A-Za-z0-9._-]{{1,128}}")
    return text


def printable(text: str) -> str:
    """The text for a terminal: without bytes that move the cursor or change colours."""
    return clean(text)


def plural(number: int, noun: str, several: str = "") -> str:
    """`1 lesson`, `2,000 lessons`."""
    return f"{number:,} {noun if number == 1 else several or noun + 's'}"
