"""A repository that an agent works in never runs code in a process of ours."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import hardwon
from hardwon.learn.trials import files
from tests.hostile import HostileRepository
from tests.surfaces.hooks.hooking import end_daemons
from tests.waiting import until

ROOT = Path(__file__).parents[2]
PLUGIN = ROOT / "plugins" / "claude-code"
PROGRAM = Path(sys.executable).with_name("hardwon")
FAILURE = "cat: out/report.txt: No such file or directory"
AGENTS = ["claude-code", "codex", "gemini", "copilot", "qwen", "cursor"]


@pytest.fixture
def repository(tmp_path: Path) -> HostileRepository:
    return HostileRepository(tmp_path / "repository")


@pytest.fixture
def place(tmp_path: Path, repository: HostileRepository) -> Iterator[Place]:
    found = Place(tmp_path / "user", repository)
    yield found
    found.end_workers()


class Place:
    """A user whose agent works in the hostile repository, with the settings nobody has touched."""

    def __init__(self, user: Path, repository: HostileRepository) -> None:
        self.user, self.repository = user, repository
        user.mkdir()
        self.home = user / ".hardwon"
        self._calm = {
            "HOME": str(user),
            "PATH": os.pathsep.join((f"{PROGRAM.parent}", os.environ["PATH"])),
            "HARDWON_HOOKS_LIMIT": "60s",  # time must not decide a test
            "HARDWON_HOOKS_CAPTURE_LIMIT": "60s",
            "HARDWON_HOOKS_DAEMON": "false",  # a test of its own starts one
        }
        # As in a shell whose PATH has relative folders.
        self.calm = self._calm | {"PATH": os.pathsep.join(("bin", ".", self._calm["PATH"]))}
        self.misled = self.calm | repository.variables()

    def run(self, command: str | list[str], said: object = "", **more: Any) -> str:
        """What a command prints when it is run in the repository."""
        words = command if isinstance(command, list) else ["/bin/sh", "-c", command]
        raw = said if isinstance(said, str) else json.dumps(said)
        done: subprocess.CompletedProcess[str] = subprocess.run(
            words,
            input=raw,
            capture_output=True,
            text=True,
            timeout=120,
            **{"env": self.misled, "cwd": self.repository.folder, **more},
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def install(self, agent: str) -> None:
        self.run([str(PROGRAM), "install", agent, "--yes"], env=self._calm, cwd=self.user)

    def hooks(self, agent: str) -> str:
        """Everything that `install` has written for an agent."""
        files = (path for path in self.user.rglob("*") if path.suffix in {".json", ".js"})
        ours = [path for path in files if self.home not in path.parents]
        return ours[0].read_text()

    def is_worked(self) -> bool:
        """Whether a worker was started, and has worked what was captured."""
        with hardwon.open(self.home) as hw:
            return (self.home / "queue" / "worker.log").exists() and not hw.queue.waiting()

    def end_workers(self) -> None:
        with hardwon.open(self.home) as hw, suppress(ProcessLookupError):
            pid = hw.queue.status()[1].get("pid")
            if pid:
                os.kill(pid, signal.SIGTERM)


def events(folder: Path) -> Iterator[dict[str, Any]]:
    """A session of Claude Code in which one command fails."""
    base = {"session_id": "s1", "cwd": str(folder)}
    call = {"tool_name": "Bash", "tool_input": {"command": "cat out/report.txt"}}
    yield {**base, "hook_event_name": "UserPromptSubmit", "prompt": "show the report"}
    yield {**base, **call, "hook_event_name": "PreToolUse"}
    yield {**base, **call, "hook_event_name": "PostToolUseFailure", "error": FAILURE}
    yield {**base, "hook_event_name": "Stop"}


def test_hooks_and_their_worker_run_nothing_of_it(place: Place) -> None:
    place.install("claude-code")
    written = json.loads((place.user / ".claude" / "settings.json").read_text())

    for event in events(place.repository.folder):
        command = written["hooks"][event["hook_event_name"]][0]["hooks"][0]["command"]
        place.run(command, event)

    until(place.is_worked)
    assert place.repository.ran() == []


@pytest.mark.parametrize("agent", AGENTS)
def test_no_agent_is_told_to_start_a_process_that_is_not_isolated(agent: str, place: Place) -> None:
    place.install(agent)

    called = [
        shlex.split(line) for line in _commands(json.loads(place.hooks(agent))) if "hardwon" in line
    ]

    assert called
    assert all(words[0] == sys.executable and words[1] == "-I" for words in called)


@pytest.mark.parametrize("agent", ["opencode", "cline"])
def test_the_plugin_of_an_agent_starts_an_isolated_process(agent: str, place: Place) -> None:
    place.install(agent)

    line = next(row for row in place.hooks(agent).splitlines() if "const COMMAND" in row)

    words = shlex.split(json.loads(line.partition("=")[2]))
    assert words[:2] == [sys.executable, "-I"]


def test_the_plugin_and_its_worker_run_nothing_of_it(place: Place) -> None:
    written = json.loads((PLUGIN / "hooks" / "hooks.json").read_text())
    environ = place.misled | {"CLAUDE_PLUGIN_ROOT": str(PLUGIN)}

    for event in events(place.repository.folder):
        command = written["hooks"][event["hook_event_name"]][0]["hooks"][0]["command"]
        place.run(command, event, env=environ)

    until(place.is_worked)
    assert place.repository.ran() == []


def test_the_commands_of_the_plugin_call_its_own_program(place: Place) -> None:
    texts = [path.read_text() for path in sorted(PLUGIN.rglob("*.md")) if path.name != "README.md"]
    called = [line for text in texts for line in re.findall(r"`([^`\n]*hardwon [^`\n]*)`", text)]
    granted = [rule for text in texts for rule in re.findall(r"Bash\(([^)]*)\)", text)]
    shown_to_the_user = "hardwon session undo"

    own = "${CLAUDE_PLUGIN_ROOT}/bin/hardwon "
    assert all(own in line for line in called if line != shown_to_the_user)
    assert granted
    assert all(rule.startswith(own) for rule in granted)
    listing = next(line for line in called if "lesson list" in line)
    place.run(listing.replace("${CLAUDE_PLUGIN_ROOT}", str(PLUGIN)))
    assert place.repository.ran() == []


def test_the_plugin_does_not_start_itself(place: Place) -> None:
    both = os.pathsep.join((str(PLUGIN / "bin"), place.calm["PATH"]))

    said = place.run(
        [str(PLUGIN / "bin" / "hardwon"), "--version"], env={**place.misled, "PATH": both}
    )

    assert said.startswith("hardwon")


def test_the_mcp_server_of_the_plugin_runs_nothing_of_it(place: Place) -> None:
    server = json.loads((PLUGIN / ".mcp.json").read_text())["mcpServers"]["hardwon"]
    words = [server["command"].replace("${CLAUDE_PLUGIN_ROOT}", str(PLUGIN)), *server["args"]]
    asked = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        },
    }

    said = place.run(words, json.dumps(asked) + "\n")

    assert json.loads(said)["result"]["serverInfo"]["name"] == "hardwon"
    assert place.repository.ran() == []


def test_the_daemon_and_its_worker_run_nothing_of_it(place: Place) -> None:
    daemon = subprocess.Popen(
        [str(PROGRAM), "daemon"], cwd=place.repository.folder, env=place.calm,
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert daemon.stdout is not None
        assert "listening" in daemon.stdout.readline()
        for event in events(place.repository.folder):
            _post(place.home / "hook.sock", event)
        until(place.is_worked)
    finally:
        daemon.terminate()
        daemon.communicate(timeout=60)

    assert place.repository.ran() == []


def test_the_daemon_that_a_hook_starts_runs_nothing_of_it(place: Place) -> None:
    place.install("claude-code")
    written = json.loads((place.user / ".claude" / "settings.json").read_text())
    environ = place.misled | {"HARDWON_HOOKS_DAEMON": "true"}

    try:
        for event in events(place.repository.folder):
            command = written["hooks"][event["hook_event_name"]][0]["hooks"][0]["command"]
            place.run(command, event, env=environ)
            until((place.home / "hook.sock").exists)
    finally:
        end_daemons(place.home)

    assert place.repository.ran() == []


@pytest.mark.parametrize(
    "command",
    [
        "reflect 'Make the folder first'",
        "lesson list --project .",
        "work --drain",
        "doctor --json || true",
        "status --json",
        "config",
        "recall 'show the report'",
    ],
)
def test_the_command_line_runs_nothing_of_it(command: str, place: Place) -> None:
    place.run(f"'{PROGRAM}' {command}", env=place.calm)

    assert place.repository.ran() == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_calls_an_isolated_process(shell: str, place: Place) -> None:
    script = place.run([str(PROGRAM), "completion", shell], env=place.calm)

    (line,) = [line for line in script.splitlines() if "_HARDWON_COMPLETE=" in line]
    assert f"{sys.executable} -I -c" in line


def test_tab_in_the_repository_runs_nothing_of_it(place: Place) -> None:
    script = place.run([str(PROGRAM), "completion", "bash"], env=place.calm)
    tab = "COMP_WORDS=(hardwon les); COMP_CWORD=1; _hardwon_completion ./bin/hardwon"

    said = place.run(
        ["/bin/bash", "-c", f"{script}\n{tab}; echo ${{COMPREPLY[@]}}"],
        env=place.misled | {"PATH": os.environ["PATH"]},
    )

    assert said.strip() == "lesson"
    assert place.repository.ran() == []


def test_a_module_run_by_name_imports_nothing_from_the_folder(tmp_path: Path) -> None:
    """`python -m hardwon` puts the folder first; what Python imports before us is Python's."""
    folder = tmp_path / "folder"
    folder.mkdir()
    for name in ("click", "json", "sqlite3", "tomllib"):
        (folder / f"{name}.py").write_text("raise SystemExit('poisoned')\n")
    command = [sys.executable, "-m", "hardwon", "lesson", "list"]
    environ = {"HOME": str(tmp_path), "PATH": os.environ["PATH"], "PYTHONPATH": f"{folder}:."}

    done = subprocess.run(command, cwd=folder, env=environ, capture_output=True, text=True)

    assert done.returncode == 0, done.stderr
    assert done.stdout == f"(no lessons in {folder} or everywhere)\n"


