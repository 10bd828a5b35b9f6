"""A home is written into one file while it is in use, and comes back whole."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import hardwon
from hardwon.surfaces.cli import cli

WRITER = """
import sys, hardwon
with hardwon.open(sys.argv[1]) as hw:
    print("ready", flush=True)
    for number in range(100_000):
        hw.agent("coder").learn(f"rule {number}: check the flag of step {number} first")
"""


def run(*words: object) -> tuple[int, str]:
    done = CliRunner().invoke(cli, [str(word) for word in words])
    return done.exit_code, f"{done.output}{done.exception}"


def fill(home: Path) -> None:
    with hardwon.open(home) as hw:
        hw.agent("coder").learn("run the tests from the root")
        hw.agent("coder").after_run(task="build", error="cannot build")


def test_a_home_comes_back_with_lessons_and_jobs_and_without_secrets(tmp_path: Path) -> None:
    fill(tmp_path / "home")
    (tmp_path / "home" / "server.key").write_text("secret")

    assert run("backup", tmp_path / "file", "--home", tmp_path / "home")[0] == 0
    assert run("restore", tmp_path / "file", "--home", tmp_path / "back")[0] == 0

    assert not (tmp_path / "back" / "server.key").exists()
    with hardwon.open(tmp_path / "back") as hw:
        assert [one.correction for one in hw.agent("coder").lessons.list()] == [
            "run the tests from the root"
        ]
        assert [one.episode.task for one in hw.queue.waiting()] == ["build"]
        assert hw.check() == []


def test_a_home_that_is_written_to_is_backed_up_whole(tmp_path: Path) -> None:
    home = tmp_path / "home"
    command = [sys.executable, "-c", WRITER, str(home)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout
        assert writer.stdout.readline() == "ready\n"
        code, _ = run("backup", tmp_path / "file", "--home", home)
        writer.kill()

    assert code == 0
    assert run("restore", tmp_path / "file", "--home", tmp_path / "back")[0] == 0
    with hardwon.open(tmp_path / "back") as hw:
        assert hw.check() == []


def test_a_damaged_backup_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    fill(tmp_path / "home")
    run("backup", tmp_path / "file", "--home", tmp_path / "home")
    whole = (tmp_path / "file").read_bytes()
    (tmp_path / "file").write_bytes(whole[: len(whole) // 2])

    assert run("restore", tmp_path / "file", "--home", tmp_path / "back")[0] != 0
    assert not (tmp_path / "back").exists()


@pytest.mark.parametrize("content", [b"", b"not an archive"])
def test_another_file_is_no_backup(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "file").write_bytes(content)

    assert run("restore", tmp_path / "file", "--home", tmp_path / "back")[0] != 0


def test_a_home_in_use_is_not_overwritten(tmp_path: Path) -> None:
    fill(tmp_path / "home")
    run("backup", tmp_path / "file", "--home", tmp_path / "home")

    code, said = run("restore", tmp_path / "file", "--home", tmp_path / "home")

    assert code
    assert "in use" in said
