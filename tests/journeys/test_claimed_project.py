"""Two folders that claim one project, through the hook as an agent runs it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import hardwon
from tests.surfaces.hooks.hooking import Hook

FAILURE = "mkdir: cannot create directory 'out/nightly': No such file or directory"
FIX = "mkdir -p out/nightly"
TOLD = "What worked: `mkdir -p out/nightly`"  # what is said of the fix at the same failure


def repository(folder: Path, url: str = "git@host.example:acme/api.git") -> Path:
    """A folder whose own files name its project."""
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "config").write_text(f'[remote "origin"]\n\turl = {url}\n')
    return folder


class Machine:
    """One home, and agents that work in several folders."""

    def __init__(self, home: Path, **environ: str) -> None:
        self.home = home
        self.hook = Hook(home, **environ)
        self._sessions = 0

    def session(self, folder: Path) -> str:
        """What an agent is told at the failure in this folder; it finds the fix by itself."""
        self._sessions += 1
        base = {"session_id": f"s{self._sessions}", "cwd": str(folder), "tool_name": "Bash"}
        failed = {**base, "hook_event_name": "PostToolUseFailure", "error": FAILURE}
        told = self.hook("claude-code", {**failed, "tool_input": {"command": "mkdir out/nightly"}})
        worked = {**base, "hook_event_name": "PostToolUse", "tool_response": {"stdout": ""}}
        self.hook("claude-code", {**worked, "tool_input": {"command": FIX}})
        assert told.code == 0
        return told.out

    def cli(self, *words: str, folder: Path | None = None) -> str:
        ran = subprocess.run(
            [sys.executable, "-m", "hardwon", *words],
            env={**os.environ, "HARDWON_HOME": str(self.home)},
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=90,
        )
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    def lessons(self, project: str, **scope: Any) -> list[hardwon.Lesson]:
        with hardwon.open(self.home) as hw:
            own = hw.agent("default", project=project, **scope)
            return [one for one in own.lessons.list(status="all") if one.scope == own.scope]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path / "home")


@pytest.fixture
def real(tmp_path: Path) -> Path:
    return repository(tmp_path / "work" / "api")


@pytest.fixture
def foreign(tmp_path: Path) -> Path:
    return repository(tmp_path / "downloads" / "api")


def know(machine: Machine, real: Path) -> None:
    """Let the real folder be the first, without a word about the failure."""
    event = {"session_id": "s0", "cwd": str(real), "hook_event_name": "SessionStart"}
    machine.hook("claude-code", event)


def test_what_a_foreign_folder_learns_reaches_the_real_one_only_when_confirmed(
    machine: Machine, real: Path, foreign: Path
) -> None:
    know(machine, real)
    machine.session(foreign)
    assert machine.lessons("acme/api") == []
    assert TOLD not in machine.session(real)
    machine.session(foreign)

    status = machine.cli("status")
    assert f"hardwon project trust {foreign}" in status
    machine.cli("project", "trust", str(foreign))

    assert "hardwon project trust" not in machine.cli("status")
    assert len(machine.lessons("acme/api")) == 1
    assert TOLD in machine.session(real)


def test_what_only_the_foreign_folder_knew_is_told_once_it_is_confirmed(
    machine: Machine, real: Path, foreign: Path
) -> None:
    know(machine, real)
    machine.session(foreign)

    machine.cli("project", "trust", folder=foreign)

    assert TOLD in machine.session(real)


def test_a_foreign_folder_reads_the_lessons_of_the_project(
    machine: Machine, real: Path, foreign: Path
) -> None:
    machine.session(real)
    before = machine.lessons("acme/api")

    assert TOLD in machine.session(foreign)

    after = machine.lessons("acme/api")
    assert [one.met for one in after] == [one.met for one in before]
    assert [one.fixes for one in after] == [one.fixes for one in before]


def test_all_work_trees_of_a_repository_are_one_folder(machine: Machine, tmp_path: Path) -> None:
    main = tmp_path / "main"
    main.mkdir()
    who = ("-c", "user.name=a", "-c", "user.email=a@b")
    for words in (
        ["init", "-q"],
        ["remote", "add", "origin", "https://host.example/acme/api"],
        ["commit", "-q", "--allow-empty", "-m", "x"],
        ["worktree", "add", "-q", str(tmp_path / "tree")],
    ):
        subprocess.run(["git", "-C", str(main), *who, *words], check=True)

    machine.session(tmp_path / "tree")

    assert TOLD in machine.session(main)
    assert "apart" not in machine.cli("project", "list")


def test_a_repository_that_was_moved_has_to_be_confirmed_again(
    machine: Machine, real: Path
) -> None:
    machine.session(real)
    moved = real.rename(real.with_name("elsewhere"))

    assert TOLD in machine.session(moved)

    listed = machine.cli("project", "list").split()
    assert listed == ["trusted", "acme/api", str(real), "apart", "acme/api", str(moved)]
    machine.cli("project", "trust", str(moved))
    machine.cli("project", "forget", str(real))
    assert machine.cli("project", "list").split() == ["trusted", "acme/api", str(moved)]


def test_a_project_that_is_set_needs_no_question(tmp_path: Path, real: Path, foreign: Path) -> None:
    machine = Machine(tmp_path / "home", HARDWON_SCOPE_PROJECT="acme/api")
    machine.session(foreign)

    assert TOLD in machine.session(real)
    assert not (machine.home / "projects").exists()


def test_each_tenant_trusts_its_own_folders(machine: Machine, real: Path, foreign: Path) -> None:
    other = Machine(machine.home, HARDWON_SCOPE_TENANT="other")
    machine.session(real)

    other.session(foreign)

    assert len(machine.lessons("acme/api")) == 1
    assert len(machine.lessons("acme/api", tenant="other")) == 1
    assert "apart" not in machine.cli("project", "list")


def test_a_folder_that_borrows_another_ones_git_is_not_that_one(
    machine: Machine, real: Path, tmp_path: Path
) -> None:
    know(machine, real)
    linked, pointing = tmp_path / "linked", tmp_path / "pointing"
    linked.mkdir()
    pointing.mkdir()
    (linked / ".git").symlink_to(real / ".git")
    (pointing / ".git").write_text(f"gitdir: {real}/.git\n")

    machine.session(linked)
    machine.session(pointing)

    assert machine.lessons("acme/api") == []


def test_in_a_damaged_list_nobody_new_is_trusted(
    machine: Machine, real: Path, foreign: Path
) -> None:
    know(machine, real)
    path = machine.home / "projects"
    path.write_bytes(path.read_bytes() + b"trust\xff")
    machine.session(repository(foreign.with_name("web"), "https://host.example/acme/web"))

    machine.session(real)

    assert len(machine.lessons("acme/api")) == 1
    assert machine.lessons("acme/web") == []
    assert "damaged" in machine.cli("status")
    machine.cli("project", "trust", str(foreign.with_name("web")))
    assert "damaged" not in machine.cli("status")
    assert len(machine.lessons("acme/web")) == 1
    assert len(machine.cli("project", "list").splitlines()) == 2


def test_the_list_is_private(machine: Machine, real: Path) -> None:
    machine.session(real)

    assert (machine.home / "projects").stat().st_mode & 0o777 == 0o600
