"""The plugin for Cline, run by Node with a command that stands in for hardwon."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hardwon.surfaces.hooks import installer
from tests.programs import needs

SNAPSHOT: dict[str, Any] = {"conversationId": "c1", "messages": []}
ANSWERING = """
import json, sys
event = json.loads(sys.stdin.read())
open({log!r}, "a").write(json.dumps(event) + "\\n")
print(json.dumps({answers!r}.get(event.get("args", {{}}).get("command"), {{}})))
"""
DRIVER = """
import plugin from "./plugin.mjs"
plugin.setup?.({}, { workspaceInfo: { rootPath: "/work" } })
const said = []
for (const [hook, context] of JSON.parse(process.argv[2]))
  said.push((await plugin.hooks[hook](context)) ?? null)
console.log(JSON.stringify(said))
process.exit()
"""


class Cline:
    """Calls the hooks of the plugin, as Cline does."""

    def __init__(self, folder: Path, command: str = "") -> None:
        self._folder = folder
        self._command = command
        self._answers: dict[str, Any] = {}

    def answers(self, **by_command: Any) -> None:
        """What hardwon says of a command."""
        self._answers = {name.replace("_", " "): answer for name, answer in by_command.items()}

    def call(self, *hooks: tuple[str, dict[str, Any]]) -> list[Any]:
        """What the plugin answers to each hook."""
        script, log = self._folder / "hook.py", self._folder / "log"
        script.write_text(ANSWERING.format(log=str(log), answers=self._answers))
        command = self._command or shlex.join([sys.executable, str(script)])
        target = installer.target("cline", installer.USER, lambda _: {"command": command})
        (self._folder / "plugin.mjs").write_text(target.whole)
        (self._folder / "driver.mjs").write_text(DRIVER)
        node = needs("node", package="nodejs")
        words = [node, "driver.mjs", json.dumps([(name, _given(more)) for name, more in hooks])]
        done = subprocess.run(words, cwd=self._folder, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        said: list[Any] = json.loads(done.stdout)
        return said

    def told(self) -> list[dict[str, Any]]:
        """The events that hardwon got."""
        return [json.loads(line) for line in (self._folder / "log").read_text().splitlines()]


def _given(more: dict[str, Any]) -> dict[str, Any]:
    return {"snapshot": SNAPSHOT, **more}


def _shell(*commands: str, **more: Any) -> dict[str, Any]:
    call = {"toolName": "run_commands", "toolCallId": "t1"}
    return {"toolCall": call, "input": {"commands": list(commands)}, **more}


@pytest.fixture
def cline(tmp_path: Path) -> Cline:
    return Cline(tmp_path)


def test_each_command_of_a_call_is_a_call_of_its_own(cline: Cline) -> None:
    output = [
        {"query": "ls", "result": "a\n", "success": True},
        {"query": "cat x", "result": "", "error": "no such file", "success": False},
    ]
    cline.answers(ls={"context": "one"}, cat_x={"context": "two"})

    said = cline.call(("afterTool", _shell("ls", "cat x", result={"output": output})))

    assert said == [{"appendContext": "one\n\ntwo"}]
    assert [(e["tool"], e["args"]["command"], e["kind"], e["output"]) for e in cline.told()] == [
        ("bash", "ls", "action_worked", "a\n"),
        ("bash", "cat x", "action_failed", "no such file"),
    ]


def test_one_forbidden_command_denies_the_call_which_then_is_no_failure(cline: Cline) -> None:
    cline.answers(rm_x={"denial": "never again"})
    denied = {"output": {"error": "never again"}, "isError": True}

    said = cline.call(
        ("beforeTool", _shell("ls", "rm x")),
        ("afterTool", _shell("ls", "rm x", result=denied)),
    )

    assert said == [{"skip": True, "reason": "never again"}, None]
    assert {event["kind"] for event in cline.told()} == {"before_action"}


def test_another_tool_fails_with_what_it_says(cline: Cline) -> None:
    call = {"toolCall": {"toolName": "editor", "toolCallId": "t2"}, "input": {"path": "a"}}
    several = [{"success": True, "result": "fine"}, {"success": False, "error": "gone"}]

    cline.call(
        ("afterTool", {**call, "result": {"output": {"error": "no match"}, "isError": True}}),
        ("afterTool", {**call, "result": {"output": several}}),
        ("afterTool", {**call, "result": {"output": "edited"}}),
    )

    assert [(event["tool"], event["kind"], event["output"]) for event in cline.told()] == [
        ("editor", "action_failed", "no match"),
        ("editor", "action_failed", "fine\ngone"),
        ("editor", "action_worked", "edited"),
    ]


def test_a_conversation_starts_once_and_each_run_has_a_prompt(cline: Cline) -> None:
    own = {"displayRole": "system"}
    messages = [
        {"role": "user", "content": [{"type": "text", "text": "Earlier"}]},
        {
            "role": "user",
            "content": [{"type": "text", "text": '<user_input mode="act">Make it</user_input>'}],
        },
        {"role": "user", "content": [{"type": "text", "text": "hint"}], "metadata": own},
    ]
    snapshot = {**SNAPSHOT, "messages": messages, "parentAgentId": None}
    nested = {**snapshot, "conversationId": "c2", "parentAgentId": "a1"}

    cline.call(
        ("beforeRun", {"snapshot": snapshot}),
        ("afterRun", {"snapshot": snapshot, "result": {"outputText": "done"}}),
        ("beforeRun", {"snapshot": snapshot}),
        ("beforeRun", {"snapshot": nested}),
    )

    told = [(e["session"], e["nested"], e["kind"], e.get("text", "")) for e in cline.told()]
    assert {event["cwd"] for event in cline.told()} == {"/work"}
    assert told == [
        ("c1", False, "session_start", ""),
        ("c1", False, "prompt", "Make it"),
        ("c1", False, "stop", "done"),
        ("c1", False, "prompt", "Make it"),
        ("c2", True, "session_start", ""),
        ("c2", True, "prompt", "Make it"),
    ]


def test_a_hook_that_never_answers_ends_no_run_and_lets_no_call_pass(tmp_path: Path) -> None:
    """Cline ends the whole run when a plugin takes longer than 3 s; a guard must not be lost."""
    stuck = Cline(tmp_path, "exec sleep 20")

    said = stuck.call(
        ("beforeRun", {}),
        ("beforeTool", _shell("rm x")),
        ("afterRun", {}),
    )

    assert said[0] is None
    assert said[1]["skip"] is True
    assert "could not judge in time" in said[1]["reason"]
    assert said[2] is None


def test_a_hook_whose_program_has_gone_blocks_nothing(tmp_path: Path) -> None:
    gone = Cline(tmp_path, "/gone/bin/python hook cline")

    assert gone.call(("beforeRun", {}), ("beforeTool", _shell("ls"))) == [None, None]
