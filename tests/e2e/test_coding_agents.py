"""A failing command in one run, its lesson in the next: with the real agents."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.e2e.agents import AGENTS, Driven, Lab
from tests.e2e.scripted import Call, Move, scripted

pytestmark = pytest.mark.e2e

PROMPT = "Make the folder for the nightly report"
FAILING = "mkdir out/nightly"
WORKING = "mkdir -p out/nightly"
START, ACTION = "earlier runs of this project", "[PITFALL OF THIS CALL"


@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: agent.name)
def test_a_failure_of_one_session_is_told_at_the_start_and_denied_in_the_next(
    agent: Driven, tmp_path: Path
) -> None:
    """The scripted model makes the failing call all the same; it is not carried out again."""
    lab = Lab(tmp_path)
    lab.hardwon("install", agent.name, "--yes")
    fails, works = agent.shell(FAILING), agent.shell(WORKING)
    seen: list[tuple[bool, bool, bool]] = []

    for _ in range(3):
        with scripted([fails, works, "done"]) as model:
            agent.run(lab, model, PROMPT)
        lab.hardwon("work", "--drain")
        (lab.project / "out" / "nightly").rmdir()
        (lab.project / "out").rmdir()
        failed = model.seen("directory 'out") or model.seen("directory ‘out")
        seen.append((bool(model.seen(START)), bool(model.seen(ACTION)), bool(failed)))

    assert "`mkdir -p out/nightly`" in lab.hardwon("lesson", "list", "--project", str(lab.project))
    assert seen[0] == (False, False, True)
    assert seen[1:] == [(True, True, False)] * 2
    assert not (lab.store / "hook.log").exists()


def test_a_tool_of_opencode_that_throws_is_a_failure_as_well(tmp_path: Path) -> None:
    """It has no event of its own after the call; only the part of the message says so."""
    lab = Lab(tmp_path)
    (agent,) = [agent for agent in AGENTS if agent.name == "opencode"]
    lab.hardwon("install", "opencode", "--yes")
    reads = Call("read", {"filePath": str(lab.project / "report.txt")})
    moves: list[Move] = [reads, agent.shell("ls"), agent.shell("true"), "done"]

    with scripted(moves) as model:
        agent.run(lab, model, "Read the report")

    assert "read" in lab.hardwon("lesson", "list", "--open", "--project", str(lab.project))
    assert not (lab.store / "hook.log").exists()


def test_cline_takes_two_commands_as_two_calls_and_a_guard_as_a_denial(tmp_path: Path) -> None:
    lab = Lab(tmp_path)
    (agent,) = [agent for agent in AGENTS if agent.name == "cline"]
    lab.hardwon("install", "cline", "--yes")
    both = Call("run_commands", {"commands": [WORKING, "cat out/none.txt"]})
    with scripted([agent.shell(FAILING), both, "done"]) as model:
        agent.run(lab, model, PROMPT)
    learnt = lab.hardwon("lesson", "list", "--project", str(lab.project))
    (lab.project / "out" / "nightly").rmdir()

    kept = json.loads(lab.hardwon("reflect", "--project", ".", "--json", "Never remove out"))
    lab.hardwon("lesson", "guard", str(kept["id"]), "--call", "rmdir out*")
    with scripted([agent.shell("rmdir out"), "done"]) as model:
        agent.run(lab, model, "Tidy up")

    assert "`mkdir -p out/nightly`" in learnt
    assert "cat: <name>: No such" in lab.hardwon("lesson", "list", "--open", "--project", ".")
    assert model.seen("Never remove out")
    assert (lab.project / "out").is_dir()
    assert not (lab.store / "hook.log").exists()
