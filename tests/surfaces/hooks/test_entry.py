"""The hook never hurts."""

from __future__ import annotations

import os
import sqlite3
import sys
import threading
from pathlib import Path

import pytest

import hardwon
from hardwon.surfaces.hooks.watch import Watch
from tests.surfaces.hooks.hooking import Hook

PROMPT = {
    "hook_event_name": "UserPromptSubmit",
    "session_id": "s1",
    "cwd": "/nowhere",
    "prompt": "make the folder of the nightly report",
}
LESSON = "make the folder of the nightly report with mkdir -p"


@pytest.fixture
def hook(tmp_path: Path) -> Hook:
    return Hook(tmp_path / "home")


def test_a_prompt_is_answered_with_the_lessons_that_fit(hook: Hook) -> None:
    with hardwon.open(hook.home) as hw:
        hw.agent("default").learn(LESSON)

    seen = hook("claude-code", PROMPT)

    said = seen.answer["hookSpecificOutput"]
    assert said["hookEventName"] == "UserPromptSubmit"
    assert LESSON in said["additionalContext"]
    assert (seen.code, seen.err, seen.log) == (0, "", [])


def test_without_a_store_nothing_is_said_and_nothing_breaks(hook: Hook) -> None:
    seen = hook("claude-code", PROMPT)

    assert (seen.code, seen.out, seen.err, seen.log) == (0, "", "", [])


