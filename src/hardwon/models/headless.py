"""The headless mode of a coding agent as a model, which people already pay for.

Each agent reads the question from standard input and prints its answer. It runs without tools if
possible, else with read-only tools, in an empty folder, and with hardwon's hooks off.
"""

from __future__ import annotations

import shlex
import shutil
from typing import TYPE_CHECKING

from hardwon.core.errors import InvalidInput
from hardwon.models.command import CommandModel

if TYPE_CHECKING:
    from datetime import timedelta

CALLS_A_DAY = 20  # the budget that `install` proposes

COMMANDS = {
    "claude-code": 'claude -p --tools "" --strict-mcp-config --setting-sources ""'
    " --no-session-persistence",
    "codex": "codex exec --skip-git-repo-check --sandbox read-only --ephemeral --color never"
    " --disable hooks -",
    "gemini": "gemini --skip-trust --approval-mode plan -e none"
    " -p 'Answer as the text above asks.'",
    "copilot": "copilot -s --no-custom-instructions --disable-builtin-mcps --available-tools=none",
    "opencode": "opencode run --pure --agent plan",
}


def open(kind: str, agent: str, *, key: str, timeout: timedelta) -> CommandModel:
    """`agent:claude-code`, `agent:codex` and so on."""
    if agent not in COMMANDS:
        raise InvalidInput(f"no headless mode is known for {agent!r}; known: {', '.join(COMMANDS)}")
    words = shlex.split(COMMANDS[agent])
    return CommandModel(words, name=f"{kind}:{agent}", timeout=timeout, runs_isolated=True)


def is_there(agent: str) -> bool:
    """Whether the agent's program can be found."""
    return agent in COMMANDS and shutil.which(COMMANDS[agent].split(" ")[0]) is not None
