"""`hardwon.wrap`: plain loops over the real clients of providers, against a scripted server."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import hardwon
from hardwon.core.errors import InvalidInput
from tests.e2e.scripted import Call, Move, scripted
from tests.integrations.environments import python_with

ROOT = Path(__file__).parents[2]
LOOP = Path(__file__).parent / "wrapped_loop.py"
FAILING, WORKING = "mkdir out/nightly", "mkdir -p out/nightly"
MOVES: list[Move] = [Call("bash", {"command": FAILING}), Call("bash", {"command": WORKING}), "done"]
START = "earlier runs of this project"


def _run(command: list[str], folder: Path, **environ: str) -> str:
    ran = subprocess.run(
        command,
        cwd=folder,
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "PYTHONPATH": str(ROOT / "src"),
            "HARDWON_HOME": str(folder / "store"),
            **environ,
        },
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert ran.returncode == 0, f"{ran.stdout[-2000:]}\n{ran.stderr[-4000:]}"
    assert "hardwon" not in ran.stderr, ran.stderr
    return ran.stdout


@pytest.mark.adapters
@pytest.mark.parametrize("loop", ["chat", "achat", "responses", "messages", "amessages"])
def test_a_failure_of_run_one_is_prevented_in_run_three(loop: str, tmp_path: Path) -> None:
    ran = []
    for _ in range(3):
        with scripted(MOVES) as model:
            script = [python_with("sdks"), str(LOOP), loop, model.url]
            ran.append(_run(script, tmp_path, HARDWON_MODEL_NAME="rules").splitlines())
        drain = [sys.executable, "-m", "hardwon", "work", "--drain"]
        _run(drain, tmp_path, HARDWON_MODEL_NAME="rules")
        (tmp_path / "out" / "nightly").rmdir()
        (tmp_path / "out").rmdir()

    assert ran[0] == [FAILING, WORKING]
    assert START in str(model.requests[0])
    assert model.seen(START) == len(model.requests)  # the same start in every request of a run
    if loop != "amessages":  # a stream reaches the caller before hardwon can answer
        assert FAILING not in ran[2]
        assert WORKING in ran[2]


@pytest.mark.adapters
@pytest.mark.parametrize("loop", ["chat", "achat", "messages"])
def test_the_same_client_reads_ended_runs(loop: str, tmp_path: Path) -> None:
    with scripted([Call("bash", {"command": "true"}), *MOVES]) as model:
        _run([python_with("sdks"), str(LOOP), loop, model.url, "read"], tmp_path)

    readings = [request for request in model.requests if not request.get("tools")]
    assert readings
    assert FAILING in str(readings[0])


def test_a_stranger_is_no_client() -> None:
    with pytest.raises(InvalidInput, match="openai or anthropic"):
        hardwon.wrap(object())
