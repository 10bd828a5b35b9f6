"""Errors about the service rather than the call: a rate limit."""

from __future__ import annotations

import re

_LIMIT = (
    r"(?i:\brate.?limit|\btoo many requests\b|\bthrottl(?:ed|ing)\b"
    r"|\b(?:HTTP|status|code|error)\W{1,3}429\b|\b429 too many\b"
    r"|\brequests per (?:second|minute|hour|day)\b|\brate exceeded\b"
    r"|\blimited to \d+ (?:\w+ )?(?:per|every|in|each) (?:\d+ ?)?(?:s|sec|m|min|h|hour|day|minute)"
    r"(?:ond)?s?\b)"
)


def is_limit(line: str) -> bool:
    """Whether an error line reports a rate limit."""
    return bool(re.search(_LIMIT, line))
