"""The best work is put back."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.learn.trials.commanded import Capture, data, refused

pytestmark = pytest.mark.usefixtures("place")


def test_the_loops_own_files_inside_the_work_tree_are_not_the_actors_work(
    capsys: Capture, place: Path
) -> None:
    subprocess.run(["git", "init", "-q"], cwd=place, check=True)
    home = str(place / ".hardwon")
    data(capsys, "run", "x", "--actor", "touch made", "--verify", "false", "--max-trials", "1",
         "--id", "l", "--home", home, code=1)  # fmt: skip

    record = data(capsys, "show", "l", "--home", home)["reflections"][0]

    assert record["actor_output"]["files_modified"] == ["made"]


def test_restoring_without_git_says_why_not(capsys: Capture) -> None:
    said = refused(capsys, "run", "x", "--actor", "true", "--verify", "false", "--max-trials", "1",
                   "--restore-best")  # fmt: skip

    assert "did not run in a git work tree" in said
