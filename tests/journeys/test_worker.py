"""A worker as it is run: another process, signals, scrapes, and jobs that kill."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import hardwon
from hardwon.core.errors import InvalidInput
from tests.waiting import until

ENVIRON = {name: value for name, value in os.environ.items() if not name.startswith("HARDWON_")}
Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def start(home: Path) -> Iterator[Start]:
    """Starts `hardwon …` on the home; what still runs at the end is ended."""
    running = []

    def begin(*arguments: str, **environ: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-m", "hardwon", *arguments, "--home", str(home)],
            env={**ENVIRON, **environ},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        running.append(process)
        return process

    yield begin
    for process in running:
        process.kill()
        process.communicate()


def fail(home: Path, task: str) -> None:
    with hardwon.open(home) as hw:
        hw.agent("coder").after_run(task=task, error=f"cannot {task}: no such file")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def get(port: int, path: str, **headers: str) -> tuple[int, str]:
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()
    except urllib.error.URLError:
        return 0, ""


def test_a_worker_works_what_others_add_and_ends_well_at_sigterm(home: Path, start: Start) -> None:
    fail(home, "a")
    worker = start("work")
    until(lambda: not hardwon.open(home).queue.waiting())

    fail(home, "b")
    until(lambda: not hardwon.open(home).queue.waiting())
    worker.send_signal(signal.SIGTERM)
    said, errors = worker.communicate(timeout=30)

    assert (worker.returncode, errors) == (0, "")
    assert said == "2 done, 0 to retry, 0 given up, 0 waiting\n"
    assert len(hardwon.open(home).agent("coder").lessons.list(status="all")) >= 1


def test_the_one_who_stands_by_takes_over_from_the_killed(home: Path, start: Start) -> None:
    first = start("work")
    until(lambda: hardwon.open(home).queue.status()[1])
    second = start("work")
    first.kill()
    first.wait()

    fail(home, "a")

    until(lambda: not hardwon.open(home).queue.waiting())
    second.send_signal(signal.SIGTERM)
    assert second.communicate(timeout=30)[0].startswith("1 done")


def test_a_worker_tells_how_it_is(home: Path, start: Start) -> None:
    port = free_port()
    fail(home, "a")
    start("work", "--metrics-port", str(port))
    until(lambda: get(port, "/readyz")[0] == 200)
    until(lambda: 'attempts_total{outcome="success"} 1.0' in get(port, "/metrics")[1])

    metrics = get(port, "/metrics")[1]

    assert 'hardwon_lessonq_enqueue_total{outcome="accepted"} 1.0' in metrics
    assert (
        'hardwon_lessonq_processing_duration_seconds_bucket{le="0.5",outcome="success"}' in metrics
    )
    assert "hardwon_lessonq_dlq_size 0.0" in metrics
    assert "hardwon_lessonq_wal_segments 0.0" in metrics
    assert get(port, "/healthz") == (200, "ok\n")
    assert get(port, "/elsewhere")[0] == 404
    assert get(port, "/metrics", Host="evil.example")[0] == 421


def test_a_job_that_kills_its_worker_ends_among_the_dead(home: Path) -> None:
    fail(home, "a")
    fail(home, "poison")
    code = f"""
import os, hardwon
from hardwon.models.rules import Rules
class Killer(Rules):
    async def complete(self, request):
        if "poison" in request.prompt:
            os._exit(9)
        return await super().complete(request)
hardwon.open({str(home)!r}, model=Killer()).drain()
"""
    codes = [subprocess.run([sys.executable, "-c", code], env=ENVIRON).returncode for _ in range(6)]

    assert codes == [9, 9, 9, 9, 9, 0]
    with hardwon.open(home) as hw:
        assert hw.queue.waiting() == []
        assert [job.episode.task for job in hw.queue.dead()] == ["poison"]
        assert hw.queue.dead()[0].attempts == 5


def test_a_second_signal_does_not_wait(home: Path, start: Start) -> None:
    fail(home, "a")
    code = f"""
import asyncio, hardwon, pathlib
from hardwon.models.rules import Rules
class Slow(Rules):
    async def complete(self, request):
        pathlib.Path({str(home / "started")!r}).touch()
        await asyncio.sleep(60)