BAD = {
    "no JSON": b"{oops",
    "empty": b"",
    "no object": b"[1]",
    "not UTF-8": b'{"hook_event_name": "UserPromptSubmit", "prompt": "\xff\xfe"}',
    "nested too deep": b"[" * 100_000,
    "unknown event": b'{"hook_event_name": "FutureEvent"}',
    "event of a strange type": b'{"hook_event_name": {"a": 1}}',
    "cut off in 50 MB": b'{"hook_event_name": "Stop", "a": "' + b"x" * 50_000_000,
    "too many texts": b'{"hook_event_name": "Stop", "a": [' + b'"words",' * 1_200_000 + b"1]}",
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_one_line_in_the_log(name: str, hook: Hook) -> None:
    seen = hook("claude-code", BAD[name])

    assert (seen.code, seen.out, seen.err) == (0, "", "")
    assert len(seen.log) == 1
    assert "claude-code" in seen.log[0]


def test_an_event_that_is_no_object_is_called_that(hook: Hook) -> None:
    assert "the event is a list, not an object" in hook("claude-code", b"[1]").log[0]


def test_a_hook_that_is_off_tells_nothing_of_what_is_known(tmp_path: Path) -> None:
    hook = Hook(tmp_path / "home", HARDWON_HOOKS_ENABLED="false")
    with hardwon.open(hook.home) as hw:
        hw.agent("default").learn(LESSON)

    seen = hook("claude-code", PROMPT)

    assert (seen.code, seen.out, seen.err, seen.log) == (0, "", "", [])


def test_no_event_writes_control_characters_into_the_log(hook: Hook) -> None:
    event = {"hook_event_name": "\x1b[2J\x07\u202eStop\nTwo"}

    (line,) = hook("claude-code", event, "\x1b[2J\x07").log

    assert line.isprintable()


@pytest.mark.parametrize("agent", ["no-such-agent", "../../etc/passwd", ""])
def test_an_unknown_agent_is_one_line_in_the_log(agent: str, hook: Hook) -> None:
    seen = hook(agent, PROMPT)

    assert (seen.code, seen.out, seen.err, len(seen.log)) == (0, "", "", 1)


def test_strange_values_in_known_fields_are_survived(hook: Hook) -> None:
    values: list[object] = [None, 7, [], {}, "../../../x", "a/b\x00c", "x" * 100_000]
    for value in values:
        event = {**PROMPT, "session_id": value, "cwd": value, "tool_name": value, "prompt": value}

        for name in ("UserPromptSubmit", "PreToolUse", "PostToolUseFailure", "SessionEnd"):
            seen = hook("claude-code", {**event, "hook_event_name": name, "tool_input": value})
            assert (seen.code, seen.out, seen.err) == (0, "", ""), (name, value)

    made = {path.name for path in hook.home.parent.iterdir()}
    assert made == {"home"}


def test_a_locked_database_ends_at_the_time_limit(tmp_path: Path) -> None:
    hook = Hook(tmp_path / "home", HARDWON_HOOKS_LIMIT="300ms")
    hardwon.open(hook.home).close()
    holder = sqlite3.connect(hook.home / "hardwon.db", isolation_level=None)
    holder.execute("PRAGMA locking_mode = EXCLUSIVE")
    holder.execute("BEGIN EXCLUSIVE")
    pending = {**PROMPT, "hook_event_name": "PreToolUse", "tool_name": "Bash"}

    seen = hook("claude-code", {**pending, "tool_input": {"command": "x"}})

    holder.close()
    assert (seen.code, seen.out, seen.err) == (0, "", "")
    assert "gave up after 0.3 s" in seen.log[0]


def test_a_failure_is_kept_although_that_takes_longer_than_recall_may(tmp_path: Path) -> None:
    limits = {"HARDWON_HOOKS_LIMIT": "300ms", "HARDWON_HOOKS_CAPTURE_LIMIT": "60s"}
    hook = Hook(tmp_path / "home", **limits)
    hardwon.open(hook.home).close()
    database = hook.home / "hardwon.db"
    holder = sqlite3.connect(database, isolation_level=None, check_same_thread=False)
    holder.execute("BEGIN IMMEDIATE")
    failure = {**PROMPT, "hook_event_name": "PostToolUseFailure", "tool_name": "Bash"}

    threading.Timer(1.0, holder.close).start()
    seen = hook("claude-code", {**failure, "tool_input": {"command": "x"}, "error": "x: no such y"})

    assert seen.log == []
    with sqlite3.connect(database) as reader:
        assert reader.execute("SELECT count(*) FROM lessons").fetchone() == (1,)
    reader.close()


def test_an_agent_that_never_ends_its_event_is_left_alone(tmp_path: Path) -> None:
    import subprocess

    home = tmp_path / "home"
    environ = {**os.environ, "HARDWON_HOME": str(home), "HARDWON_HOOKS_LIMIT": "50ms"}

    process = subprocess.Popen(
        [sys.executable, "-m", "hardwon", "hook", "claude-code"],
        stdin=subprocess.PIPE,
        env=environ,
    )

    assert process.wait(60) == 0
    assert process.stdin is not None
    process.stdin.close()
    assert "gave up" in (home / "hook.log").read_text()


def test_a_home_that_cannot_be_made_is_survived(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")

    seen = Hook(tmp_path / "file" / "home")("claude-code", PROMPT)

    assert (seen.code, seen.out, seen.err) == (0, "", "")


@pytest.mark.parametrize("name", ["hardwon.db", "config.toml"])
def test_a_damaged_file_is_one_line_in_the_log(hook: Hook, name: str) -> None:
    hook.home.mkdir()
    (hook.home / name).write_bytes(b"neither a database nor = = settings" * 1000)

    seen = hook("claude-code", PROMPT)

    assert (seen.code, seen.out, seen.err, len(seen.log)) == (0, "", "", 1)
    assert name in seen.log[0]


def test_a_full_disk_is_one_line_or_none(tmp_path: Path) -> None:
    """`RLIMIT_FSIZE` makes every write fail as a full disk does."""
    import json
    import subprocess

    home = tmp_path / "home"
    with hardwon.open(home) as hw:
        hw.agent("default").learn(LESSON)
    limited = (
        "import resource, signal, sys, runpy\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))\n"
        "sys.argv = ['hardwon', 'hook', 'claude-code']\n"
        "runpy.run_module('hardwon', run_name='__main__')\n"
    )

    ran = subprocess.run(
        [sys.executable, "-c", limited],
        input=json.dumps(PROMPT).encode(),
        capture_output=True,
        env={**os.environ, "HARDWON_HOME": str(home), "HARDWON_HOOKS_LIMIT": "60s"},
    )

    assert (ran.returncode, ran.stderr) == (0, b"")


def test_help_is_for_people(hook: Hook) -> None:
    seen = hook("--help", b"")

    assert seen.code == 0
    assert "Usage: hardwon hook" in seen.out


def test_a_hook_notes_that_it_ran(hook: Hook) -> None:
    hook("claude-code", PROMPT)

    assert (hook.home / "hook-runs" / "claude-code.UserPromptSubmit").exists()


def test_the_time_of_a_hook_that_ran_again_is_the_later_one(tmp_path: Path) -> None:
    watch = Watch("codex Stop", home=str(tmp_path))
    watch.ran()
    mark = tmp_path / "hook-runs" / "codex.Stop"
    os.utime(mark, (1000, 1000))

    watch.ran()

    assert mark.stat().st_mtime > 1000
    assert mark.stat().st_mode & 0o777 == 0o600
    assert mark.parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("subject", ["codex", "codex ../x", "codex a b"])
def test_only_an_event_with_a_name_is_noted(tmp_path: Path, subject: str) -> None:
    Watch(subject, home=str(tmp_path)).ran()

    assert not (tmp_path / "hook-runs").exists()


def test_the_log_is_put_aside_only_once_it_is_too_large(tmp_path: Path) -> None:
    log, watch = tmp_path / "hook.log", Watch("codex", home=str(tmp_path))
    for size, is_aside in ((1024 * 1024, False), (1024 * 1024 + 1, True)):
        log.write_bytes(b"x" * size)
        watch.log("trouble")

        assert (tmp_path / "hook.log.1").exists() is is_aside
        assert log.read_bytes().endswith(b"codex trouble\n")


def test_a_line_of_the_log_is_short(tmp_path: Path) -> None:
    Watch("codex", home=str(tmp_path)).log("y" * 2000)

    assert len((tmp_path / "hook.log").read_text()) == 500 + len("\n")
