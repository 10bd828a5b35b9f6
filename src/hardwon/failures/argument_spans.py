"""Changes of the two times of a call: a shorter time between them."""

from __future__ import annotations

from hardwon._cold import re
from hardwon._cold.lazy import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    import datetime
    from typing import Any

    from hardwon.failures.fix_case import Case
else:
    datetime = lazy("datetime")  # a hook rarely needs it

_TOO_LONG = (
    r"(?i:\btoo (?:long|large|big|wide|many|broad|far)\b|\bscan\b|\bexceed"
    r"|\bat most\b|\bmaximum\b|\blimit|\btime(?:d )?out\b|\bnarrow)"
)
_UNITS = ((86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second"))


def narrowed(old: dict[str, Any], new: dict[str, Any], case: Case) -> list[tuple[str, str]]:
    """A shorter time between the two times of a call; empty if that explains nothing."""
    names = [key for key, value in new.items() if _time(value)]
    if len(names) != 2 or not re.search(_TOO_LONG, case.line):
        return []
    before, after = (_seconds(arguments, names) for arguments in (old, new))
    if not 1 <= after < before:
        return []
    first, second = (f"`{name}`" for name in sorted(names, key=lambda name: new[name]))
    words = f"Ask for a shorter time from {first} to {second}: {_in_words(after)} worked."
    return [(words, f"{'|'.join(names)} shorter")]


def is_short(arguments: dict[str, Any], names: str, text: str) -> bool:
    """Whether the time between two arguments is not above the one that worked, as a text says."""
    match = re.search(r": (\d+) ([a-z]+?)s? worked", text)
    size = next((size for size, unit in _UNITS if match and unit == match[2]), 0)
    return match is not None and _seconds(arguments, names.split("|")) <= int(match[1]) * size


def _seconds(arguments: dict[str, Any], names: list[str]) -> float:
    """The seconds between two times; 0 if one of them is missing or unreadable."""
    first, second = (_time(arguments.get(name)) for name in names)
    return abs((second - first).total_seconds()) if first and second else 0.0


def _time(value: Any) -> datetime.datetime | None:
    """The moment that a text names, in UTC if it has no zone; None for any other value."""
    if not isinstance(value, str) or not re.match(r"\d{4}-\d\d-\d\d", value):
        return None
    try:
        moment = datetime.datetime.fromisoformat(value)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=datetime.UTC)


def _in_words(seconds: float) -> str:
    size, unit = next((size, unit) for size, unit in _UNITS if seconds >= size)
    count = int(seconds // size)
    return f"{count} {unit}{'s' if count > 1 else ''}"
