"""A loop that was cut short goes on, and leaves no process."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

import pytest

from tests.learn.trials.commanded import (
    HARDWON,
    Capture,
    data,
    out,
    read_when_there,
    refused,
)
from tests.waiting import until

pytestmark = pytest.mark.usefixtures("place")


@pytest.mark.parametrize("is_background", [False, True])
def test_a_terminated_run_leaves_no_process_and_can_be_resumed(
    capsys: Capture, place: Path, is_background: bool
) -> None:
    arguments = ["run", "x", "--actor", "echo $$ > pid; exec sleep 600", "--verify", "true"]
    how = signal.SIG_IGN if is_background else signal.default_int_handler  # as a shell does for `&`
    with subprocess.Popen(
        [*HARDWON, *arguments, "--id", "l"],
        cwd=place,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, how),
    ) as running:
        pid = read_when_there(place / "pid")
        assert "interrupted" not in out(capsys, "status", "l")
        refused(capsys, "resume", "l", code=1)
        running.send_signal(signal.SIGTERM)
        assert running.wait(30) == 130

    until(lambda: not Path(f"/proc/{pid}").exists())
    assert "interrupted" in out(capsys, "status", "l")
    assert data(capsys, "resume", "l", "--actor", "true")["status"] == "succeeded"


def test_what_a_killed_run_left_behind_is_ended_by_the_next(capsys: Capture, place: Path) -> None:
    arguments = ["run", "x", "--actor", "echo $$ > pid; exec sleep 600", "--verify", "true"]
    with subprocess.Popen([*HARDWON, *arguments, "--id", "l"], cwd=place) as running:
        pid = read_when_there(place / "pid")
        running.kill()

    assert Path(f"/proc/{pid}").exists()
    out(capsys, "resume", "l", "--actor", "true")
    until(lambda: not Path(f"/proc/{pid}").exists())


def test_a_loop_of_the_same_name_in_another_home_is_left_alone(
    capsys: Capture, place: Path, tmp_path: Path
) -> None:
    arguments = ["run", "x", "--actor", "echo $$ > pid; exec sleep 600", "--verify", "true"]
    with subprocess.Popen([*HARDWON, *arguments, "--id", "l"], cwd=place) as running:
        pid = read_when_there(place / "pid")
        data(capsys, "run", "x", "--actor", "sleep 60", "--verify", "true", "--id", "l",
             "--actor-timeout", "200ms", "--home", str(tmp_path / "other"), code=1)  # fmt: skip
        assert Path(f"/proc/{pid}").exists()
        out(capsys, "abort", "l")
        running.wait(30)
