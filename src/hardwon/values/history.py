"""What a lesson said before somebody changed it."""

from datetime import datetime
from typing import NamedTuple

from hardwon.values.lesson import Lesson


class Change(NamedTuple):
    """One edit, guard or deletion: the lesson as it was before."""

    before: Lesson
    act: str
    at: datetime
    id: int = 0
