"""Names of goals, and length limits for what is stored about them."""

from __future__ import annotations

from hardwon.errors import InvalidInput
from hardwon.text.clean import one_line
from hardwon.text.secrets import screened

INSIGHT_LIMIT, SHOWN_LIMIT = 500, 300
_NAME_LIMIT = 200


def goal_name(goal_id: object) -> str:
    """A goal's id as it is stored: without secrets, on one line, never empty."""
    text = str(goal_id) if goal_id is not None else ""
    name = one_line(screened(text, _NAME_LIMIT * 100), _NAME_LIMIT * 100)
    if not name:
        raise InvalidInput("goal id is empty")
    if len(name) <= _NAME_LIMIT and "[REDACTED" not in name:
        return name
    from hashlib import sha256  # two ids that look alike must not become one

    return f"{name[: _NAME_LIMIT - 17]}…{sha256(text.encode(errors='replace')).hexdigest()[:16]}"
