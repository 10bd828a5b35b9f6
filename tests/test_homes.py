"""A home that others own or can write to is refused, with the command that helps."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import hardwon
from hardwon.core import _files
from hardwon.core.errors import StorageError
from tests.surfaces.hooks.hooking import Hook

ME, OTHER, ROOT = 1000, 1001, 0
GUARDED = "terraform destroy"


def state(mode: int, owner: int) -> os.stat_result:
    return os.stat_result((stat.S_IFDIR | mode, 1, 1, 1, owner, owner, 0, 0, 0, 0))


@pytest.mark.parametrize("mode", [0o700, 0o750, 0o755, 0o770, 0o775, 0o500])
@pytest.mark.parametrize(("owner", "uid"), [(ME, ME), (ROOT, ROOT), (ROOT, ME)])
def test_a_home_of_mine_or_of_root_is_used(mode: int, owner: int, uid: int) -> None:
    assert _files.home_problem("/h", state(mode, owner), uid=uid) is None


@pytest.mark.parametrize("uid", [ME, ROOT])
def test_a_home_of_somebody_else_is_refused_to_everybody(uid: int) -> None:
    wrong = _files.home_problem("/h", state(0o700, OTHER), uid=uid)

    assert isinstance(wrong, StorageError)
    assert f"belongs to user 1001, not to {uid}" in str(wrong)
    assert f"`sudo chown -R {uid} /h`" in str(wrong)


@pytest.mark.parametrize("mode", [0o777, 0o1777, 0o702])
@pytest.mark.parametrize("uid", [ME, ROOT])
def test_a_home_that_everybody_can_write_to_is_refused(mode: int, uid: int) -> None:
    wrong = _files.home_problem("/h", state(mode, uid), uid=uid)

    assert isinstance(wrong, StorageError)
    assert "`chmod 700 /h`" in str(wrong)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with a lesson and a guard."""
    path = tmp_path / "home"
    with hardwon.open(path) as hw:
        coder = hw.agent("default")
        coder.learn("run the migrations before you start the server")
        forbidden = coder.learn("never destroy the cluster")
        coder.lessons.guard(forbidden.id, call=GUARDED, tool="Bash")
    return path


def test_it_is_not_opened_and_not_changed(home: Path) -> None:
    home.chmod(0o777)
    before = sorted(path.name for path in home.iterdir())

    with pytest.raises(StorageError, match="chmod 700"):
        hardwon.open(home)

    assert sorted(path.name for path in home.iterdir()) == before
    home.chmod(0o700)
    hardwon.open(home).close()


def test_a_home_that_others_can_read_is_used_and_doctor_tells(home: Path) -> None:
    home.chmod(0o750)

    hardwon.open(home).close()

    assert f"chmod 700 {home}" in doctor(home)


def doctor(home: Path) -> str:
    words = [sys.executable, "-m", "hardwon", "doctor", "--home", str(home)]
    ran = subprocess.run(words, capture_output=True, text=True, timeout=90)
    assert ran.returncode == 1
    assert "Traceback" not in ran.stderr
    return ran.stdout


def test_doctor_tells_what_to_do(home: Path) -> None:
    home.chmod(0o777)

    assert f"BAD  home: {home}: everybody can write to it; `chmod 700 {home}`" in doctor(home)


def test_a_hook_tells_nothing_out_of_it_and_lets_the_agent_go_on(home: Path) -> None:
    hook = Hook(home)
    event = {"session_id": "s", "cwd": "/", "hook_event_name": "UserPromptSubmit"}
    asked = {**event, "prompt": "start the server after the migrations"}
    assert "migrations" in hook("claude-code", asked).out
    home.chmod(0o777)

    ran = hook("claude-code", asked | {"session_id": "s2"})

    assert (ran.code, ran.out, ran.err) == (0, "", "")
    assert "chmod 700" in ran.log[-1]


def test_a_hook_takes_no_patterns_out_of_it(home: Path) -> None:
    os.mkfifo(home / f"patterns.{sys.hexversion:x}")  # who reads it waits
    home.chmod(0o777)
    event = {"session_id": "s", "cwd": "/", "hook_event_name": "UserPromptSubmit", "prompt": "go"}

    assert "chmod 700" in Hook(home)("claude-code", event).log[-1]


def test_a_guard_in_it_holds_without_its_words(home: Path) -> None:
    hook = Hook(home)
    event = {"session_id": "s", "cwd": "/", "hook_event_name": "PreToolUse"}
    call = {**event, "tool_name": "Bash", "tool_input": {"command": GUARDED}}
    assert "never destroy" in hook("claude-code", call).out
    home.chmod(0o777)

    denied = hook("claude-code", call).out

    assert '"deny"' in denied
    assert "never destroy" not in denied


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_root_does_not_open_the_home_of_another_user(home: Path) -> None:
    os.chown(home, 65534, 65534)

    with pytest.raises(StorageError, match="belongs to user 65534"):
        hardwon.open(home)
