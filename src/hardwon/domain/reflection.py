"""The first-person analysis of one failed trial or one ended goal."""

from datetime import datetime
from typing import NamedTuple

from hardwon.domain.scope import Scope


class Reflection(NamedTuple):
    """An insight kept under the thing it reflects on: a loop (trials) or a goal."""

    scope: Scope
    subject: str  # loop or goal id
    insight: str
    created_at: datetime
    title: str = ""  # the task or the objective, in words
    state: str = "failed"
    importance: float = 0.5
    expires_at: datetime | None = None
    detail: str = "{}"  # what the way of learning keeps besides, as JSON
