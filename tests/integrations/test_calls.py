"""Which calls an adapter records, with a stand-in for the framework."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

import hardwon


@pytest.fixture
def agent(tmp_path: Path) -> Iterator[hardwon.Agent]:
    with hardwon.open(tmp_path / "home") as hw:
        yield hw.agent("coder")


def _adapter(monkeypatch: pytest.MonkeyPatch, name: str, **modules: dict[str, Any]) -> Any:
    """The adapter, with these modules of its framework."""
    for module, names in modules.items():
        stand_in = ModuleType(module.replace("__", "."))
        vars(stand_in).update(names)
        monkeypatch.setitem(sys.modules, stand_in.__name__, stand_in)
    monkeypatch.delitem(sys.modules, f"hardwon.integrations.{name}", raising=False)
    return import_module(f"hardwon.integrations.{name}")


def _steps(agent: hardwon.Agent) -> list[tuple[str, bool]]:
    """The calls of the run that ends now, and whether they failed."""
    agent.after_run(task="build it", error="it did not work")
    runs = [agent.runs.get(run.id) for run in agent.runs.list()]
    return [(step.args, step.failed) for run in runs for step in run.steps]


def _step(error: str | None, *calls: tuple[str, str], observations: str = "") -> SimpleNamespace:
    made = [SimpleNamespace(function=SimpleNamespace(name=n, arguments=a)) for n, a in calls]
    message = SimpleNamespace(tool_calls=made)
    return SimpleNamespace(
        error=error, tool_calls=None, model_output_message=message, observations=observations
    )


@pytest.fixture
def smolagents(monkeypatch: pytest.MonkeyPatch) -> Any:
    names = {"ActionStep": object, "FinalAnswerStep": object}
    return _adapter(monkeypatch, "smolagents", smolagents={}, smolagents__memory=names)


@pytest.mark.parametrize(
    ("error", "failed"),
    [
        ("Error executing tool 'sh' with arguments make lint: OSError: gone", ["make lint"]),
        ("Unknown tool fetch, should be one of: sh.", ["http://x"]),
        ("Error executing tool 'fetch' with arguments (other): OSError: gone", ["http://x"]),
        ("Error executing tool 'sh' with arguments (other): OSError: gone", []),
        ("the arguments are not valid", []),
    ],
)
def test_of_the_calls_of_a_step_only_the_one_that_failed_counts_as_failed(
    smolagents: Any, agent: hardwon.Agent, error: str, failed: list[str]
) -> None:
    calls = ("sh", "make test"), ("sh", "make lint"), ("fetch", "http://x")
    smolagents.Lessons(agent).on_step(_step(error, *calls))

    assert _steps(agent) == [(call, True) for call in failed]


def test_a_step_of_one_call_fails_with_it_whatever_its_error_says(
    smolagents: Any, agent: hardwon.Agent
) -> None:
    lessons = smolagents.Lessons(agent)
    lessons.on_step(_step("the arguments are not valid", ("sh", "make lint")))
    lessons.on_step(_step(None, ("sh", "make test"), ("final_answer", "done"), observations="ok"))

    assert _steps(agent) == [("make lint", True), ("make test", False)]


@pytest.fixture
def openai_agents(monkeypatch: pytest.MonkeyPatch) -> Any:
    names = {
        "RunConfig": SimpleNamespace,
        "RunHooks": object,
        "default_tool_error_function": lambda ctx, error: str(error),
    }
    run = {"ModelInputData": SimpleNamespace}
    return _adapter(monkeypatch, "openai_agents", agents=names, agents__run=run)


@pytest.mark.parametrize("has_id", [True, False])
def test_a_call_that_works_after_one_that_failed_counts_as_worked(
    openai_agents: Any, agent: hardwon.Agent, has_id: bool
) -> None:
    lessons, tool = openai_agents.Lessons(agent), SimpleNamespace(name="sh")

    def made(number: int, command: str) -> SimpleNamespace:
        identity = {"tool_call_id": str(number)} if has_id else {}
        return SimpleNamespace(tool_name="sh", tool_arguments=command, **identity)

    lessons.on_tool_error(made(1, "make lint"), OSError("no such target"))
    for number, command in enumerate(("make lint", "make test", "make lint"), 1):
        asyncio.run(lessons.on_tool_end(made(number, command), None, tool, "said"))

    assert _steps(agent) == [("make lint", True), ("make test", False), ("make lint", False)]
