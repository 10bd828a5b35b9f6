"""`hardwon run`: the runs that ended."""

from __future__ import annotations

from pathlib import Path

import pytest

import hardwon
from hardwon.surfaces.cli import run
from tests.surfaces.cli.printing import Capture, out


def test_runs_are_listed_with_whose_they_are(capsys: Capture, home: Path) -> None:
    with hardwon.open(home) as hw:
        coder = hw.agent("default", project="acme/api")
        coder.after_action("bash", {"command": "rm build"}, output="rm: no", failed=True)
        coder.after_run(task="Remove the stale build output")

    listed = out(capsys, "run", "list", "--project", "acme/api")

    first, row = listed.splitlines()
    assert first == "1 run in acme/api:"
    assert row.endswith("1 step, 1 failed  Remove the stale build output")


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize("command", ["trace", "session"])
def test_a_file_that_is_missing_is_called_a_file(
    capsys: Capture, tmp_path: Path, command: str
) -> None:
    assert run([command, "import", str(tmp_path / "none.jsonl")]) == 1

    assert capsys.readouterr().err.endswith(
        "none.jsonl: No such file or directory; name a file that can be read\n"
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--project", ""], "(no runs outside projects)\n"),
        (["--project", "acme/api"], "(no runs in acme/api)\n"),
        (["--project", "acme/api", "--agent", "coder"], "(no runs of agent coder in acme/api)\n"),
    ],
)
@pytest.mark.usefixtures("home")
def test_where_no_run_is_it_is_said(capsys: Capture, arguments: list[str], said: str) -> None:
    assert out(capsys, "run", "list", *arguments) == said
