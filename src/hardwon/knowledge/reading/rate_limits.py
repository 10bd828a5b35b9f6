"""Errors about the service rather than the call: a rate limit, or something not ready yet."""

from __future__ import annotations

import re

_LIMIT = (
    r"(?i:\brate.?limit|\btoo many requests\b|\bthrottl(?:ed|ing)\b"
    r"|\b(?:HTTP|status|code|error)\W{1,3}429\b|\b429 too many\b"
    r"|\brequests per (?:second|minute|hour|day)\b|\brate exceeded\b"
    r"|\blimited to \d+ (?:\w+ )?(?:per|every|in|each) (?:\d+ ?)?(?:s|sec|m|min|h|hour|day|minute)"
    r"(?:ond)?s?\b)"
)
_EARLY = (
    r"(?i:(?<![a-z])not[ _](?:yet[ _])?(?:ready|finished)\b|\bbusy\b|\btry (?:again )?later\b"
    r"|\bstill (?:running|processing|in progress)\b)"
)


def is_limit(line: str) -> bool:
    """Whether an error line reports a rate limit."""
    return bool(re.search(_LIMIT, line))


def is_early(line: str) -> bool:
    """Whether an error line says that the same call may work later."""
    return bool(re.search(_EARLY, line))
