"""The Claude Code plugin and the MCP server inside the real Claude Code."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import pytest

import hardwon
from hardwon.storage.service import kept_token
from hardwon.surfaces.hooks.daemon import Daemon
from tests.e2e.agents import Lab, claude_environ, program, run_claude
from tests.e2e.scripted import Call, Move, scripted

pytestmark = pytest.mark.e2e

ROOT = Path(__file__).parents[2]
PLUGIN = ROOT / "plugins" / "claude-code"
LESSON = "Make the folder for the nightly report with mkdir -p"
PROMPT = "Make the folder for the nightly report"


@pytest.mark.parametrize(
    ("folder", "profile"),
    [(PLUGIN, ["--profile", "directory"]), (ROOT, [])],
    ids=["plugin", "marketplace"],
)
def test_claude_code_finds_it_valid(folder: Path, profile: list[str], tmp_path: Path) -> None:
    with scripted(["done"]) as model:
        command = [program("claude"), "plugin", "validate", str(folder), "--strict", *profile]
        said = Lab(tmp_path).run(command, claude_environ(model))

    assert "Validation passed" in said


def test_the_marketplace_of_a_clone_installs_it(tmp_path: Path) -> None:
    lab = Lab(tmp_path)
    lab.hardwon("reflect", LESSON)

    with scripted(["done"]) as model:
        for words in (["marketplace", "add", str(ROOT)], ["install", "hardwon@hardwon"]):
            lab.run([program("claude"), "plugin", *words], claude_environ(model))
        run_claude(lab, model, PROMPT)

    assert model.seen("[KNOWN PITFALLS")


def test_the_plugin_alone_brings_lessons_into_a_session(tmp_path: Path) -> None:
    lab = Lab(tmp_path)
    lab.hardwon("reflect", LESSON)

    with scripted(["done"]) as model:
        run_claude(lab, model, PROMPT, "--plugin-dir", str(PLUGIN))

    assert model.seen("[KNOWN PITFALLS")
    assert model.seen(LESSON)


def test_a_worker_starts_by_itself_when_something_failed(tmp_path: Path) -> None:
    lab = Lab(tmp_path)
    lab.hardwon("install", "claude-code")
    moves: list[Move] = [
        Call("Bash", {"command": "mkdir out/nightly", "description": "x"}),
        Call("Bash", {"command": "mkdir -p out/nightly", "description": "x"}),
        "done",
    ]

    with scripted(moves) as model:
        options = ["--dangerously-skip-permissions", "--model", "claude-sonnet-4-5"]
        environ = {**claude_environ(model), "HARDWON_HOOKS_WAKE": "true"}
        lab.run([program("claude"), "-p", PROMPT, *options], environ)

    for _ in range(60):
        if "queue: 0 pending" in lab.hardwon("reflect"):
            break
        time.sleep(1)
    kept = lab.hardwon("lesson", "list", "--project", str(lab.project))
    assert "`mkdir -p out/nightly`" in kept


def test_http_hooks_ask_the_daemon(tmp_path: Path) -> None:
    lab = Lab(tmp_path)
    lab.hardwon("reflect", LESSON)

    with hardwon.open(lab.store) as hw, scripted(["done"]) as model:
        daemon = Daemon(hw, port=0, token=kept_token(str(lab.store)))
        daemon.start()
        lab.hardwon("install", "claude-code", "--http", str(daemon.port))
        run_claude(lab, model, PROMPT)
        daemon.close()

    assert model.seen("[KNOWN PITFALLS")


def test_its_tools_can_be_called(tmp_path: Path) -> None:
    lab = Lab(tmp_path)
    lab.hardwon("reflect", LESSON)
    server = {"command": sys.executable, "args": ["-m", "hardwon", "mcp"]}
    config = json.dumps({"mcpServers": {"hardwon": server}})
    recall = Call("mcp__hardwon__recall", {"task": PROMPT})

    with scripted([recall, "done"]) as model:
        run_claude(lab, model, "hello", "--mcp-config", config)

    assert model.seen("tool_result")
    assert model.seen("with mkdir -p")
