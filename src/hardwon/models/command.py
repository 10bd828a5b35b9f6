"""Any program as a model: the question goes to its input, the answer is its output."""

from __future__ import annotations

import asyncio
import os
import shlex
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


def open(kind: str, command_line: str, *, key: str, timeout: timedelta) -> CommandModel:
    """`claude -p`, `codex exec -`, or any program that reads a question and prints an answer."""
    try:
        words = shlex.split(command_line)
    except ValueError as error:
        raise InvalidInput(f"model command {command_line!r}: {error}") from error
    return CommandModel(words, name=f"{kind}:{command_line}", timeout=timeout)


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
                raise self._failed(process.returncode, _read(errors, _ERRORS_KEPT))
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

    def _failed(self, code: int, errors: str) -> PermanentError | TransientError:
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
