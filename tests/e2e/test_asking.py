"""The real agents are asked before they end, and the next run begins with what they wrote."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hardwon.surfaces.hooks.agents import CAN_BE_ASKED
from tests.e2e.agents import AGENTS, Driven, Lab
from tests.e2e.scripted import Move, ScriptedModel, scripted

pytestmark = pytest.mark.e2e

PROMPT = "Make the folder for the nightly report"
REQUEST = "hardwon asks, once in a session"
ITEM = {
    "sort": "pitfall",
    "when": "making a folder in another one",
    "wrong": "`mkdir` fails where the outer folder is missing.",
    "do": "Make both at once: `mkdir -p out/nightly`.",
}
# `opencode run` ends when the session is idle; only its terminal can be asked.
ASKED = [agent for agent in AGENTS if agent.name in CAN_BE_ASKED - {"opencode"}]


class _Writer:
    """Plays the moves, and writes its item down when it is asked."""

    def __init__(self, model: ScriptedModel, agent: Driven) -> None:
        self._play = model.move
        self._agent = agent

    def __call__(self, turn: int, request: dict[str, Any]) -> Move:
        asked = next((text for text in _texts(request) if REQUEST in text), "")
        if not asked or not request.get("tools"):
            return self._play(turn, request)
        if any(ITEM["when"] in text for text in _texts(request)):
            return "The folder is there."
        head = next(line for line in asked.splitlines() if line.endswith("<<'END'"))
        return self._agent.shell(f"{head}\n{json.dumps(ITEM)}\nEND")


def _texts(value: Any) -> Iterator[str]:
    """Every text in a request, however deep."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _texts(part)


@pytest.mark.parametrize("agent", ASKED, ids=lambda agent: agent.name)
def test_an_agent_writes_its_playbook_and_the_next_run_begins_with_it(
    agent: Driven, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lab = Lab(tmp_path)
    lab.hardwon("install", agent.name, "--yes", "--read", "ask")
    commands = ("mkdir out/nightly", "mkdir -p out/nightly", "ls out")
    moves: list[Move] = [*map(agent.shell, commands), "done"]

    with scripted(moves) as model:
        monkeypatch.setattr(model, "move", _Writer(model, agent))
        agent.run(lab, model, PROMPT)
    written = lab.hardwon("playbook", "--markdown")
    with scripted(["done"]) as later:
        agent.run(lab, later, PROMPT)

    assert model.seen(REQUEST)
    assert "- When making a folder in another one: " in written
    assert later.seen("Make both at once")
    assert not later.seen(REQUEST)
    assert not (lab.store / "hook.log").exists()
