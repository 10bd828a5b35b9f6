"""Guards in a hook process: a forbidden call is denied, whatever else is slow or broken."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

import hardwon
from hardwon.storage.stores import guard_file
from hardwon.storage.stores.sqlite import database
from hardwon.surfaces.cli import run
from hardwon.surfaces.hooks import watch
from tests.surfaces.hooks.hooking import Hook, Outcome

BUSY = "while True: pass"
EARLIER = """
PRAGMA user_version = 8;
INSERT INTO tenants (id, name) VALUES (1, 'default');
INSERT INTO shelves (id, tenant_id, agent_id, project) VALUES (1, 1, 'default', '');
INSERT INTO lessons (shelf, situation, mistake, correction, trigger_name, origin, author, job,
    status, tags, signatures, calls, evidence, importance, confidence, hit_count, met_count, guard,
    created_at, updated_at, last_seen_at)
VALUES (1, 's', 'm', 'c', 'error', 'mined', 'rules', '', 'active', '[]', '[]',
    '["= rm build", "@ rm foo.txt", ": rm"]', '[]', 0.5, 0.8, 0, 1, 1, 1.0, 1.0, 1.0);
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def guard(home: Path, *calls: str, project: str | None = None) -> int:
    with hardwon.open(home) as hw:
        agent = hw.agent("default", project=project)
        lesson = agent.lessons.add("the build folder", "Keep it; run make clean.")
        for call in calls:
            agent.lessons.guard(lesson.id, call=call)
    return lesson.id


def ask(hook: Hook, command: str, **more: Any) -> Outcome:
    event = {
        "hook_event_name": "PreToolUse",
        "session_id": "s",
        "cwd": "/nowhere",
        "tool_name": "Bash",
        "tool_input": {"command": command},
    }
    return hook("claude-code", event | more)


def denial(seen: Outcome) -> str:
    said = seen.answer["hookSpecificOutput"] if seen.out else {}
    assert said.get("permissionDecision") in {"deny", None}
    return str(said.get("permissionDecisionReason", ""))


@contextmanager
def load(processes: int) -> Iterator[None]:
    """Keep the machine busy."""
    with ExitStack() as stack:
        for _ in range(processes):
            busy = stack.enter_context(subprocess.Popen([sys.executable, "-c", BUSY]))
            stack.callback(busy.kill)
        yield


def test_only_the_forbidden_call_is_denied(home: Path) -> None:
    number = guard(home, "rm build")
    hook = Hook(home)

    assert "Keep it; run make clean." in denial(ask(hook, "cd x && rm  'build'"))
    assert f"#{number}" in denial(ask(hook, "rm build", agent_id="a sub-agent"))
    for allowed in ("rm -r build", "rm foo.txt", "ls build"):
        assert not denial(ask(hook, allowed))
    assert hook.log() == []


def test_a_guard_holds_in_its_own_project(home: Path, tmp_path: Path) -> None:
    guard(home, "rm build", project=str(tmp_path))

    assert denial(ask(Hook(home), "rm build", cwd=str(tmp_path)))
    assert not denial(ask(Hook(home), "rm build"))


def test_a_recall_that_has_no_time_at_all_gives_up_no_guard(home: Path) -> None:
    guard(home, "rm build")

    assert denial(ask(Hook(home, HARDWON_HOOKS_LIMIT="1ms"), "rm build"))


def test_a_busy_machine_gives_up_no_guard_at_default_limits(home: Path) -> None:
    guard(home, "rm build")
    hook = Hook(home).in_a_hurry()

    with load(12), ThreadPoolExecutor(4) as pool:
        told = list(pool.map(lambda _: denial(ask(hook, "rm build")), range(12)))

    assert all(told)


def test_a_store_that_cannot_be_read_gives_up_no_guard(home: Path) -> None:
    guard(home, "rm build")
    (home / "hardwon.db").write_bytes(b"damaged")

    assert denial(ask(Hook(home), "rm build"))


def test_what_cannot_be_judged_is_denied_and_logged(home: Path) -> None:
    guard(home, "rm build")
    (home / "config.toml").write_text("hooks = [")
    hook = Hook(home)

    assert "could not judge" in denial(ask(hook, "rm build"))
    assert not denial(ask(hook, "ls"))
    assert any("guard" in line for line in hook.log())


