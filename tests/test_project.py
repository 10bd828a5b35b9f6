"""Which project a folder belongs to."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from hardwon.core.project import claim_of


def project_of(folder: str) -> str | None:
    claim = claim_of(folder)
    return claim.project if claim else None


@pytest.mark.parametrize(
    "url",
    [
        "git@host.example:acme/api.git",
        "https://host.example/acme/api",
        "https://user:secret@host.example/acme/api.git",
        "ssh://git@host.example:2222/acme/api.git/",
    ],
)
def test_the_remote_names_it(url: str, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "config").write_text(
        f'[core]\n\tx = 1\n[remote "origin"]\n\turl = {url}\n'
    )
    (tmp_path / "src" / "deep").mkdir(parents=True)

    assert project_of(str(tmp_path / "src" / "deep")) == "acme/api"


def test_without_a_remote_it_is_the_root_and_without_a_repository_the_folder(
    tmp_path: Path,
) -> None:
    (tmp_path / "own" / ".git").mkdir(parents=True)
    (tmp_path / "own" / "src").mkdir()

    assert project_of(str(tmp_path / "own" / "src")) == str(tmp_path / "own")
    for folder in (tmp_path, tmp_path / "gone"):
        assert project_of(str(folder)) == str(folder)
    assert project_of("") is None
    assert project_of("relative/path") is None


def test_a_folder_that_only_points_to_a_repository_is_not_its_worktree(tmp_path: Path) -> None:
    own = tmp_path / "main" / ".git" / "worktrees" / "w"
    own.mkdir(parents=True)
    (own / "gitdir").write_text(f"{tmp_path}/w/.git\n")
    (tmp_path / "hostile").mkdir()
    (tmp_path / "hostile" / ".git").write_text(f"gitdir: {own}\n")

    assert project_of(str(tmp_path / "hostile")) == str(tmp_path / "hostile")


def test_a_real_worktree_is_its_main_repository(tmp_path: Path) -> None:
    def git(*words: str) -> None:
        who = ("-c", "user.name=a", "-c", "user.email=a@b")
        subprocess.run(["git", "-C", str(tmp_path / "main"), *who, *words], check=True)

    (tmp_path / "main").mkdir()
    git("init", "-q")
    git("commit", "-q", "--allow-empty", "-m", "x")
    git("worktree", "add", "-q", str(tmp_path / "w"))

    assert project_of(str(tmp_path / "w")) == str(tmp_path / "main")


def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    os.mkfifo(tmp_path / ".git" / "config")

    assert project_of(str(tmp_path)) == str(tmp_path)


def test_a_name_is_always_fit_to_be_stored(tmp_path: Path) -> None:
    deep = tmp_path / "\x1b[31mred\n" / ("x" * 200)

    found = project_of(str(deep))

    assert found is not None
    assert len(found) <= 200
    assert found.isprintable()