def test_the_repository_would_run_if_it_were_let(place: Place) -> None:
    subprocess.run(
        [sys.executable, "-m", "hardwon", "work"],
        cwd=place.repository.folder,
        env=place.misled,
        capture_output=True,
    )
    subprocess.run(["hardwon"], cwd=place.repository.folder, env=place.calm, capture_output=True)

    assert {"sitecustomize", "encodings.__init__"} & set(place.repository.ran())


def _commands(settings: object) -> Iterator[str]:
    """Every command in an agent's settings, however deep."""
    if isinstance(settings, dict):
        for key, value in settings.items():
            if key in {"command", "bash"} and isinstance(value, str):
                yield value
            yield from _commands(value)
    elif isinstance(settings, list):
        for value in settings:
            yield from _commands(value)


def _post(path: Path, event: dict[str, Any]) -> None:
    body = json.dumps(event).encode()
    head = f"POST /hardwon/hook/claude-code HTTP/1.1\r\nhost: h\r\ncontent-length: {len(body)}\r\n"
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(str(path))
        client.sendall(head.encode() + b"connection: close\r\n\r\n" + body)
        assert client.recv(100).startswith(b"HTTP/1.1 200")


def test_looking_at_a_work_tree_starts_no_program_of_its_settings(tmp_path: Path) -> None:
    tree, ran = tmp_path / "tree", tmp_path / "ran"
    subprocess.run(["git", "init", "-q", str(tree)], check=True)
    (tree / "a.txt").write_text("a\n")
    spy = tmp_path / "spy"
    spy.write_text(f"#!/bin/sh\ntouch '{ran}'\n")
    spy.chmod(0o755)
    subprocess.run(["git", "-C", str(tree), "config", "core.fsmonitor", str(spy)], check=True)

    seen = files.repository(str(tree), str(tmp_path / "store"))
    assert seen is not None
    seen.snapshot()

    assert not ran.exists()
