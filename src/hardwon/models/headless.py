"""The headless mode of a coding agent as a model: people pay for it already.

Each agent reads the question on its standard input and prints its answer. It runs without tools
where it can, else with tools that only read, in an empty folder, and with our hooks off.
"""

from __future__ import annotations

import shlex
import shutil
from typing import TYPE_CHECKING

from hardwon.errors import InvalidInput
from hardwon.models.command import CommandModel

if TYPE_CHECKING:
    from datetime import timedelta

CALLS_A_DAY = 20  # what `install` proposes as the budget

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


def open(kind: str, rest: str, *, key: str, timeout: timedelta) -> CommandModel:
    """`agent:claude-code`, `agent:codex` and so on."""
    if rest not in COMMANDS:
        raise InvalidInput(f"no headless mode is known for {rest!r}; known: {', '.join(COMMANDS)}")
    words = shlex.split(COMMANDS[rest])
    return CommandModel(words, name=f"{kind}:{rest}", timeout=timeout, is_apart=True)


def is_there(agent: str) -> bool:
    """Whether the agent's program can be found."""
    return agent in COMMANDS and shutil.which(COMMANDS[agent].split(" ")[0]) is not None
