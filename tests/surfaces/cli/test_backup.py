"""A home is written into one file while it is in use, and comes back whole."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
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


@pytest.mark.parametrize("content", [b"", b"not an archive", b"import sys\n" * 100])
def test_another_file_is_no_backup(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "file").write_bytes(content)

    code, said = run("restore", tmp_path / "file", "--home", tmp_path / "back")

    assert code
    assert "file is not a backup of hardwon; name a file that `hardwon backup` has written" in said


def test_only_the_owner_reads_what_comes_back(tmp_path: Path) -> None:
    fill(tmp_path / "home")
    before = os.umask(0o022)
    try:
        run("backup", tmp_path / "file", "--home", tmp_path / "home")
        run("restore", tmp_path / "file", "--home", tmp_path / "back")
    finally:
        os.umask(before)

    with tarfile.open(tmp_path / "file") as archive:
        assert not [one.name for one in archive.getmembers()[1:] if one.mode & 0o077]
    assert (tmp_path / "back" / "hardwon.db").stat().st_mode & 0o777 == 0o600


def test_a_backup_inside_the_home_does_not_contain_itself(tmp_path: Path) -> None:
    fill(tmp_path / "home")
    run("backup", tmp_path / "outside", "--home", tmp_path / "home")
    for _ in range(2):
        assert run("backup", tmp_path / "home" / "inside", "--home", tmp_path / "home")[0] == 0

    names = []
    for file in (tmp_path / "home" / "inside", tmp_path / "outside"):
        with tarfile.open(file) as archive:
            names.append(sorted(archive.getnames()))
    assert names[0] == names[1]


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    fill(tmp_path / "home")
    code, said = run("backup", tmp_path / "none" / "file", "--home", tmp_path / "home")
    assert code
    assert f"{tmp_path / 'none'} is not a folder; name a file in a folder of yours" in said

    run("backup", tmp_path / "file", "--home", tmp_path / "home")
    code, said = run("restore", tmp_path / "file", "--home", tmp_path / "file" / "back")
    assert code
    assert f"{tmp_path / 'file' / 'back'}: Not a directory; set HARDWON_HOME" in said


def test_a_home_in_use_is_not_overwritten(tmp_path: Path) -> None:
    fill(tmp_path / "home")
    run("backup", tmp_path / "file", "--home", tmp_path / "home")

    code, said = run("restore", tmp_path / "file", "--home", tmp_path / "home")

    assert code
    assert "in use" in said
