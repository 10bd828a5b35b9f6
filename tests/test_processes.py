"""Foreign programs: bounded, and gone when they should be."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest

from hardwon.core.processes import Finished, ProcessLimits, Sink, end_marked, run, scrub_environment
from tests.waiting import are_gone, until


def ran(command: str | list[str], cwd: Path, *, seconds: float = 20, **more: object) -> Finished:
    env, limits = dict(os.environ), ProcessLimits(seconds, 4096)
    return asyncio.run(
        run(command, cwd=str(cwd), env=env, mark=str(cwd), limits=limits, **more)  # type: ignore[arg-type]
    )


def test_a_command_gets_its_input_and_gives_its_output(tmp_path: Path) -> None:
    ended = ran("cat; echo oops >&2; exit 3", tmp_path, stdin=b"hello")

    assert (ended.exit_code, ended.stdout, ended.stderr) == (3, "hello", "oops\n")


def test_what_does_not_start_says_so(tmp_path: Path) -> None:
    ended = ran(["/nonexistent/tool"], tmp_path)

    assert ended.exit_code is None
    assert "/nonexistent/tool" in ended.problem


@pytest.mark.parametrize(
    "command",
    [
        "sleep 60 & echo $!; sleep 60",
        "trap '' TERM; echo $$; while :; do sleep 0.1; done",
        "setsid sh -c 'echo $$; exec sleep 60' & sleep 60",
    ],
    ids=["with a child", "that ignores the polite signal", "whose child left the group"],
)
def test_a_hanging_command_is_ended_with_all_it_started(command: str, tmp_path: Path) -> None:
    ended = ran(command, tmp_path, seconds=1)

    assert ended.timed_out
    assert ended.seconds < 60  # its children would take that long
    assert are_gone(ended.stdout)


def test_a_child_that_keeps_the_pipe_open_does_not_hold_up_the_end(tmp_path: Path) -> None:
    ended = ran("sleep 120 & echo $!", tmp_path, seconds=90)

    assert (ended.exit_code, ended.timed_out) == (0, False)
    assert ended.seconds < 90
    assert are_gone(ended.stdout)


def test_a_flood_of_output_keeps_its_beginning_and_its_end(tmp_path: Path) -> None:
    flood = "echo first; head -c 50000000 /dev/zero | tr '\\0' x; echo; echo last"
    ended = ran(flood, tmp_path, seconds=60)

    assert ended.stdout.startswith("first\n")
    assert ended.stdout.endswith("last\n")
    assert "bytes left out" in ended.stdout
    assert len(ended.stdout) < 5000


@pytest.mark.torture
def test_a_gigabyte_of_output_costs_no_memory(tmp_path: Path) -> None:
    import resource

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    ended = ran("head -c 1000000000 /dev/zero", tmp_path, seconds=300)

    assert ended.exit_code == 0
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000


def test_a_cancelled_run_leaves_nothing_behind(tmp_path: Path) -> None:
    async def cancelled() -> None:
        limits = ProcessLimits(60, 4096)
        command = "echo $$ > pid; exec sleep 60"
        task = asyncio.ensure_future(
            run(command, cwd=str(tmp_path), env=dict(os.environ), mark=str(tmp_path), limits=limits)
        )
        while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text():
            await asyncio.sleep(0.02)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())

    assert are_gone((tmp_path / "pid").read_text())


def test_marked_processes_of_a_dead_run_can_be_ended(tmp_path: Path) -> None:
    pid = os.spawnve(
        os.P_NOWAIT, sys.executable, [sys.executable, "-c", "import time; time.sleep(60)"],
        {**os.environ, "HARDWON_LOOP": str(tmp_path)},
    )  # fmt: skip
    until(lambda: str(tmp_path).encode() in Path(f"/proc/{pid}/environ").read_bytes())

    assert end_marked(str(tmp_path)) == 1
    os.waitpid(pid, 0)
    assert end_marked(str(tmp_path)) == 0


def test_secrets_do_not_reach_a_verifier() -> None:
    environ = {
        "PATH": "/bin",
        "OPENAI_API_KEY": "x",
        "GITHUB_TOKEN": "x",
        "DB_PASSWORD": "x",
        "AWS_REGION": "x",
        "HARDWON_HOME": "x",
        "GIT_AUTHOR_NAME": "me",
        "JAVA_HOME": "/j",
        "WANTED_TOKEN": "y",
    }

    clean = scrub_environment(environ, passed=["WANTED_TOKEN"])

    assert clean["WANTED_TOKEN"] == "y"
    kept = {name for name in clean if name in environ}
    assert kept == {"PATH", "GIT_AUTHOR_NAME", "JAVA_HOME", "WANTED_TOKEN"}


def test_a_sink_keeps_all_that_fits() -> None:
    sink = Sink(100)
    for _ in range(10):
        sink.add(b"0123456789")

    assert sink.text() == "0123456789" * 10
