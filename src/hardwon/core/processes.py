"""Run one foreign program: own process group, time limit, capped output, chosen environment.

Nothing it starts outlives it: the group is ended with it, and after a time-out also whatever left
the group, known by a mark in its environment.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import signal
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from asyncio.subprocess import Process

MARK = "HARDWON_LOOP"
_CHUNK = 1 << 16
_GRACE = 2.0  # seconds between SIGTERM and SIGKILL
_DRAIN = 0.5  # seconds to read the pipes after the program has ended
_SECRET = (
    r"(?i).*(?:api_?key|_key|token|secret|passw|credential|private|auth(?!or))|(?:AWS|HARDWON)_"
)
_NOT_SECRET = r"(?i)SSH_AUTH_SOCK|XAUTHORITY|(?=\w*KEYBOARD)\w+"
# The same output everywhere; no stale bytecode when a file changes twice in a second.
_UNIFORM = {
    "CI": "true",
    "NO_COLOR": "1",
    "TERM": "dumb",
    "COLUMNS": "200",
    "PYTHONDONTWRITEBYTECODE": "1",
}


class Finished(NamedTuple):
    """How a program ended. `exit_code` is negative for a signal, None when it did not start."""

    exit_code: int | None
    stdout: str
    stderr: str
    seconds: float
    timed_out: bool = False
    problem: str = ""
    is_cut: bool = False  # it printed more than is kept


class ProcessLimits(NamedTuple):
    """How long a program may run, and how much of each stream is kept."""

    seconds: float = 600.0
    output: int = 1 << 20
    ends_floods: bool = False  # whether a program that prints more is ended


class Sink:
    """Keeps the beginning and the end of a stream of any length."""

    def __init__(self, limit: int) -> None:
        self._head, self._tail = bytearray(), bytearray()
        self._head_limit, self._tail_limit = limit // 4, limit - limit // 4
        self.size = 0

    def add(self, chunk: bytes) -> None:
        self.size += len(chunk)
        room = self._head_limit - len(self._head)
        self._head += chunk[:room]
        self._tail += chunk[room:]
        if len(self._tail) > 2 * self._tail_limit:
            del self._tail[: -self._tail_limit]

    def text(self) -> str:
        tail = self._tail[-self._tail_limit :]
        lost = self.size - len(self._head) - len(tail)
        mark = f"\n… {lost} bytes left out …\n".encode() if lost else b""
        return bytes(self._head + mark + tail).decode("utf-8", "replace")


def scrub_environment(environ: Mapping[str, str], *, passed: Sequence[str] = ()) -> dict[str, str]:
    """The environment without secrets; names in `passed` are kept."""
    return {
        name: value
        for name, value in environ.items()
        if name in passed or not re.match(_SECRET, name) or re.fullmatch(_NOT_SECRET, name)
    } | _UNIFORM


async def run(
    command: str | Sequence[str],
    *,
    cwd: str,
    env: Mapping[str, str],
    mark: str,
    limits: ProcessLimits,
    stdin: bytes = b"",
) -> Finished:
    """Run a program to its end. A string goes through the shell; a sequence does not."""
    argv = ["/bin/sh", "-c", command] if isinstance(command, str) else list(command)
    began = time.monotonic()
    try:
        process = await asyncio.create_subprocess_exec(
            *argv,
            cwd=cwd,
            env={**env, MARK: mark},
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        return Finished(None, "", "", 0.0, problem=f"{argv[0]}: {error}")
    sinks = Sink(limits.output), Sink(limits.output)
    timed_out = await _attend(process, sinks, stdin, mark=mark, limits=limits)
    out, err = (sink.text() for sink in sinks)
    seconds, is_cut = time.monotonic() - began, any(sink.size > limits.output for sink in sinks)
    return Finished(process.returncode, out, err, seconds, timed_out, is_cut=is_cut)


async def _attend(
    process: Process, sinks: tuple[Sink, Sink], stdin: bytes, *, mark: str, limits: ProcessLimits
) -> bool:
    """Feed and drain the program until it ends; whether it reached the time limit."""
    pumps = [
        asyncio.ensure_future(_pump(stream, sink))
        for stream, sink in zip((process.stdout, process.stderr), sinks, strict=True)
    ]
    pumps.append(asyncio.ensure_future(_feed(process, stdin)))
    try:
        most = limits.output if limits.ends_floods else None
        await asyncio.wait_for(_end_of(process, sinks, most), limits.seconds)
        if process.returncode is None:
            await _end(process, mark)
        return False
    except TimeoutError:
        await _end(process, mark)
        return True
    except asyncio.CancelledError:
        await asyncio.shield(_end(process, mark))
        raise
    finally:
        _signal_group(process.pid, signal.SIGKILL)
        await asyncio.wait(pumps, timeout=_DRAIN)
        for pump in pumps:
            pump.cancel()
        await asyncio.gather(*pumps, return_exceptions=True)
        # A pipe that a stray child holds open would keep the event loop busy.
        if (transport := getattr(process, "_transport", None)) is not None:
            transport.close()


async def _end_of(process: Process, sinks: Sequence[Sink] = (), most: int | None = None) -> None:
    """Returns when the program has ended, or has printed more than `most` bytes.

    The wait of asyncio also waits for the pipes to close.
    """
    pause = 0.002
    while process.returncode is None and not (most and any(sink.size > most for sink in sinks)):
        await asyncio.sleep(pause)
        pause = min(pause * 1.5, 0.05)


async def _pump(stream: asyncio.StreamReader | None, sink: Sink) -> None:
    while stream is not None and (chunk := await stream.read(_CHUNK)):
        sink.add(chunk)


async def _feed(process: Process, stdin: bytes) -> None:
    if process.stdin is None:
        return
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        process.stdin.write(stdin)
        await process.stdin.drain()
        process.stdin.close()


async def _end(process: Process, mark: str) -> None:
    _signal_group(process.pid, signal.SIGTERM)
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(_end_of(process), _GRACE)
    _signal_group(process.pid, signal.SIGKILL)
    end_marked(mark)
    await _end_of(process)


def _signal_group(group: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def end_marked(mark: str) -> int:
    """Kill every process with this mark, or one below it; returns how many there were."""
    ended, entry = 0, f"{MARK}={mark}".encode()
    for name in os.listdir("/proc") if os.path.isdir("/proc") else ():
        if name.isdigit() and int(name) != os.getpid():
            with contextlib.suppress(OSError), open(f"/proc/{name}/environ", "rb") as environ:
                marks = environ.read().split(b"\0")
                if entry in marks or any(one.startswith(entry + b"/") for one in marks):
                    os.kill(int(name), signal.SIGKILL)
                    ended += 1
    return ended
