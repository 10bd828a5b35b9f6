"""Rate limits: errors about the service, whichever tool was called."""

from __future__ import annotations

from hardwon._cold import re

_LIMIT = (
    r"(?i:\brate.?limit|\btoo many requests\b|\b429\b|\bthrottl(?:ed|ing)\b"
    r"|\brequests per (?:second|minute|hour|day)\b)"
)


def is_limit(line: str) -> bool:
    """Whether an error line reports a rate limit."""
    return bool(re.search(_LIMIT, line))
