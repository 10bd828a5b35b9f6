"""Verifiers that name their kind; a person who reviews."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

import hardwon
from hardwon.core.errors import InvalidInput
from tests.learn.trials.commanded import HARDWON, Capture, out
from tests.learn.trials.looped import TASK


@pytest.mark.parametrize(
    ("check", "kind", "omega"),
    [
        ("integration:false", "integration_tests", 3),
        ("integration_tests: false", "integration_tests", 3),
        ("unit:false", "unit_tests", 1),
        ("lint: echo 'a:b'; false", "lint", 1),
        ("false # a:b", "heuristic", 3),
    ],
)
def test_a_verifier_names_its_kind_and_so_the_window(
    coder: hardwon.Agent, check: str, kind: str, omega: int
) -> None:
    done = coder.loops.run(TASK, actor=str, verify=(check,), max_trials=5, patience=0, repeats=0)

    last = coder.loops.reflections(done.loop_id)[-1]
    assert last.evaluator_output.verification_type == kind
    assert last.memory_metadata.omega_capacity == omega
    assert last.memory_metadata.reflections_in_context == tuple(range(5))[-omega:]


def reviewed(place: Path, answers: str, *options: str) -> subprocess.CompletedProcess[str]:
    check = ("--verify", "manual:Is the title right?", "--id", "l", "--json", "--patience", "0")
    command = [*HARDWON, "run", "Write a title", "--actor", "cat > prompt", *check, *options]
    return subprocess.run(
        command, cwd=place, input=answers, capture_output=True, text=True, timeout=60, check=False
    )


def test_a_person_reviews_the_work(place: Path) -> None:
    done = reviewed(place, "it lacks a date\n\n")

    state = json.loads(done.stdout)
    assert [trial["reward"] for trial in state["trials"]] == [0.0, 1.0]
    assert "Is the title right?\nEnter accepts it" in done.stderr
    prompt = (place / "prompt").read_text()
    assert "- review: it lacks a date" in prompt
    assert "- a person: Is the title right?" in prompt


def test_a_manual_review_keeps_five_reflections(place: Path, capsys: Capture) -> None:
    answers = "".join(f"wrong in way {word}\n" for word in ("a", "b", "c", "d", "e", "f"))

    assert reviewed(place, answers, "--max-trials", "6").returncode == 1

    last = json.loads(out(capsys, "export", "l"))[-1]
    assert last["evaluator_output"]["verification_type"] == "manual_review"
    assert last["memory_metadata"]["reflections_in_context"] == [1, 2, 3, 4, 5]


def test_a_loop_that_nobody_reviews_can_be_resumed(place: Path, capsys: Capture) -> None:
    stopped = reviewed(place, "")

    assert stopped.returncode == 2
    assert "nobody answered the review" in stopped.stderr
    resumed = subprocess.run(
        [*HARDWON, "resume", "l", "--json"], cwd=place, input="yes\n", capture_output=True,
        text=True, timeout=60, check=True,
    )  # fmt: skip
    assert json.loads(resumed.stdout)["status"] == "succeeded"


def test_a_kind_without_a_command_is_refused(coder: hardwon.Agent) -> None:
    with pytest.raises(InvalidInput, match="a verifier is empty"):
        coder.loops.run(TASK, actor=str, verify=("integration:",))
