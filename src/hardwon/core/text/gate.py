"""The gate: why a text waits for a person before any agent is told it."""

from hardwon.core.text.harm import harm
from hardwon.core.text.injection import suspicion


def objection(text: str) -> str:
    """Why nobody may be told this text unread; "" if it reads as ordinary work."""
    return suspicion(text) or harm(text) or ""
