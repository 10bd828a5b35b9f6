"""Lessons to dream of."""

from __future__ import annotations

from typing import Any

from hardwon import Agent, Lesson
from hardwon.core.values.lesson import Status, lesson_of_person
from tests.stored import StoredHardwon

EDIT = "when editing large Go files use Edit, not a full rewrite"


GIT = "set the git identity before the first commit in a fresh clone"


def keep(hw: StoredHardwon, agent: Agent, text: str, **more: Any) -> Lesson:
    """A lesson as it is stored, past the consolidation of single lessons."""
    now = hw.clock()
    times = {"created_at": now, "updated_at": now, "last_seen_at": now}
    made = lesson_of_person(agent.scope, text)._replace(**{**times, **more})
    return hw.store.lessons.add(made)


def texts(agent: Agent, status: str = Status.ACTIVE) -> list[str]:
    return sorted(lesson.correction for lesson in agent.lessons.list(status=status))
