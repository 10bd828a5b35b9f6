"""Cline: its events come from our own plugin (see `install`), in the words of opencode's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hardwon.surfaces.hooks.agents import opencode

if TYPE_CHECKING:
    from hardwon.surfaces.hooks.events import Event, HookReply


def read(payload: dict[str, Any], name: str = "") -> Event | None:
    """The event; when a run ends, no plugin can make Cline go on."""
    event = opencode.read(payload, name)
    return event and event._replace(can_be_asked=False)


def answer(event: Event, reply: HookReply) -> dict[str, Any]:
    """The text for the agent, unchanged; a plugin cannot show the person a line."""
    return opencode.answer(event, reply._replace(note=""))
