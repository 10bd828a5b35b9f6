"""Goals that ended."""

from __future__ import annotations

from enum import Enum

import hardwon
from hardwon import Agent, Hardwon

SEARCH = {"skill_name": "web_search", "output_summary": "12 results", "status": "done"}


PARSE = {"skill_name": "parse_table", "error": "ValueError: prices of 2023", "status": "failed"}


def kept(hw: Hardwon, coder: Agent, goal_id: str) -> list[hardwon.Reflection]:
    hw.drain()
    return list(coder.goals.reflections(goal_id))


class State(Enum):
    COMPLETED = "completed"
    FAILED = 3
