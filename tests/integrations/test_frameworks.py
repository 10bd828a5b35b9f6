"""Every example, as it is printed, in the real framework against a scripted model."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import hardwon
from tests.e2e.scripted import Call, Move, ScriptedModel, scripted
from tests.integrations.environments import PACKAGES, python_with

ROOT = Path(__file__).parents[2]
FAILING, WORKING = "mkdir out/nightly", "mkdir -p out/nightly"
ASYNC = str(Path(__file__).parent / "langchain_async.py")
START = "earlier runs of this project"


@pytest.mark.adapters
@pytest.mark.parametrize("script", [*(f"{name}_agent.py" for name in PACKAGES), ASYNC])
def test_a_failure_of_run_one_is_prevented_in_run_three(script: str, tmp_path: Path) -> None:
    framework = Path(script).stem.removesuffix("_agent").removesuffix("_async")
    python = python_with(framework)

    for number in range(3):
        with scripted(_moves(framework), is_text=framework == "dspy") as model:
            run(python, script, tmp_path, model)
        assert bool(number) == bool(model.seen(START))
        run(sys.executable, "-m hardwon work --drain", tmp_path, model)
        (tmp_path / "out" / "nightly").rmdir()
        (tmp_path / "out").rmdir()

    assert START in str(model.requests[0])
    assert _results(model.requests[-1]).count("`mkdir -p out/nightly`") == 1  # instead of the call
    with hardwon.open(tmp_path / "store") as hw:
        runs = hw.agent("coder").runs.list()
        assert [(ended.made, ended.failed) for ended in runs] == [(1, 0), (1, 0), (2, 1)]


def test_the_plain_example_learns(tmp_path: Path) -> None:
    model = ScriptedModel(9, [])
    first = run(sys.executable, "plain_agent.py", tmp_path, model)
    run(sys.executable, "-m hardwon work --drain", tmp_path, model)
    (tmp_path / "out" / "nightly").rmdir()
    (tmp_path / "out").rmdir()

    second = run(sys.executable, "plain_agent.py", tmp_path, model)

    assert "(nothing known yet)" in first
    assert START in second
    assert "$ mkdir -p out/nightly   ←" in second  # at the start
    assert "What worked: `mkdir -p out/nightly`" in second  # before the same call


def test_integrations_and_examples_stay_small() -> None:
    integrations = (ROOT / "src" / "hardwon" / "integrations").glob("*.py")
    examples = (ROOT / "examples").glob("*.py")

    assert max(len(path.read_text().splitlines()) for path in integrations) <= 300
    assert max(len(path.read_text().splitlines()) for path in examples) <= 30


def _results(request: dict[str, Any]) -> str:
    """What the model was told after its first call: everything behind the first message of it."""
    messages = request["messages"]
    said = [at for at, message in enumerate(messages) if message["role"] == "assistant"]
    return json.dumps(messages[said[0] if said else -1 :])


_ANSWER = "[[ ## reasoning ## ]]\nok\n[[ ## answer ## ]]\ndone\n[[ ## completed ## ]]"


def _in_text(tool: str, args: dict[str, str]) -> str:
    """A call in the words of DSPy, which asks for calls as fields of an answer."""
    fields = {"thought": "ok", "tool_name": tool, "tool_args": json.dumps(args)}
    parts = (f"[[ ## next_{name} ## ]]\n{value}\n" for name, value in fields.items())
    return "".join(parts) + "[[ ## completed ## ]]"


def _moves(framework: str) -> list[Move]:
    tool = "Bash" if framework == "claude_agent_sdk" else "bash"
    end: Move = "done"
    if framework == "dspy":
        calls: Any = (
            ("bash", {"command": FAILING}),
            ("bash", {"command": WORKING}),
            ("finish", {}),
        )
        return [*(_in_text(tool, args) for tool, args in calls), _ANSWER]
    if framework == "smolagents":
        end = Call("final_answer", {"answer": "done"})
    return [Call(tool, {"command": FAILING}), Call(tool, {"command": WORKING}), end]


def run(python: str, script: str, folder: Path, model: ScriptedModel) -> str:
    """The output of an example (or of a module) that must end well."""
    home = folder / "home"
    home.mkdir(exist_ok=True)
    if not script.startswith("-m"):
        script = str(ROOT / "examples" / script)
    ran = subprocess.run(
        [python, *script.split()],
        cwd=folder,
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "PYTHONPATH": f"{ROOT / 'src'}:{ROOT / 'examples'}",
            "HARDWON_HOME": str(folder / "store"),
            "HARDWON_MODEL_NAME": "rules",
            "OPENAI_API_KEY": "x",
            "OPENAI_BASE_URL": f"{model.url}/v1",
            "ANTHROPIC_BASE_URL": model.url,
            "ANTHROPIC_API_KEY": "x",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "IS_SANDBOX": "1",
            "CREWAI_DISABLE_TELEMETRY": "true",
            "CREWAI_TRACING_ENABLED": "false",
            "OTEL_SDK_DISABLED": "true",
        },
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert ran.returncode == 0, f"{script}: {ran.stdout[-3000:]}\n{ran.stderr[-3000:]}"
    return ran.stdout
