"""A failing command in one run, its lesson in the next: with the real agents."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.agents import AGENTS, Driven, Lab
from tests.e2e.scripted import Call, Move, scripted

pytestmark = pytest.mark.e2e

PROMPT = "Make the folder for the nightly report"
FAILING = "mkdir out/nightly"
WORKING = "mkdir -p out/nightly"
TURN, ACTION, ERROR = "[KNOWN PITFALLS", "[PITFALL OF THIS CALL", "[SAME FAILURE]"


@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: agent.name)
def test_a_failure_of_run_one_is_known_in_run_two_at_every_door(
    agent: Driven, tmp_path: Path
) -> None:
    lab = Lab(tmp_path)
    lab.hardwon("install", agent.name, "--yes")
    fails, works = agent.shell(FAILING), agent.shell(WORKING)

    with scripted([fails, works, "done"]) as model:
        agent.run(lab, model, PROMPT)
        assert not model.seen(TURN)
    lab.hardwon("work", "--drain")
    (lab.project / "out" / "nightly").rmdir()
    (lab.project / "out").rmdir()
    with scripted([fails, works, "done"]) as model:
        agent.run(lab, model, PROMPT)

    assert WORKING in lab.hardwon("lesson", "list", "--project", str(lab.project))
    assert model.seen(TURN)
    assert model.seen(ERROR)
    assert bool(model.seen(ACTION)) == agent.has_action_door
    assert not (lab.store / "hook.log").exists()


def test_a_tool_of_opencode_that_throws_is_a_failure_as_well(tmp_path: Path) -> None:
    """It has no event of its own after the call; only the part of the message says so."""
    lab = Lab(tmp_path)
    (agent,) = [agent for agent in AGENTS if agent.name == "opencode"]
    lab.hardwon("install", "opencode", "--yes")
    reads = Call("read", {"filePath": str(lab.project / "report.txt")})
    moves: list[Move] = [reads, agent.shell("ls"), agent.shell("true"), "done"]

    for _ in range(2):
        with scripted(moves) as model:
            agent.run(lab, model, "Read the report")

    assert "report.txt" in lab.hardwon("lesson", "list", "--project", str(lab.project))
    assert model.seen(ERROR)
    assert not (lab.store / "hook.log").exists()
