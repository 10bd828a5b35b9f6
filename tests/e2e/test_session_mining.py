"""The transcripts that the real agents write today are read and mined."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hardwon.learn.transcripts import catalog
from tests.e2e.agents import AGENTS, Driven, Lab
from tests.e2e.scripted import scripted

pytestmark = pytest.mark.e2e

MINED = [agent for agent in AGENTS if agent.name.split("-")[0] in catalog.AGENTS]
PROMPT = "Make the folder for the nightly report"
FAILING, WORKING = "mkdir out/nightly", "mkdir -p out/nightly"


@pytest.mark.parametrize("agent", MINED, ids=lambda agent: agent.name)
def test_a_real_transcript_yields_the_fix_it_holds(agent: Driven, tmp_path: Path) -> None:
    lab = Lab(tmp_path)
    with scripted([agent.shell(FAILING), agent.shell(WORKING), "done"]) as model:
        agent.run(lab, model, PROMPT)

    (listed,) = json.loads(lab.hardwon("session", "list", "--json"))
    told = json.loads(lab.hardwon("session", "mine", listed["place"]["id"], "--auto", "--json"))

    assert (listed["turns"], listed["steps"], listed["failures"]) == (1, 2, 1)
    assert PROMPT in listed["prompt"]
    assert not [note for note in told["notes"] if "odd" in note]
    assert len(told["report"]["lessons"]) == 1
    assert "`mkdir -p out/nightly`" in lab.hardwon("lesson", "list", "--project", str(lab.project))
