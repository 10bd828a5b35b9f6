"""The action for CI: its steps as plain shell, in a folder as a runner has it."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.learn.traces.sent import request, root_span, tool_span
from tests.learn.transcripts.transcripts import Claude

ROOT = Path(__file__).parents[1]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text())
ERROR = "kiosk: error: not logged in, run `kiosk login --store north` first"
CURE = "kiosk login --store north"


class Job:
    """A job of CI: its folders, its variables and its files."""

    def __init__(self, folder: Path) -> None:
        for name in ("checkout", "temp", "home", "bin"):
            (folder / name).mkdir()
        self.checkout, self.home, self._folder = folder / "checkout", folder / "home", folder
        self._files = {
            "GITHUB_OUTPUT": folder / "output",
            "GITHUB_STEP_SUMMARY": folder / "summary",
        }

    @property
    def comment(self) -> str:
        """What would be said on the pull request."""
        line = self._files["GITHUB_OUTPUT"].read_text().strip()
        return Path(line.removeprefix("comment=")).read_text()

    def program(self, name: str, script: str) -> None:
        path = self._folder / "bin" / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    def step(self, number: int, **given: str) -> str:
        """What a step prints, with the inputs' defaults; every step must succeed."""
        step = ACTION["runs"]["steps"][number]
        own = {name: "" if "${{" in text else text for name, text in step["env"].items()}
        env = own | {
            "PATH": f"{self._folder / 'bin'}:/usr/bin:/bin",
            "HOME": str(self.home),
            "RUNNER_TEMP": str(self._folder / "temp"),
            "GITHUB_ACTION_PATH": str(ROOT),
            "GITHUB_REPOSITORY": "acme/api",
            "SINCE": ACTION["inputs"]["since"]["default"],
            **{name: str(path) for name, path in self._files.items()},
            **given,
        }
        command = [step["shell"], "-e", "-c", step["run"]]  # as a runner calls it
        done = subprocess.run(command, cwd=self.checkout, env=env, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout


@pytest.fixture
def job(tmp_path: Path) -> Job:
    made = Job(tmp_path)
    hardwon = f"{sys.executable} -m hardwon"
    made.program("hardwon", f'PYTHONPATH={ROOT / "src"} exec {hardwon} "$@"')
    return made


def agent_runs(job: Job) -> None:
    """A coding agent works in the checkout; its session stays in the home."""
    talk = Claude(cwd=str(job.checkout)).says("count the stock")
    talk.act("Bash", {"command": "kiosk stock"}, f"Exit code 1\n{ERROR}", failed=True)
    talk.act("Bash", {"command": CURE}, "ok", failed=False)
    talk.act("Bash", {"command": "kiosk stock"}, "pears 12", failed=False)
    talk.write(job.home)


def test_what_an_agent_met_becomes_a_comment(job: Job) -> None:
    agent_runs(job)
    os.utime(next(job.home.rglob("*.jsonl")))

    job.step(0, SINCE="3650d")

    assert "not logged in" in job.comment
    assert CURE in job.comment
    job.program("gh", f'printf "%s " "$@" > {shlex.quote(str(job.home / "said"))}')
    comment = str(job.home.parent / "temp" / "hardwon-comment.md")
    job.step(1, COMMENT=comment, NUMBER="7")
    said = (job.home / "said").read_text()
    assert said == f"pr comment 7 --repo acme/api --body-file {comment} "


def test_traces_are_learnt_from_too(job: Job) -> None:
    spans = [
        root_span(1, "count the stock"),
        tool_span(1, 2, {"command": "kiosk stock"}, ERROR, failed=True, at=1001.0),
        tool_span(1, 3, {"command": CURE}, "ok", at=1002.0),
        tool_span(1, 4, {"command": "kiosk stock"}, "pears 12", at=1003.0),
    ]
    (job.checkout / "traces.jsonl").write_bytes(request(spans) + b"\n")

    job.step(0, TRACES="traces.jsonl", SINCE="36500d")

    assert CURE in job.comment


def test_it_fails_no_job(job: Job) -> None:
    """Nothing to learn, files that are none, a program that breaks, no right to comment."""
    assert "::warning" not in job.step(0)
    assert job.comment == ""
    assert "::warning" in job.step(0, TRACES="none.jsonl")
    job.program("gh", "exit 1")
    Path(job.home / "text").write_text("words")
    assert "::warning" in job.step(1, COMMENT=str(job.home / "text"), NUMBER="7")
    job.program("hardwon", "exit 3")
    assert "::warning" in job.step(0, SESSIONS="s.jsonl")
    (job.home.parent / "bin" / "hardwon").unlink()
    job.program("python3", "exit 1")
    assert "could not be installed" in job.step(0)


def test_every_input_and_output_is_used() -> None:
    text = json.dumps(ACTION["runs"])

    assert [name for name in ACTION["inputs"] if f"inputs.{name}" not in text] == []
    assert "${{" not in "".join(step["run"] for step in ACTION["runs"]["steps"])  # no injection
