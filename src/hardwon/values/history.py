"""Earlier versions of a lesson, from before each change."""

from datetime import datetime
from typing import NamedTuple

from hardwon.values.lesson import Lesson

RETIRE, RETURN = "retire", "return"  # by a hold-out: it hardly helps, or may after all


class Change(NamedTuple):
    """One edit, guard or deletion: the lesson as it was before."""

    before: Lesson
    act: str
    at: datetime
    id: int = 0
