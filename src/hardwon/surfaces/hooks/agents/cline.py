"""Cline: its events come from our own plugin (see `install`), in the words of opencode's."""

from __future__ import annotations

from hardwon.surfaces.hooks.agents import opencode
from hardwon.surfaces.hooks.agents.opencode import read as read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hardwon.surfaces.hooks.events import Event, HookReply


def answer(event: Event, reply: HookReply) -> dict[str, Any]:
    """The text for the agent, unchanged; a plugin cannot show the person a line."""
    return opencode.answer(event, reply._replace(note=""))
