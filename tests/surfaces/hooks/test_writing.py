"""An agent is asked once, before it ends, to write down what it found out."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import hardwon
from hardwon.surfaces.hooks.agents import AGENTS, Event, EventKind, HookReply, adapter
from hardwon.surfaces.hooks.respond import respond
from tests.surfaces.hooks.hooking import Hook
from tests.surfaces.hooks.test_adapters import recorded

PROJECT = "/home/dev/project"
DENIED = "E403 refunds.draft: denied for profile desk"
ITEM = {
    "sort": "pitfall",
    "when": "opening a document",
    "wrong": "The default profile is denied.",
    "do": "Put the profile first: `ops --profile finance call refunds.draft <json>`.",
}


class Session:
    """A session of Claude Code, each event in a fresh opening."""

    def __init__(self, home: Path, name: str = "s1") -> None:
        self.home = home
        self.name = name

    def tell(self, kind: str, **fields: Any) -> HookReply:
        event = Event(kind, kind, session=self.name, cwd=PROJECT, takes_permission=True, **fields)
        with hardwon.open(self.home) as hw:
            return respond(event, hw)

    def work(self, *, fails: bool = True) -> None:
        self.tell(EventKind.PROMPT, text="Refund order 10482")
        self.call("ops tools", "refunds.draft  Open a refund document")
        if fails:
            self.call("ops call refunds.draft '{}'", DENIED, kind=EventKind.FAILED)
        self.call("ops --profile finance call refunds.draft '{}'", "D1")
        self.call("ops --profile finance call refunds.book D1", "booked")

    def call(self, command: str, output: str = "", kind: str = EventKind.WORKED) -> HookReply:
        return self.tell(kind, tool="Bash", args={"command": command}, output=output)

    def stop(self, text: str = "Done: order refunded.", *, can_be_asked: bool = True) -> HookReply:
        return self.tell(EventKind.STOP, text=text, can_be_asked=can_be_asked)

    def playbook(self) -> list[str]:
        with hardwon.open(self.home) as hw:
            items = hw.agent("default", project=PROJECT).playbook.list()
        return [item.situation for item in items]


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Session:
    monkeypatch.setenv("HARDWON_HOOKS_WAKE", "false")
    monkeypatch.setenv("HARDWON_HOOKS_ASK", "true")
    return Session(tmp_path / "home")


def command_in(request: str) -> str:
    """The command that a request wants to be run, with one item."""
    head = next(line for line in request.splitlines() if line.endswith("<<'END'"))
    return f"{head}\n{json.dumps(ITEM)}\nEND"


def run(command: str) -> str:
    """The agent's shell runs the command, in another process."""
    return subprocess.run(command, shell=True, check=True, capture_output=True, text=True).stdout


