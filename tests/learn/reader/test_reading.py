"""A model reads an ended run once, and the next run begins with what it wrote."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import hardwon
from hardwon.models.scripted import Scripted

NOTHING: dict[str, Any] = {"add": [], "change": [], "confirm": [], "withdraw": []}
DENIED = "E403 refunds.draft: denied for profile desk"
DRAFT = "ops --profile finance call refunds.draft '{}'"
PROFILE = {
    "sort": "pitfall",
    "when": "opening a document with `ops`",
    "wrong": "The default profile is denied.",
    "do": "Put the profile first: `ops --profile finance call refunds.draft <json>`.",
    "steps": [2, 3],
}
Open = Callable[[Any], hardwon.Hardwon]


@pytest.fixture(params=["memory", "sqlite"])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Open:
    """Opens a hardwon with a model, in memory and on disk in turn."""
    target = "memory:" if request.param == "memory" else str(tmp_path / "home")
    return lambda model: hardwon.open(target, model=model)


def said(**changes: Any) -> str:
    return json.dumps({**NOTHING, **changes})


def work(
    hw: hardwon.Hardwon, *calls: tuple[str, str, bool], task: str = "Refund order 10482"
) -> Any:
    """One run of the agent: (command, output, failed) each; the job of its end."""
    agent = hw.agent("coder", project="shop")
    agent.before_turn(task)
    for command, output, failed in calls:
        agent.after_action("Bash", {"command": command}, output=output, failed=failed)
    return agent.end_run()


REFUND = (
    ("ops tools", "refunds.draft  Open a refund document", False),
    ("ops call refunds.draft '{}'", DENIED, True),
    (DRAFT, "D1", False),
)


def start(hw: hardwon.Hardwon) -> str:
    return hw.agent("coder", project="shop").start().text


def test_the_next_run_begins_with_what_the_model_read(opened: Open) -> None:
    model = Scripted([said(add=[PROFILE])])
    with opened(model) as hw:
        job = work(hw, *REFUND)
        hw.drain()

        assert job.trigger == "run"
        assert start(hw) == (
            "What earlier work in this project taught:\n"
            "- When opening a document with `ops`: The default profile is denied. Put the profile"
            " first: `ops --profile finance call refunds.draft <json>`."
        )
    assert len(model.requests) == 1
    assert "(empty)" in model.requests[0].prompt
    assert DENIED in model.requests[0].prompt


def test_an_item_is_found_at_the_failure_that_it_is_about(opened: Open) -> None:
    with opened(Scripted([said(add=[PROFILE])])) as hw:
        work(hw, *REFUND)
        hw.drain()

        agent = hw.agent("coder", project="shop")
        shown = agent.after_action(
            "Bash", {"command": "ops call refunds.draft '{}'"}, output=DENIED, failed=True
        )

        assert "ops --profile finance" in shown.text
