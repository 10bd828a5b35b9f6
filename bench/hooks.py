"""A whole hook event, in a fresh process and through the daemon, over a bare interpreter."""

from __future__ import annotations

import compileall
import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import hardwon
from bench.corpus import SCOPE, Corpus
from bench.foundation import BASE, PROMPT_WORDS, SIZES, filled
from bench.timing import cold, interleaved, median, table
from hardwon.surfaces.hooks.daemon import Daemon

ROUNDS = 40


def events(corpus: Corpus) -> dict[str, dict[str, object]]:
    """One event for each door."""
    common = {"session_id": "0b9c4c4e-6d5e-4c6f-9f0a-1f0f4f7c9c11", "cwd": "/nowhere"}
    call = {"tool_name": "Bash", "tool_input": {"command": "pytest -q tests/unit"}}
    failure = {**common, **call, "error": f"Exit code 1\nE  {corpus.text(12)}"}
    return {
        "prompt": {
            "session_id": "5c2b3c55-0b6c-4f9d-8a52-6c3c1f7b2d22",
            "cwd": "/nowhere",
            "hook_event_name": "UserPromptSubmit",
            "prompt": corpus.text(PROMPT_WORDS),
        },
        "before an action": {**common, **call, "hook_event_name": "PreToolUse"},
        "after a failure": {**failure, "hook_event_name": "PostToolUseFailure"},
    }


def hook(home: str, event: object) -> Callable[[], object]:
    """A job that starts the installed command, as an agent does."""
    command = [str(Path(sys.executable).parent / "hardwon"), "hook", "claude-code"]
    environ = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    environ |= {"HARDWON_HOME": home, "HARDWON_HOOKS_LIMIT": "30s"}
    environ |= {"HARDWON_AGENT": SCOPE.agent, "HARDWON_PROJECT": SCOPE.project or ""}
    raw = json.dumps(event).encode()
    return lambda: subprocess.run(
        command, input=raw, check=True, stdout=subprocess.DEVNULL, env=environ
    )


def ask(path: str, event: object) -> Callable[[], object]:
    """A job that asks the daemon over its socket."""
    raw = json.dumps(event).encode()
    head = f"POST /hardwon/hook/claude-code HTTP/1.0\r\nContent-Length: {len(raw)}\r\n\r\n"

    def job() -> bytes:
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(path)
            client.sendall(head.encode() + raw)
            return b"".join(iter(lambda: client.recv(65536), b""))

    return job


def measured(count: int) -> list[tuple[str, ...]]:
    """The rows of one size."""
    corpus = Corpus(1)
    with tempfile.TemporaryDirectory() as home, filled(home, count) as hw:
        daemon = Daemon(hw, port=None, token="")
        daemon.start()
        jobs: dict[str, Callable[[], object]] = {"bare": cold(BASE)}
        for name, event in events(corpus).items():
            jobs[name] = hook(home, event)
            jobs[f"{name}, daemon"] = ask(daemon.socket_path, event)
        seconds = interleaved(jobs, rounds=ROUNDS)
        daemon.close()
    bare = median(seconds.pop("bare"))
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