def test_the_agent_writes_its_items_and_the_next_session_begins_with_them(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "hardwon"  # a program of that name in the folder the agent works in
    other.write_text("#!/bin/sh\necho somebody else\n")
    other.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    session.work()
    asked = session.stop()
    printed = run(command_in(asked.request))
    again = session.stop()

    assert "Added #" in printed
    assert not again
    assert session.playbook() == ["When opening a document"]
    told = Session(session.home, "s2").tell(EventKind.SESSION_START).context
    assert "ops --profile finance call refunds.draft <json>" in told


def test_an_agent_that_may_not_run_it_says_its_items(session: Session) -> None:
    session.work()
    session.stop()
    session.stop(f"Here it is:\n```\n{json.dumps(ITEM)}\n```\nThe order is refunded.")
    session.stop(json.dumps({**ITEM, "when": "saying more later"}))

    assert session.playbook() == ["When opening a document"]


def test_a_session_is_asked_once_however_often_it_stops(session: Session) -> None:
    session.work()
    first = session.stop()
    after = [session.stop()]
    session.work()
    after.append(session.stop())
    session.tell(EventKind.SESSION_END)

    assert first.request
    assert after == [HookReply(), HookReply()]


def test_the_run_is_captured_when_the_agent_really_ends(session: Session) -> None:
    session.work()
    session.stop()
    with hardwon.open(session.home) as hw:
        assert not hw.queue.waiting()
    session.stop()

    with hardwon.open(session.home) as hw:
        (job,) = hw.queue.waiting()
    assert [step.args for step in job.episode.steps][-1].endswith("refunds.book D1")


def test_a_session_with_few_steps_or_nothing_new_is_not_asked(session: Session) -> None:
    session.tell(EventKind.PROMPT, text="What does ops do?")
    session.call("ops tools", "refunds.draft")
    assert not session.stop()

    first = Session(session.home, "s2")
    first.work()
    first.stop()
    first.stop(json.dumps(ITEM))
    first.tell(EventKind.SESSION_END)
    same = Session(session.home, "s3")
    same.work()

    assert not same.stop()


def test_nobody_is_asked_unless_it_is_on_and_possible(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    session.work(fails=False)
    assert not session.stop(can_be_asked=False)
    assert not session.tell(EventKind.STOP, can_be_asked=True, is_nested=True)
    monkeypatch.setenv("HARDWON_HOOKS_ASK", "false")
    assert not session.stop()
    monkeypatch.setenv("HARDWON_HOOKS_ASK", "true")
    assert session.stop().request


def test_the_call_that_writes_items_is_no_step_of_the_work(session: Session) -> None:
    session.work()
    command = command_in(session.stop().request)
    session.call(command, "Added #1")
    session.call(command.replace("END", "EOF"), "error", kind=EventKind.FAILED)
    session.tell(EventKind.WORKED, tool="mcp__hardwon__playbook_add", args={"items": []})
    session.tell(EventKind.PROMPT, text=session_request(session))

    with hardwon.open(session.home) as hw:
        past = hw.agent("default", project=PROJECT, run="s1").run.so_far()
    assert past.made == 4
    assert len(past.prompts) == 1


def session_request(session: Session) -> str:
    """What some agents report as a prompt: the request itself, perhaps in a frame."""
    with hardwon.open(session.home) as hw:
        other = hw.agent("default", project="other")
        for number in range(3):
            other.after_action("Bash", {"command": f"ops {number}"}, failed=False)
        return f"<hook_prompt>{other.playbook.request()}</hook_prompt>"


RIDERS: list[Callable[[str], str]] = [
    lambda command: f"{command}\nrm -rf /",
    lambda command: f"{command}\r\nrm -rf /",
    lambda command: f"{command}; rm -rf /",
    lambda command: f"{command} && rm -rf /",
    lambda command: f"rm -rf /; {command}",
    lambda command: f"rm -rf /\n{command}",
    lambda command: f"PATH=. {command}",
    lambda command: f" {command}",
    lambda command: command.replace("'END'\n{", "'END'\nEND\nrm -rf /\n{"),
    lambda command: command.replace("'END'\n{", "'END'\nE\x00ND\nrm -rf /\n{"),
    lambda command: command.replace("<<'END'", "<<END"),
    lambda command: command.replace("<<'END'", '<<"END"'),
    lambda command: command.replace("<<'END'", "<<'END' && rm -rf /"),
    lambda command: command.replace("<<'END'", "<<'END' > ~/.bashrc"),
    lambda command: command.replace("<<'END'", "$(rm -rf /) <<'END'"),
    lambda command: command.replace("--run ", "--run 0"),
    lambda command: re.sub(r"^\S*hardwon ", "hardwon ", command),
    lambda command: re.sub(r"^\S*hardwon ", "./hardwon ", command),
    lambda command: f"{'x' * 9000}{command}",
]


def test_only_the_very_call_that_was_asked_for_needs_no_permission(session: Session) -> None:
    def allowed(command: str, tool: str = "Bash", **more: Any) -> bool:
        args = {"command": command, **more}
        return session.tell(EventKind.BEFORE, tool=tool, args=args).is_allowed

    session.work()
    request = Session(session.home, "other")
    request.work()
    guessed = command_in(request.stop().request)
    assert not allowed(guessed)
    command = command_in(session.stop().request)

    assert allowed(command)
    assert allowed(command + "\n", description="Write it down", timeout=20)
    assert not allowed(guessed)
    assert not any(allowed(rides(command)) for rides in RIDERS)
    assert not allowed(command, dangerouslyDisableSandbox=True)
    assert not allowed(command, tool="mcp__other__run", path="/etc/passwd")


REQUEST = HookReply(request="write it down")


def test_a_request_is_answered_in_each_agents_words() -> None:
    block = {"decision": "block", "reason": "write it down"}
    expected: dict[str, dict[str, str]] = {
        **dict.fromkeys(("claude-code", "codex", "copilot", "qwen"), block),
        "gemini": {"decision": "deny", "reason": "write it down"},
        "opencode": {"request": "write it down"},
    }

    for agent, said in expected.items():
        assert adapter(agent).answer(Event(EventKind.STOP, "Stop"), REQUEST) == said


def test_permission_is_given_only_in_claude_code() -> None:
    events = {
        agent: [adapter(agent).read(payload, name) for name, payload in recorded(agent)]
        for agent in AGENTS
        if agent != "cursor"
    }

    takes = [
        agent
        for agent, found in events.items()
        if any(event and event.takes_permission for event in found)
    ]

    assert takes == ["claude-code"]


def test_the_recorded_end_of_a_run_can_be_asked_but_not_twice() -> None:
    def stops(agent: str, **more: Any) -> list[bool]:
        read = adapter(agent).read
        found = [read({**payload, **more}, name) for name, payload in recorded(agent)]
        return [event.can_be_asked for event in found if event and event.kind == EventKind.STOP]

    asked = {agent: stops(agent) for agent in AGENTS if agent != "cursor"}
    again = {agent: stops(agent, stop_hook_active=True) for agent in asked}

    assert [agent for agent, found in asked.items() if not any(found)] == ["cline"]
    # Qwen Code calls every stop one that a hook has made.
    assert [agent for agent, found in again.items() if any(found)] == ["qwen"]


def test_the_hook_of_claude_code_asks_and_then_lets_it_end(tmp_path: Path) -> None:
    hook = Hook(tmp_path / "home", HARDWON_HOOKS_ASK="true")
    common = {"session_id": "s", "cwd": str(tmp_path)}

    def tell(name: str, **fields: Any) -> Any:
        outcome = hook("claude-code", {"hook_event_name": name, **common, **fields})
        assert outcome.log == []
        return json.loads(outcome.out or "{}")

    tell("UserPromptSubmit", prompt="Refund order 10482")
    for number in range(3):
        call = {"tool_name": "Bash", "tool_input": {"command": f"ops call refunds.{number}"}}
        tell("PostToolUse", **call, tool_response={"stdout": "ok"})
    other_hook = tell("Stop", stop_hook_active=True, last_assistant_message="done")
    asked = tell("Stop", stop_hook_active=False, last_assistant_message="done")
    ended = tell("Stop", stop_hook_active=True, last_assistant_message="done")

    assert other_hook == {}
    assert asked["decision"] == "block"
    assert "playbook add --home" in asked["reason"]
    assert ended == {}
