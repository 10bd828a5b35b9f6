"""Earlier versions of a lesson, one per change."""

from datetime import datetime
from typing import NamedTuple

from hardwon.core.values.lesson import Lesson

CHANGES_KEPT = 1000  # changes of a scope; the oldest are dropped
# Decided by a hold-out: the lesson hardly helps, or may help after all
RETIRE, RETURN = "retire", "return"


class Change(NamedTuple):
    """One edit, guard or deletion: the lesson as it was before."""

    before: Lesson
    act: str
    at: datetime
    id: int = 0
