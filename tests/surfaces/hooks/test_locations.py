"""Where each coding agent looks for its hooks, at home and in a project."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hardwon.surfaces.hooks.agents import AGENTS
from hardwon.surfaces.hooks.installer import PROJECT, USER, Target, target


def call(name: str) -> dict[str, Any]:
    return {"type": "command", "command": f"hardwon hook {name}".strip()}


def found(agent: str, level: str, **environ: str) -> Target:
    return target(agent, level, call, folder="/work/app", environ={"HOME": "/home/dev", **environ})


@pytest.mark.parametrize(
    ("agent", "user", "project"),
    [
        ("claude-code", ".claude/settings.json", ".claude/settings.json"),
        ("codex", ".codex/hooks.json", ".codex/hooks.json"),
        ("gemini", ".gemini/settings.json", ".gemini/settings.json"),
        ("copilot", ".copilot/hooks/hardwon.json", ".github/hooks/hardwon.json"),
        ("opencode", ".config/opencode/plugin/hardwon.js", ".opencode/plugin/hardwon.js"),
        ("cursor", ".cursor/hooks.json", ".cursor/hooks.json"),
    ],
)
def test_each_agent_has_its_file(agent: str, user: str, project: str) -> None:
    assert found(agent, USER).path == f"/home/dev/{user}"
    assert found(agent, PROJECT).path == f"/work/app/{project}"


def test_an_agent_may_be_told_of_another_folder() -> None:
    assert found("codex", USER, CODEX_HOME="/etc/codex").path == "/etc/codex/hooks.json"
    assert found("codex", PROJECT, CODEX_HOME="/etc/codex").path.startswith("/work/app/")
    assert found("gemini", USER, CODEX_HOME="/etc/codex").path.startswith("/home/dev/")


def test_without_a_home_in_the_environment_it_is_the_users(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/kim")

    assert target("codex", USER, call, environ={}).path == "/home/kim/.codex/hooks.json"


def test_events_that_are_not_worth_a_process_have_no_hook() -> None:
    names = {event for event, _ in found("claude-code", USER).entries}

    assert "PostToolUseFailure" in names
    assert names.isdisjoint({"PostToolBatch", "PreCompact"})
    assert "PostToolUseFailure" not in {event for event, _ in found("codex", USER).entries}


def test_each_agent_is_told_how_long_to_wait_in_its_own_unit() -> None:
    def hook(agent: str) -> Any:
        return found(agent, USER).entries[0][1]["hooks"][0]

    seconds = hook("claude-code")["timeout"]
    assert hook("gemini")["timeout"] == 1000 * seconds
    own = json.loads(found("copilot", USER).whole)
    assert own["hooks"]["preToolUse"][0] == {
        "type": "command",
        "bash": "hardwon hook preToolUse",
        "timeoutSec": seconds,
    }


def test_the_plugin_of_opencode_has_the_command_in_it() -> None:
    whole = found("opencode", USER).whole

    assert '"hardwon hook"' in whole
    assert "@COMMAND@" not in whole


def test_codex_and_cursor_come_with_advice_and_only_cursor_with_a_version() -> None:
    assert [agent for agent in AGENTS if found(agent, USER).file.advice] == ["codex", "cursor"]
    assert [agent for agent in AGENTS if found(agent, USER).file.defaults] == ["cursor"]
    assert Path(found("cursor", USER).path).name == "hooks.json"
