"""Any program as a model: the question goes to its input, the answer is its output.

`agent:…` is the headless mode of a coding agent, which people already pay for. It runs without
tools if possible, else with tools that only read: a run may hold an instruction of somebody else.
It runs in an empty folder, and with hardwon's hooks off.
"""

from __future__ import annotations

import os
import shlex
import shutil
from datetime import timedelta
from tempfile import TemporaryDirectory

from hardwon.core.errors import InvalidInput, PermanentError, TransientError
from hardwon.core.text.clean import one_line
from hardwon.core.text.redact import redact
from hardwon.storage.ports import Reply, Request

OUTPUT_LIMIT = 1024 * 1024
_ERRORS_KEPT = 4096
_QUIET = {"HARDWON_REFLEXION_ENABLED": "false", "HARDWON_HOOKS_ENABLED": "false"}

CALLS_A_DAY = 20  # the budget that `install` proposes

AGENTS = {
    "claude-code": 'claude -p --tools "" --strict-mcp-config --setting-sources ""'
    " --no-session-persistence",
    "codex": "codex exec --skip-git-repo-check --sandbox read-only --ephemeral --color never"
    " --disable hooks -",
    "gemini": "gemini --skip-trust --approval-mode plan -e none"
    " -p 'Answer as the text above asks.'",
    "copilot": "copilot -s --no-custom-instructions --disable-builtin-mcps --available-tools=none",
    "opencode": "opencode run --pure --agent hardwon",
    "cline": "cline --plan --auto-approve false 'Answer as the text below asks.'",
    "qwen": "qwen --safe-mode --approval-mode plan --chat-recording=false"
    " -p 'Answer as the text above asks.'",
}
_ENVIRON = {
    # An agent without tools: those of its own agents may run commands, also that for planning.
    "opencode": {
        "OPENCODE_CONFIG_CONTENT": '{"agent": {"hardwon": {"mode": "primary", "permission":'
        ' {"*": "deny"}}}}'
    },
    "cline": {"CLINE_SESSION_BACKEND_MODE": "local"},  # nothing of it stays in the background
}


def open(kind: str, command_line: str, *, key: str, timeout: timedelta) -> CommandModel:
    """`agent:codex`, or any program that reads a question and prints an answer."""
    if kind == "agent":
        if (agent := command_line) not in AGENTS:
            known = ", ".join(AGENTS)
            raise InvalidInput(f"no headless mode is known for {agent!r}; known: {known}")
        words, environ = shlex.split(AGENTS[agent]), _ENVIRON.get(agent, {})
        return CommandModel(words, name=f"agent:{agent}", timeout=timeout, isolated=environ)
    try:
        words = shlex.split(command_line)
    except ValueError as error:
        raise InvalidInput(f"model command {command_line!r}: {error}") from error
    return CommandModel(words, name=f"{kind}:{command_line}", timeout=timeout)


def has_agent(agent: str) -> bool:
    """Whether the agent's program can be found."""
    return agent in AGENTS and shutil.which(AGENTS[agent].split(" ")[0]) is not None


class CommandModel:
    """A program, run without a shell in its own process group, which is killed at the end."""

    def __init__(
        self,
        words: list[str],
        *,
        name: str,
        timeout: timedelta,
        isolated: dict[str, str] | None = None,
    ) -> None:
        """With `isolated` it runs in an empty folder, with these variables."""
        self.name = name
        self._words = words
        self._isolated = isolated
        self._timeout = timeout.total_seconds()

    async def complete(self, request: Request) -> Reply:
        from hardwon.core import (
            processes,
        )  # loads asyncio, which `install` and `status` do not need

        prompt = f"{request.system}\n\n{request.prompt}\n"
        with TemporaryDirectory() as folder:
            ended = await processes.run(
                self._words,
                cwd=os.getcwd() if self._isolated is None else folder,
                # Hardwon is off in the program: its own work must not become lessons.
                env={**os.environ, **(self._isolated or {}), **_QUIET},
                mark=folder,
                limits=processes.ProcessLimits(self._timeout, OUTPUT_LIMIT, ends_floods=True),
                stdin=prompt.encode("utf-8", "replace"),
            )
        if ended.exit_code is None:
            is_there = shutil.which(self._words[0]) is not None
            kind = TransientError if is_there else PermanentError
            raise kind(f"{self.name}: cannot be run: {ended.problem}")
        if ended.timed_out:
            raise TransientError(f"{self.name} ran longer than {self._timeout:g} s")
        if ended.is_cut:
            raise PermanentError(f"{self.name} printed more than {OUTPUT_LIMIT} bytes")
        if ended.exit_code:
            words = redact(one_line(ended.stderr[:_ERRORS_KEPT], 300))
            kind = PermanentError if ended.exit_code in {126, 127} else TransientError
            raise kind(f"{self.name} ended with {ended.exit_code}: {words}")
        return Reply(ended.stdout, self.name, len(prompt) // 4, len(ended.stdout) // 4)
