"""One module per coding agent: `read` its events, `answer` in its format."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Protocol

from hardwon.core.errors import InvalidInput
from hardwon.surfaces.hooks.events import Event, HookReply


class Adapter(Protocol):
    """What the module of an agent offers."""

    def read(self, payload: dict[str, Any], name: str) -> Event | None:
        """The event in common terms; None for an event that hardwon does not handle."""

    def answer(self, event: Event, reply: HookReply) -> dict[str, Any]:
        """The reply in the agent's format; empty where the agent accepts none."""


AGENTS = ("claude-code", "codex", "gemini", "copilot", "opencode", "cline", "qwen", "cursor")

# Those that a hook or plugin can make go on when they are about to end.
CAN_BE_ASKED = frozenset(("claude-code", "codex", "gemini", "copilot", "opencode", "qwen"))


def adapter(agent: str) -> Adapter:
    """The module of an agent; raises InvalidInput for an unknown one."""
    if agent not in AGENTS:
        raise InvalidInput(f"no such agent: {agent[:60]!r}; known are {', '.join(AGENTS)}")
    module: Adapter = import_module(f"{__name__}.{agent.replace('-', '_')}")
    return module
