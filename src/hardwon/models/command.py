"""Any program as a model: the question goes to its input, the answer is its output.

`agent:…` is the headless mode of a coding agent, which people already pay for. It runs without
tools if possible, else with read-only tools, in an empty folder, and with hardwon's hooks off.
"""

from __future__ import annotations

import asyncio
import os
import shlex
import shutil
import signal
from contextlib import suppress
from subprocess import Popen
from tempfile import TemporaryDirectory, TemporaryFile
from typing import IO, TYPE_CHECKING

from hardwon.core.errors import InvalidInput, PermanentError, TransientError
from hardwon.core.text.clean import one_line
from hardwon.core.text.redact import redact
from hardwon.storage.ports import Reply

if TYPE_CHECKING:
    from datetime import timedelta

    from hardwon.storage.ports import Request

OUTPUT_LIMIT = 1024 * 1024
_ERRORS_KEPT = 4096
_LOOK = 0.02
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
    "opencode": "opencode run --pure --agent plan",
}


def open(kind: str, command_line: str, *, key: str, timeout: timedelta) -> CommandModel:
    """`agent:codex`, or any program that reads a question and prints an answer."""
    if kind == "agent":
        return _open_agent(command_line, timeout=timeout)
    try:
        words = shlex.split(command_line)
    except ValueError as error:
        raise InvalidInput(f"model command {command_line!r}: {error}") from error
    return CommandModel(words, name=f"{kind}:{command_line}", timeout=timeout)


def _open_agent(agent: str, *, timeout: timedelta) -> CommandModel:
    if agent not in AGENTS:
        raise InvalidInput(f"no headless mode is known for {agent!r}; known: {', '.join(AGENTS)}")
    words = shlex.split(AGENTS[agent])
    return CommandModel(words, name=f"agent:{agent}", timeout=timeout, runs_isolated=True)


def has_agent(agent: str) -> bool:
    """Whether the agent's program can be found."""
    return agent in AGENTS and shutil.which(AGENTS[agent].split(" ")[0]) is not None


class CommandModel:
    """A program, run without a shell in its own process group, which is killed at the end."""

    def __init__(
        self, words: list[str], *, name: str, timeout: timedelta, runs_isolated: bool = False
    ) -> None:
        self.name = name
        self._words = words
        self._runs_isolated = runs_isolated  # whether it runs in an empty folder
        self._timeout = timeout.total_seconds()

    async def complete(self, request: Request) -> Reply:
        prompt = f"{request.system}\n\n{request.prompt}\n"
        # Files instead of pipes: no reader has to keep up, and a full pipe cannot block the end.
        with (
            TemporaryFile() as question,
            TemporaryFile() as output,
            TemporaryFile() as errors,
            TemporaryDirectory() as folder,
        ):
            question.write(prompt.encode("utf-8", "replace"))
            question.seek(0)
            process = self._start(question, output, errors, folder)
            try:
                await self._watch(process, (output, errors))
            finally:
                _end(process)
            if process.returncode:
                raise self._error(process.returncode, _read(errors, _ERRORS_KEPT))
            text = _read(output, OUTPUT_LIMIT)
        return Reply(text, self.name, len(prompt) // 4, len(text) // 4)

    def _start(
        self, question: IO[bytes], output: IO[bytes], errors: IO[bytes], folder: str
    ) -> Popen[bytes]:
        # Hardwon is off in the program: its own work must not become lessons.
        quiet = {**os.environ, **_QUIET}
        try:
            return Popen(
                self._words,
                stdin=question,
                stdout=output,
                stderr=errors,
                start_new_session=True,
                env=quiet,
                cwd=folder if self._runs_isolated else None,
            )
        except (FileNotFoundError, PermissionError) as error:
            raise PermanentError(f"{self.name}: cannot be run: {error.strerror}") from error
        except OSError as error:
            raise TransientError(f"{self.name}: {error}") from error

    async def _watch(self, process: Popen[bytes], printed: tuple[IO[bytes], ...]) -> None:
        """Wait for the end; raise if it takes too long or prints too much."""
        try:
            async with asyncio.timeout(self._timeout):
                while process.poll() is None:
                    if any(os.fstat(file.fileno()).st_size > OUTPUT_LIMIT for file in printed):
                        break
                    await asyncio.sleep(_LOOK)
        except TimeoutError as error:
            raise TransientError(f"{self.name} ran longer than {self._timeout:g} s") from error
        if any(os.fstat(file.fileno()).st_size > OUTPUT_LIMIT for file in printed):
            raise PermanentError(f"{self.name} printed more than {OUTPUT_LIMIT} bytes")

    def _error(self, code: int, errors: str) -> PermanentError | TransientError:
        problem = f"{self.name} ended with {code}: {redact(one_line(errors, 300))}"
        return PermanentError(problem) if code in {126, 127} else TransientError(problem)


def _read(file: IO[bytes], limit: int) -> str:
    file.seek(0)
    return file.read(limit).decode("utf-8", "replace")


def _end(process: Popen[bytes]) -> None:
    """Kill the whole group, grandchildren included."""
    with suppress(ProcessLookupError, PermissionError):  # it ended by itself
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
