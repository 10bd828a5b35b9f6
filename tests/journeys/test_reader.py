"""The reader through the hooks of a coding agent, with real processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import hardwon
from hardwon.core.values.lesson import Kind, evidence_of
from tests.learn.reader.test_reading import BLOCK, PROFILE, REFUND, lessons, said, start
from tests.surfaces.hooks.hooking import Hook

CWD = "/srv/shop"


@pytest.fixture
def hook(tmp_path: Path) -> Hook:
    """The hooks of Claude Code; the model is a program that answers from a file."""
    (tmp_path / "answer.json").write_text(said(add=[PROFILE]))
    home = tmp_path / "home"
    return Hook(home, HARDWON_MODEL_NAME=model_of(home), HARDWON_PROJECT="shop")


def model_of(home: Path) -> str:
    return f"command:cat {home.parent / 'answer.json'}"


def told(hook: Hook, session: str, source: str = "startup") -> str:
    """What a session is told at its start."""
    event = {"hook_event_name": "SessionStart", "session_id": session, "source": source, "cwd": CWD}
    out = hook("claude-code", event).out
    return str(json.loads(out)["hookSpecificOutput"]["additionalContext"]) if out else ""


def session(hook: Hook, name: str) -> str:
    """One session from its start to its end; returns what it was told at its start."""
    place = {"session_id": name, "cwd": CWD}
    block = told(hook, name)
    prompt = {"hook_event_name": "UserPromptSubmit", "prompt": "Refund it", **place}
    hook("claude-code", prompt)
    for command, output, failed in REFUND:
        call = {"tool_name": "Bash", "tool_input": {"command": command}, **place}
        kind = {"hook_event_name": "PostToolUse", "tool_response": {"stdout": output}}
        if failed:
            kind = {"hook_event_name": "PostToolUseFailure", "error": f"Exit code 1\n{output}"}
        hook("claude-code", {**call, **kind})
    hook("claude-code", {"hook_event_name": "Stop", "last_assistant_message": "DONE", **place})
    hook("claude-code", {"hook_event_name": "SessionEnd", "reason": "other", **place})
    return block


def drain(hook: Hook) -> None:
    place = {"HARDWON_HOME": str(hook.home), "HARDWON_MODEL_NAME": model_of(hook.home)}
    command = [sys.executable, "-m", "hardwon", "work", "--drain"]
    environ = {**os.environ, **hook.environ, **place}
    subprocess.run(command, env=environ, check=True, capture_output=True, timeout=90)


def test_the_second_session_begins_with_what_was_read_in_the_first(hook: Hook) -> None:
    assert session(hook, "first") == ""
    drain(hook)

    assert BLOCK in session(hook, "second")


def test_a_session_is_told_again_after_its_context_was_compacted(hook: Hook) -> None:
    session(hook, "first")
    drain(hook)

    assert BLOCK in told(hook, "second")
    assert told(hook, "second") == ""
    assert BLOCK in told(hook, "second", "compact")
    assert BLOCK in told(hook, "second", "resume")


def queued(home: Path) -> hardwon.Job:
    """The job of a run that waits to be read."""
    with hardwon.open(home, model=lambda _: "") as hw:
        agent = hw.agent("coder", project="shop")
        for command, output, failed in REFUND:
            agent.after_action("Bash", {"command": command}, output=output, failed=failed)
        job = agent.end_run()
    assert job is not None
    return job


@pytest.mark.parametrize("delay", [0, 0.002, 0.01, 0.03, 0.1])
def test_a_worker_that_is_killed_leaves_no_item_twice(tmp_path: Path, delay: float) -> None:
    queued(tmp_path)
    program = [sys.executable, "-m", "tests.journeys.reading_killed", str(tmp_path)]

    subprocess.run([*program, str(delay)], check=False, capture_output=True, timeout=90)
    subprocess.run([*program, "-1"], check=True, capture_output=True, timeout=90)

    with hardwon.open(tmp_path) as hw:
        assert len(lessons(hw)) == 2
        assert not hw.queue.waiting()


def test_a_job_that_is_worked_again_after_its_commit_asks_nobody(tmp_path: Path) -> None:
    requests: list[object] = []

    def answer(request: object) -> str:
        requests.append(request)
        return said(add=[PROFILE])

    job = queued(tmp_path)
    record = tmp_path / "queue" / "wal" / f"{job.id}.wal"
    content = record.read_bytes()
    with hardwon.open(tmp_path, model=answer) as hw:
        hw.drain()
    record.write_bytes(content)  # as if the worker had died just before it removed the record
    with hardwon.open(tmp_path, model=answer) as hw:
        hw.drain()
        assert not record.exists()

        assert start(hw) == BLOCK
        assert evidence_of(lessons(hw)[0], Kind.JOB) == (job.id,)
    assert len(requests) == 1
