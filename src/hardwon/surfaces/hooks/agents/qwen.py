"""Qwen Code: Claude Code's words, Gemini CLI's tools; before an action only a denial is taken."""

from __future__ import annotations

from typing import Any

from hardwon.surfaces.hooks.agents import claude_code
from hardwon.surfaces.hooks.events import Event, EventKind, HookReply

_SHELL = "run_shell_command"
_PRINTED, _AFTER = "\nOutput: ", "\nError: "


def read(payload: dict[str, Any], name: str = "") -> Event | None:
    """The event; without a terminal each result of a tool comes as a prompt without words, too."""
    event = claude_code.read(payload, name)
    if event is None:
        return None
    event = event._replace(takes_permission=False)
    if event.name == "Stop":  # it calls every stop one that a hook has made
        return event._replace(can_be_asked=True)
    if event.kind == EventKind.PROMPT and not event.text:
        return event._replace(kind=EventKind.BATCH)
    if event.tool != _SHELL:
        return event
    return event._replace(tool="bash", output=_printed_text(event.output))


def answer(event: Event, reply: HookReply) -> dict[str, Any]:
    """As for Claude Code, where it is taken."""
    context = "" if event.kind == EventKind.BEFORE else reply.context
    return claude_code.answer(event, HookReply(context, reply.denial, request=reply.request))


def _printed_text(output: str) -> str:
    """What the command printed, out of the report that stands around it."""
    _, is_there, printed = output.partition(_PRINTED)
    before, is_ended, _ = printed.rpartition(_AFTER)
    return before if is_there and is_ended else output
