"""The operation behind a call: a tool that takes an `action` is several tools.

    sched {"action": "hold", "channel": "ONE"}    sched.hold {"channel": "ONE"}

What such a tool refuses, and what cures it, depends on the action.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from hardwon.knowledge.reading.authored import PATHS, fields

if TYPE_CHECKING:
    from hardwon.core.values.run import Step

_ACTIONS = ("action", "operation", "op")
_ACTION = r"[A-Za-z][A-Za-z\d]{0,20}(?:[_-][A-Za-z\d]{1,20}){0,3}"
_ONE_WORD = r"(?:\w{1,60}(?:__|\.))?[A-Za-z][a-z\d]{1,30}"  # a name of more words has its own verb


def of_operation(step: Step) -> Step:
    """The step with its action in the tool's name; the same step if it has none."""
    tool, args = operation(step.tool, step.args)
    return step if tool == step.tool else step._replace(tool=tool, args=args)


def operation(tool: str, args: str) -> tuple[str, str]:
    """The tool with its action, and the other arguments; both as given if there is no action."""
    if not args.startswith("{") or not any(f'"{key}": "' in args for key in _ACTIONS):
        return tool, args
    arguments = fields(args)
    key = next((key for key in _ACTIONS if isinstance(arguments.get(key), str)), "")
    if not key or not arguments.keys().isdisjoint(PATHS) or not re.fullmatch(_ONE_WORD, tool):
        return tool, args
    action = arguments.pop(key)
    if not re.fullmatch(_ACTION, action):
        return tool, args
    others = json.dumps(arguments, ensure_ascii=False, sort_keys=True)
    return f"{tool}.{action}", others
