"""The real agents are asked before they end, and the next run begins with what they wrote."""

from __future__ import annotations

import html
import json
from pathlib import Path
from typing import Any

import pytest

from hardwon.surfaces.hooks.agents import CAN_BE_ASKED
from tests.e2e.agents import AGENTS, Driven, Lab, claude_environ, program
from tests.e2e.scripted import Call, Move, ScriptedModel, results, scripted, texts

pytestmark = pytest.mark.e2e

PROMPT = "Make the folder for the nightly report"
REQUEST = "hardwon asks, once in a session"
ITEM = {
    "sort": "pitfall",
    "when": "making a folder in another one",
    "wrong": "`mkdir` fails where the outer folder is missing.",
    "do": "Make both at once: `mkdir -p out/nightly`.",
}
COMMANDS = ("mkdir out/nightly", "mkdir -p out/nightly", "ls out")
# `opencode run` ends when the session is idle; only its terminal can be asked.
ASKED = [agent for agent in AGENTS if agent.name in CAN_BE_ASKED - {"opencode"}]


class _Writer:
    """Plays the moves, and writes its item down when it is asked; says it if that is refused."""

    def __init__(self, model: ScriptedModel, agent: Driven) -> None:
        self._play = model.move
        self._agent = agent
        self._tried = False

    def __call__(self, turn: int, request: dict[str, Any]) -> Move:
        asked = next((text for text in texts(request) if REQUEST in text), "")
        if not asked or not request.get("tools"):
            return self._play(turn, request)
        if not self._tried:
            self._tried = True
            return self._agent.shell(written(asked))
        if any("Added #" in text for text in results(request)):
            return "The folder is there."
        return f"{json.dumps(ITEM)}\nThe folder is there."


def was_asked_once(model: ScriptedModel) -> bool:
    """Whether one request came in, and none after it; Claude Code shows it twice at once."""
    counts = [sum(REQUEST in text for text in texts(request)) for request in model.requests]
    return len(set(counts) - {0}) == 1


def written(asked: str) -> str:
    """The command that the request wants, with one item. Codex sends the request as XML."""
    lines = html.unescape(asked).splitlines()
    head = next(line for line in lines if line.endswith("<<'END'"))
    return f"{head}\n{json.dumps(ITEM)}\nEND"


@pytest.mark.parametrize("agent", ASKED, ids=lambda agent: agent.name)
def test_an_agent_writes_its_playbook_and_the_next_run_begins_with_it(
    agent: Driven, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lab = Lab(tmp_path)
    lab.hardwon("install", agent.name, "--yes", "--read", "ask")
    moves: list[Move] = [*map(agent.shell, COMMANDS), "done"]

    with scripted(moves) as model:
        monkeypatch.setattr(model, "move", _Writer(model, agent))
        agent.run(lab, model, PROMPT)
    playbook = lab.hardwon("playbook", "--markdown")
    with scripted(["done"]) as later:
        agent.run(lab, later, PROMPT)

    assert was_asked_once(model)
    assert "- When making a folder in another one: " in playbook
    assert later.seen("Make both at once")
    assert not later.seen(REQUEST)  # it only answered a question
    assert not (lab.store / "hook.log").exists()


@pytest.mark.parametrize("agent", ASKED, ids=lambda agent: agent.name)
def test_an_agent_that_has_nothing_to_write_ends_all_the_same(
    agent: Driven, tmp_path: Path
) -> None:
    lab = Lab(tmp_path)
    lab.hardwon("install", agent.name, "--yes", "--read", "ask")

    with scripted([*map(agent.shell, COMMANDS), "done"]) as model:
        agent.run(lab, model, PROMPT)

    assert was_asked_once(model)
    assert lab.hardwon("playbook", "--markdown").strip() == ""


def test_claude_code_runs_exactly_what_was_asked_for_without_permission(tmp_path: Path) -> None:
    """Without a person a call that needs permission is refused; so are those that ride on ours."""
    lab = Lab(tmp_path)
    lab.hardwon("install", "claude-code", "--yes", "--read", "ask")
    (lab.project / "hardwon").write_text("#!/bin/sh\ntouch ridden\n")
    (lab.project / "hardwon").chmod(0o755)
    moves: list[Any] = [
        *COMMANDS,
        "",  # the work is done; now it is asked
        lambda asked: f"{written(asked)} && touch ridden",
        lambda asked: f"{written(asked)}\ntouch ridden",
        lambda asked: written(asked).replace("<<'END'", "$(touch ridden) <<'END'"),
        lambda asked: written(asked).replace("<<'END'", "<<END").replace("`", "`touch ridden`"),
        lambda asked: f"./hardwon {written(asked).partition(' ')[2]}",
        lambda asked: f"PATH=. hardwon {written(asked).partition(' ')[2]}",
        written,
    ]

    def move(turn: int, request: dict[str, Any]) -> Move:
        if not request.get("tools") or turn >= len(moves) or not moves[turn]:
            return "The folder is there."
        asked = next((text for text in texts(request) if REQUEST in text), "")
        command = moves[turn] if isinstance(moves[turn], str) else moves[turn](asked)
        return Call("Bash", {"command": command, "description": "x"})

    with scripted([]) as model:
        model.move = move  # type: ignore[method-assign]
        options = ["--model", "claude-sonnet-4-5", "--permission-mode", "default"]
        allowed = ["--allowedTools", "Bash(mkdir:*)", "Bash(ls:*)"]
        command = [program("claude"), "-p", PROMPT, *options, *allowed]
        lab.run(command, claude_environ(model))

    said = list(results(model.requests[-1]))
    assert sum("Added #" in text for text in said) == 1
    assert not (lab.project / "ridden").exists()