hardwon.open({str(home)!r}, model=Slow()).work()
"""
    worker = subprocess.Popen([sys.executable, "-c", code], env=ENVIRON)
    until((home / "started").exists)
    worker.send_signal(signal.SIGTERM)
    time.sleep(0.3)
    assert worker.poll() is None

    def is_ended() -> bool:
        worker.send_signal(signal.SIGTERM)  # two that come too fast are one
        return worker.poll() is not None

    until(is_ended)
    assert worker.returncode == 1
    assert len(hardwon.open(home).queue.waiting()) == 1


def test_a_job_starts_a_worker_of_its_own_where_that_is_wanted(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HARDWON_QUEUE_AUTOSTART", "on")
    fail(home, "a")

    until(lambda: not hardwon.open(home).queue.waiting())
    until(lambda: hardwon.open(home).agent("coder").lessons.list(status="all"))

    told = hardwon.open(home).queue.status()[1]
    if told:
        os.kill(told["pid"], signal.SIGTERM)


def test_without_the_queue_a_thread_learns_and_nothing_is_written(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HARDWON_QUEUE_ENABLED", "false")
    with hardwon.open(home) as hw:
        hw.agent("coder").after_run(task="a", error="cannot a: no such file")

        until(lambda: not hw.queue.waiting())
        until(lambda: hw.agent("coder").lessons.list(status="all"))

    assert not (home / "queue").exists()


SLOW_MODEL = """
import sys, threading, time, hardwon

def model(request):
    time.sleep(0.3)
    words = request.prompt.split("task ")[1][0]
    return (f"<situation>When {words} is built</situation><mistake>it broke</mistake>"
            f"<correction>Mend {words} first</correction><tags>{words}, build</tags>")

def fail(hw, names):
    for name in names:
        hw.agent("coder").after_run(task=f"task {name}", error=f"{name} is broken")

def lessons(hw):
    return len(hw.agent("coder").lessons.list())
"""


def run_script(home: Path, code: str, **environ: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", SLOW_MODEL + code, str(home)]
    return subprocess.run(
        command, env={**ENVIRON, **environ}, capture_output=True, text=True, timeout=60, check=False
    )


def test_without_the_queue_a_closed_process_has_learnt_everything(home: Path) -> None:
    code = """
hw = hardwon.open(sys.argv[1], model=model)
fail(hw, "abcdef")
hw.close()
print(lessons(hardwon.open(sys.argv[1])), threading.active_count())
"""
    done = run_script(home, code, HARDWON_QUEUE_ENABLED="false")

    assert (done.stdout, done.stderr) == ("6 1\n", "")


def test_without_the_queue_and_without_close_nothing_breaks(home: Path) -> None:
    code = 'fail(hardwon.open(sys.argv[1], model=model), "abc")'
    done = run_script(home, code, HARDWON_QUEUE_ENABLED="false")

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert len(hardwon.open(home).agent("coder").lessons.list()) == 3


def test_a_worker_in_the_background_learns_by_itself(home: Path) -> None:
    with hardwon.open(home, work=True) as hw:
        for name in "abc":
            hw.agent("coder").after_run(task=name, error=f"cannot {name}: no such file")
        until(lambda: not hw.queue.waiting())
        until(lambda: hw.worker.ledger.tally.done == 3)


@pytest.mark.parametrize("end", ["hw.close()", "", "del hw"])
def test_the_end_waits_for_the_jobs_in_flight_and_keeps_the_others(home: Path, end: str) -> None:
    code = f"""
hw = hardwon.open(sys.argv[1], model=model, work=True)
fail(hw, "abcdefgh")
while not hw.worker.ledger.running:
    time.sleep(0.01)
{end}
"""
    done = run_script(home, code)

    hw = hardwon.open(home)
    learnt, waiting = len(hw.agent("coder").lessons.list()), hw.queue.waiting()
    assert (done.returncode, done.stderr) == (0, "")
    assert learnt > 0
    assert learnt + len(waiting) == 8
    assert {job.attempts for job in waiting} <= {0}
    assert hw.queue.dead() == []


def test_drain_waits_for_the_worker_in_the_background(home: Path) -> None:
    code = """
with hardwon.open(sys.argv[1], model=model, work=True) as hw:
    fail(hw, "abcde")
    print(hw.drain().done <= 5, lessons(hw), len(hw.queue.waiting()))
"""
    assert run_script(home, code).stdout == "True 5 0\n"


def test_a_store_in_memory_is_worked_in_the_background_too() -> None:
    with hardwon.open("memory:", work=True) as hw:
        hw.agent("coder").after_run(task="a", error="cannot a: no such file")
        until(lambda: hw.worker.ledger.tally.done == 1)


def test_a_server_works_its_own_queue() -> None:
    with pytest.raises(InvalidInput, match="where the server runs"):
        hardwon.open("http://127.0.0.1:1", key="k", work=True)  # type: ignore[call-overload]
