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


def test_of_the_calls_of_a_step_only_the_one_that_failed_counts_as_failed(
    monkeypatch: pytest.MonkeyPatch, agent: hardwon.Agent
) -> None:
    def execute(tool: str, arguments: str) -> str:
        if arguments == "make lint":
            raise OSError("no such target")
        return "done"

    names = {"ActionStep": object, "FinalAnswerStep": object}
    adapter = _adapter(monkeypatch, "smolagents", smolagents={}, smolagents__memory=names)
    callbacks = SimpleNamespace(register=lambda kind, call: None)
    smol = SimpleNamespace(execute_tool_call=execute, step_callbacks=callbacks, run=None)
    adapter.Lessons(agent).attach(smol)

    assert smol.execute_tool_call("sh", "make test") == "done"
    with pytest.raises(OSError, match="no such target"):
        smol.execute_tool_call("sh", "make lint")
    smol.execute_tool_call("final_answer", "done")

    assert _steps(agent) == [("make test", False), ("make lint", True)]


@pytest.fixture
def openai_agents(monkeypatch: pytest.MonkeyPatch) -> Any:
    names = {
        **dict.fromkeys(("RunConfig", "ToolGuardrailFunctionOutput"), SimpleNamespace),
        **dict.fromkeys(("FunctionTool", "RunHooks", "ToolInputGuardrail"), object),
        "function_tool": lambda function, **options: function,
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