def test_an_event_that_never_ends_is_given_up_and_logged(home: Path) -> None:
    guard(home, "rm build")
    program = (
        "from hardwon.surfaces.hooks import agents, guarding\n"
        "guarding.LIMIT = 0.01\n"
        "guarding.pass_or_deny('claude-code', '', agents.Input())"
    )
    environ = os.environ | {"HARDWON_HOME": str(home)}

    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, env=environ
    ) as hook:
        assert hook.wait(60) == 0

    assert any(watch.GAVE_UP in line for line in Hook(home).log())


def test_hooks_that_are_off_deny_nothing_and_leave_nothing(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    guard(home, "rm build")
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)

    assert not denial(ask(Hook(home, HARDWON_HOOKS_ENABLED="false"), "rm build"))
    assert list(folder.iterdir()) == []


def test_events_other_than_a_pending_call_pass_a_guard(home: Path) -> None:
    guard(home, "rm build")
    hook = Hook(home)
    done = {"hook_event_name": "PostToolUse", "tool_response": "removed"}

    seen = ask(hook, "rm build", **done)

    assert (seen.out, seen.log) == ("", [])


def test_the_file_of_guards_follows_the_lessons(home: Path) -> None:
    number = guard(home, "rm build", "rm -rf *")
    assert len(guard_file.read(str(home)).splitlines()) == 2

    with hardwon.open(home) as hw:
        agent = hw.agent("default")
        agent.lessons.guard(number, on=False)
        assert not guard_file.read(str(home))
        agent.lessons.undo(number)
        assert guard_file.read(str(home))
        agent.lessons.delete(number)
        assert not (home / guard_file.NAME).exists()


def test_a_forgotten_tenant_forbids_nothing(home: Path) -> None:
    guard(home, "rm build")

    with hardwon.open(home) as hw:
        hw.forget_tenant("default")

    assert not guard_file.read(str(home))


def test_doctor_and_status_tell_how_often_a_hook_gave_up(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HARDWON_HOME", str(home))
    guard(home, "rm build")
    with closing(sqlite3.connect(home / "hardwon.db", isolation_level=None)) as holder:
        holder.execute("PRAGMA locking_mode = EXCLUSIVE")
        holder.execute("BEGIN EXCLUSIVE")  # no hook gets in, however fast the machine is
        for _ in range(2):
            ask(Hook(home, HARDWON_HOOKS_LIMIT="300ms"), "ls")

    for command in ("doctor", "status"):
        run([command])
        assert "a hook gave up 2 times" in capsys.readouterr().out


def test_a_home_that_was_copied_without_the_file_gets_it_back(home: Path) -> None:
    guard(home, "rm build")
    (home / guard_file.NAME).unlink()

    with hardwon.open(home) as hw:
        hw.check()

    assert denial(ask(Hook(home), "rm build"))


def test_a_home_of_an_earlier_build_keeps_its_guards(home: Path) -> None:
    home.mkdir()
    folder = Path(database.__file__).parent / "migrations"
    with closing(sqlite3.connect(home / "hardwon.db")) as earlier:
        for path in sorted(folder.glob("*.sql"))[:8]:
            earlier.executescript(path.read_text())
        earlier.executescript(EARLIER)

    with hardwon.open(home) as hw:
        hw.agent("default").before_turn("x")

    assert denial(ask(Hook(home), "rm build"))
    assert not denial(ask(Hook(home), "rm foo.txt"))


def test_an_action_of_a_tool_is_denied_by_the_file_alone(home: Path) -> None:
    purge = {"action": "purge", "queue": "main"}
    with hardwon.open(home) as hw:
        agent = hw.agent("default")
        agent.after_action("grid", purge, output="E4002 QUEUE IN USE", failed=True)
        agent.after_run(task="purge it")
        (lesson,) = agent.lessons.list(status="all")
        agent.lessons.guard(lesson.id)
    for path in home.glob("*.db*"):
        path.unlink()

    denied = ask(Hook(home), "", tool_name="grid", tool_input=purge)
    other = ask(Hook(home), "", tool_name="grid", tool_input=purge | {"queue": "other"})

    assert denied.answer["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert other.out == ""
