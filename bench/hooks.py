"""A whole hook event, with and without the daemon, over a bare interpreter."""

from __future__ import annotations

import compileall
import itertools
import json
import os
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import hardwon
from bench.corpus import SCOPE, Corpus
from bench.foundation import BASE, PROMPT_WORDS, SIZES, filled
from bench.timing import cold, interleaved, median, table
from hardwon.surfaces.hooks import installer

ROUNDS = 40
STEPS = 6  # events of a door in one run of the agent
BY_NAME = [str(Path(sys.executable).parent / "hardwon"), "hook", "claude-code"]
INSTALLED = shlex.split(installer.command_hook("claude-code")["command"])

Event = dict[str, object]
Job = Callable[[], object]


def events(prompt: str, error: str) -> dict[str, Event]:
    """One event for each door."""
    call: Event = {"tool_name": "Bash", "tool_input": {"command": "pytest -q tests/unit"}}
    failure = {"error": f"Exit code 1\nE  {error}"}
    return {
        "prompt": {"hook_event_name": "UserPromptSubmit", "prompt": prompt},
        "before an action": {"hook_event_name": "PreToolUse", **call},
        "after a failure": {"hook_event_name": "PostToolUseFailure", **call, **failure},
    }


class Run:
    """The bytes of one event after another; a new run of the agent begins every few.

    Each door has runs of its own: a prompt after an unfinished failure would also capture it.
    """

    _series = itertools.count()

    def __init__(self, event: Event) -> None:
        self._event = event
        self._number = itertools.count()
        self._own = next(self._series)

    def __call__(self) -> bytes:
        door = zlib.crc32(str(self._event["hook_event_name"]).encode())
        run = next(self._number) // STEPS
        session = f"{door:08x}-6d5e-4c6f-{self._own:04x}-{run:012x}"
        return json.dumps({"session_id": session, "cwd": "/nowhere", **self._event}).encode()


def environment(home: str) -> dict[str, str]:
    """The settings of the hooks; they do not start a daemon themselves here."""
    environ = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    environ |= {"HARDWON_HOME": home, "HARDWON_HOOKS_LIMIT": "30s", "HARDWON_HOOKS_WAKE": "0"}
    environ |= {"HARDWON_AGENT": SCOPE.agent, "HARDWON_PROJECT": SCOPE.project or ""}
    return environ | {"HARDWON_HOOKS_DAEMON": "0"}


def hook(command: list[str], home: str, event: Event) -> Job:
    """A job that starts a process, as an agent does."""
    run, environ = Run(event), environment(home)
    return lambda: subprocess.run(
        command, input=run(), check=True, stdout=subprocess.DEVNULL, env=environ
    )


def ask(path: str, event: Event) -> Job:
    """A job that asks the daemon over its socket."""
    run = Run(event)

    def job() -> bytes:
        raw = run()
        head = f"POST /hardwon/hook/claude-code HTTP/1.0\r\nContent-Length: {len(raw)}\r\n\r\n"
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(path)
            client.sendall(head.encode() + raw)
            return b"".join(iter(lambda: client.recv(65536), b""))

    return job


@contextmanager
def daemon(home: str) -> Iterator[str]:
    """The socket of a daemon in a process of its own."""
    command, environ = [sys.executable, "-m", "hardwon", "daemon"], environment(home)
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environ) as process:
        assert process.stdout is not None
        process.stdout.readline()  # it listens
        yield os.path.join(home, "hook.sock")
        process.terminate()


def measured(count: int) -> list[tuple[str, ...]]:
    """The rows of one size."""
    corpus = Corpus(1)
    prompt = corpus.text(PROMPT_WORDS)
    with tempfile.TemporaryDirectory() as folder:
        home, alone = os.path.join(folder, "home"), os.path.join(folder, "alone")
        with filled(home, count) as hw:
            hw.agent(SCOPE.agent, project=SCOPE.project).learn(prompt)  # something to say
        shutil.copytree(home, alone)
        with daemon(home) as path:
            jobs: dict[str, Job] = {"bare": cold(BASE)}
            for name, event in events(prompt, corpus.text(12)).items():
                jobs[f"{name}, hook and daemon"] = hook(INSTALLED, home, event)
                jobs[f"{name}, hook alone"] = hook(INSTALLED, alone, event)
                jobs[f"{name}, `hardwon hook` alone"] = hook(BY_NAME, alone, event)
                jobs[f"{name}, daemon asked by a program"] = ask(path, event)
            interleaved(jobs, rounds=3)  # files are in memory
            seconds = interleaved(jobs, rounds=ROUNDS)
    bare = median(seconds["bare"])
    return [
        (f"{count:,}", name, f"{median(taken) * 1e3:.1f} ms", f"{median(taken) / bare:.2f}")
        for name, taken in seconds.items()
    ]


def main() -> None:
    """Print the table."""
    compileall.compile_dir(Path(hardwon.__file__).parent, quiet=1)
    rows = [row for count in SIZES for row in measured(count)]
    table("A whole hook event", [("lessons", "event", "median", "÷ bare imports"), *rows])


if __name__ == "__main__":
    main()
