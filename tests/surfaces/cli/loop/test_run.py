"""`hardwon loop run`: trials by commands."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from hardwon.surfaces.cli import run
from tests.learn.trials.commanded import (
    ACTOR,
    CHECK,
    HARDWON,
    Capture,
    data,
    out,
    read_when_there,
    refused,
)

pytestmark = pytest.mark.usefixtures("place")


def test_a_run_tells_its_trials_and_ends_well(capsys: Capture) -> None:
    said = out(capsys, "run", "answer", "--actor", ACTOR, "--verify", CHECK)

    assert "trial 1: failed, reward 0.00" in said
    assert "error: want yes" in said
    assert "succeeded: all verifications passed in trial 2" in said


def test_a_run_tells_what_it_does_while_it_does_it(capsys: Capture) -> None:
    command = ["loop", "run", "answer", "--actor", ACTOR, "--verify", CHECK, "--max-trials", "3"]
    assert run(command) == 0
    doing = [line for line in capsys.readouterr().err.splitlines() if line.startswith("trial")]

    works, verifies = "the actor works …", "the verifiers run …"
    assert doing == [f"trial {at} of 3: {what}" for at in (1, 2) for what in (works, verifies)]
    assert run([*command, "--json"]) == 0
    assert "trial" not in capsys.readouterr().err


def test_a_run_that_fails_exits_with_one(capsys: Capture) -> None:
    said = out(capsys, "run", "answer", "--actor", "true", "--verify", CHECK, code=1)

    assert "failed: the same failure 3 times in a row" in said


def test_the_prompt_comes_as_a_file_or_as_an_argument(capsys: Capture, place: Path) -> None:
    for template in ("cat {prompt_file} > got", "printf %s {prompt} > got"):
        data(capsys, "run", "say 'hi' $HOME", "--actor", template, "--verify", "test -s got")
        assert (place / "got").read_text().startswith("say 'hi' $HOME")


def test_a_running_loop_is_aborted_from_outside(capsys: Capture, place: Path) -> None:
    arguments = ["run", "x", "--actor", "echo $$ > pid; exec sleep 60", "--verify", "true"]
    with subprocess.Popen(
        [*HARDWON, *arguments, "--id", "l"], cwd=place, stdout=subprocess.DEVNULL
    ) as running:
        pid = read_when_there(place / "pid")
        assert "aborted (aborted by request)" in out(capsys, "abort", "l")
        assert running.wait(30) == 1

    assert not Path(f"/proc/{pid}").exists()


@pytest.mark.parametrize(
    "wrong",
    [
        ["--actor-timeout", "soon"],
        ["--omega", "0"],
        ["--policy", "random"],
        ["--max-trials", "none"],
        ["--cwd", "/nonexistent"],
    ],
)
def test_wrong_use_exits_with_two(capsys: Capture, wrong: list[str]) -> None:
    refused(capsys, "run", "x", "--actor", "true", "--verify", "true", *wrong)


@pytest.mark.parametrize("command", [["run", "x", "--verify", "true"], ["resume", "some-loop"]])
def test_an_agent_that_is_not_installed_is_named_before_the_first_trial(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")

    assert run(["loop", *command, "--actor", "claude"]) == 1

    said = capsys.readouterr()
    assert "'claude' is not on the PATH; install it, or give --actor the command" in said.err
    assert "trial 1" not in said.err + said.out
