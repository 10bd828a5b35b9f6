"""A queue in trouble, through the public face: too big, too slow, too often, too early."""

from __future__ import annotations

import json
import logging
import struct
import subprocess
import sys
import threading
import zlib
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest

import hardwon
from hardwon import Hardwon, Step
from hardwon.core.errors import TransientError
from hardwon.core.settings import load
from hardwon.storage.ports import Request
from tests.samples import NOW, Clock

LESSON = (
    "<situation>when it rains on the way to work</situation><mistake>no umbrella</mistake>"
    "<correction>take the large umbrella</correction><tags>rain</tags>"
)
MIB = 1 << 20


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def clock() -> Clock:
    return Clock()


def put_by_another_program(home: Path, name: str, size: int) -> None:
    """A record as the published program writes it, with a payload of so many bytes."""
    at = NOW.isoformat().replace("+00:00", "Z")
    request = {"Task": name, "Attempt": "@", "Outcome": "ERROR: e", "Trigger": "error"}
    times = {"EnqueuedAt": at, "NextAttemptAt": at, "Attempts": 0, "LastError": ""}
    job = {"ID": name, "Request": request, **times}
    text = json.dumps({"v": 1, "job": job}, separators=(",", ":"))
    payload = text.replace("@", "x" * (size - len(text) + 1)).encode()
    crc = zlib.crc32(payload)
    record = struct.pack(">4sII", b"LSN1", len(payload), crc) + payload + struct.pack(">I", crc)
    folder = home / "queue" / "wal"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.wal").write_bytes(record)


def commanded(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "hardwon", *words, "--home", str(home)]
    return subprocess.run(command, capture_output=True, text=True)


def with_queue(home: Path, **values: object) -> hardwon.Settings:
    settings = load(str(home))
    queue = settings.queue._replace(**values)  # type: ignore[arg-type]
    return settings._replace(queue=queue)


@pytest.mark.parametrize("size", [3 * MIB, 15 * MIB])
def test_a_big_record_of_another_program_is_worked_like_any_other(
    home: Path, clock: Clock, size: int
) -> None:
    put_by_another_program(home, "aaaa", size)
    put_by_another_program(home, "bbbb", 1000)

    with hardwon.open(home, clock=clock, model=lambda asked: LESSON) as hw:
        assert hw.drain().done == 2


def test_a_big_record_survives_its_retries_and_its_burial(home: Path, clock: Clock) -> None:
    put_by_another_program(home, "aaaa", 3 * MIB)

    with hardwon.open(home, clock=clock, model=_busy) as hw:
        _drain_for_long(hw, clock)
        (dead,) = hw.queue.dead()
        hw.queue.revive(dead.id)

        assert dead.attempts == 5
        assert "busy" in dead.last_error
        assert [job.id for job in hw.queue.waiting()] == ["aaaa"]


def test_a_record_that_cannot_be_handled_is_set_aside_and_told(home: Path) -> None:
    put_by_another_program(home, "aaaa", 17 * MIB)
    put_by_another_program(home, "bbbb", 1000)

    worked = commanded(home, "work", "--drain")
    checked = commanded(home, "doctor")

    assert worked.returncode == 0, worked.stderr
    assert "1 given up, 0 waiting" in worked.stdout or "1 done" in worked.stdout
    assert checked.returncode == 1
    assert "1 unreadable record in quarantine" in checked.stdout


def test_a_job_as_large_as_a_record_may_be_takes_its_last_error(home: Path, clock: Clock) -> None:
    put_by_another_program(home, "aaaa", MIB)

    with hardwon.open(home, clock=clock, model=_busy) as hw:
        assert hw.drain().retried == 1
        assert "busy" in hw.queue.waiting()[0].last_error


@pytest.mark.parametrize(
    ("letter", "count"), [("x", 150), ("語", 100), ("<", 100), ("\N{ROCKET}", 150)]
)
def test_no_run_is_too_large_to_be_kept(home: Path, letter: str, count: int) -> None:
    steps = [
        Step("bash", f"cat {n} " + letter * 8000, letter * 8000 + f" {n}") for n in range(count)
    ]
    failed = Step("bash", "make all", "error: " + letter * 7000 + " the last line", failed=True)

    with hardwon.open(home) as hw:
        hw.agent("coder").after_run(
            task=letter * 20_000, attempt=letter * 300_000, error="e", steps=[*steps, failed]
        )
        (job,) = hw.queue.waiting()

    kept = job.episode.steps
    assert kept[-1].output.endswith("the last line")
    assert len(kept[-1].output) > 7000
    assert len(kept[0].output) <= len(kept[-1].output)
    assert (home / "queue" / "wal" / f"{job.id}.wal").stat().st_size <= MIB + 16


def test_the_oldest_outputs_give_way_first(home: Path) -> None:
    steps = [Step("bash", f"cat {n}", "語" * 8000, failed=True) for n in range(60)]

    with hardwon.open(home) as hw:
        hw.agent("coder").after_run(task="t", error="e", steps=steps)
        (job,) = hw.queue.waiting()

    lengths = [len(step.output) for step in job.episode.steps]
    assert lengths == sorted(lengths)
    assert lengths[0] < 1000
    assert lengths[-1] == 8000
    assert [step.args for step in job.episode.steps] == [f"cat {n}" for n in range(60)]


def test_a_job_that_was_not_tried_costs_no_attempt(home: Path, clock: Clock) -> None:
    calls = []

    def busy(asked: Request) -> str:
        calls.append(asked)
        raise TransientError("answered 503")

    with hardwon.open(home, clock=clock, model=busy) as hw:
        for number in range(8):
            hw.agent("coder").after_run(task=f"task {number}", error=f"error {number}")
        _drain_for_long(hw, clock)
        dead = hw.queue.dead()

    assert len(calls) == 8 * 5
    assert [(job.attempts, job.last_error) for job in dead] == [(5, "answered 503")] * 8


def test_no_time_limit_for_a_job_means_the_default(home: Path) -> None:
    settings = with_queue(home, job_timeout=timedelta(0))

    with hardwon.open(settings=settings, model=lambda asked: LESSON) as hw:
        hw.agent("coder").after_run(task="t", error="e")
        assert hw.drain().done == 1


def test_a_model_function_that_blocks_does_not_hold_the_queue(home: Path) -> None:
    settings = with_queue(home, job_timeout=timedelta(milliseconds=100))
    let_go, ended = threading.Event(), threading.Event()

    def blocks(asked: Request) -> str:
        let_go.wait(20)
        ended.set()
        return LESSON

    with hardwon.open(settings=settings, model=blocks) as hw:
        hw.agent("coder").after_run(task="t", error="e")
        tally = hw.drain()
        was_blocked = not ended.is_set()
        let_go.set()

    assert tally.retried == 1
    assert was_blocked


def test_a_retry_written_by_a_clock_that_was_ahead_is_due_at_once(home: Path, clock: Clock) -> None:
    answers: Iterator[Callable[[Request], str]] = iter([_busy, lambda asked: LESSON])

    with hardwon.open(home, clock=clock, model=lambda asked: next(answers)(asked)) as hw:
        hw.agent("coder").after_run(task="t", error="e")
        clock.now = NOW + timedelta(hours=2)
        assert hw.drain().retried == 1
        clock.now = NOW + timedelta(seconds=5)

        assert hw.drain().done == 1


def test_a_wait_that_a_server_asked_for_outlives_the_process(home: Path, clock: Clock) -> None:
    def later(asked: Request) -> str:
        raise TransientError("429", retry_after=3600)

    with hardwon.open(home, clock=clock, model=later) as hw:
        hw.agent("coder").after_run(task="t", error="e")
        hw.drain()
    clock.now = NOW + timedelta(minutes=30)
    with hardwon.open(home, clock=clock, model=lambda asked: LESSON) as hw:
        assert hw.drain().done == 0
        clock.now = NOW + timedelta(minutes=61)
        assert hw.drain().done == 1


def test_a_discrepancy_counts_where_errors_are_switched_off(home: Path) -> None:
    settings = load(str(home))
    gates = settings.reflexion._replace(on_error=False)
    signals = {"verified_with_discrepancy": True, "verifier_discrepancies": "the sum is wrong"}

    with hardwon.open(settings=settings._replace(reflexion=gates)) as hw:
        job = hw.agent("coder").after_run(task="t", error="boom", signals=signals)
        ignored = hw.agent("coder").after_run(task="t", error="boom")

    assert job is not None
    assert job.trigger == "hallucination"
    assert ignored is None


def test_a_lesson_that_is_not_kept_is_shown_by_the_command_that_made_it(home: Path) -> None:
    home.mkdir()
    (home / "config.toml").write_text('[reflexion]\npersist = false\n[model]\nname = "rules"\n')
    with hardwon.open(home) as hw:
        hw.agent("default").after_run(
            task="Make the report", error="cat: report.txt: No such file or directory"
        )

    worked = commanded(home, "work", "--drain")

    assert "LESSON: " in worked.stderr
    assert "No such file" in worked.stderr
    with hardwon.open(home) as hw:
        assert list(hw.agent("default").lessons.list()) == []


def test_a_lesson_that_is_not_kept_is_logged_as_loudly_as_a_warning(
    home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    settings = load(str(home))
    quiet = settings._replace(reflexion=settings.reflexion._replace(persist=False))
    with hardwon.open(settings=quiet, model=lambda asked: LESSON) as hw:
        hw.agent("coder").after_run(task="t", error="e")
        hw.drain()

    assert any(
        "LESSON: when it rains" in text
        for _, level, text in caplog.record_tuples
        if level >= logging.WARNING
    )


def test_the_same_lesson_of_several_hallucinations_is_kept_once(home: Path) -> None:
    signals = {"verified_with_discrepancy": True, "verifier_discrepancies": "the sum is wrong"}
    with hardwon.open(home, model=lambda asked: LESSON) as hw:
        coder = hw.agent("coder")
        for number in range(3):
            coder.after_run(task=f"add up the invoices of month {number}", signals=signals)
        assert hw.drain().done == 3

        (kept,) = coder.lessons.list()
    assert kept.trigger == "hallucination"
    assert kept.met == 3


class Falsy(Exception):
    """An exception that calls itself false."""

    def __bool__(self) -> bool:
        return False


class Mute(Exception):
    """An exception that cannot say what it is."""

    def __str__(self) -> str:
        raise RuntimeError("no words")


@pytest.mark.parametrize("error", [Falsy("boom"), Mute()])
def test_any_exception_is_captured(home: Path, error: Exception) -> None:
    with hardwon.open(home) as hw:
        job = hw.agent("coder").after_run(task="t", error=error)

    assert job is not None
    assert job.episode.error.startswith(type(error).__name__)


@pytest.mark.parametrize("prompt", [{}, None, 7, ["a"], b"bytes", Mute()])
def test_a_prompt_of_the_wrong_type_does_not_disturb_what_follows(
    home: Path, prompt: object
) -> None:
    troubles: list[BaseException] = []
    with hardwon.open(home) as hw:
        hw.on_trouble(troubles.append)
        coder = hw.agent("coder", run="r1")
        coder.before_turn(prompt)  # type: ignore[arg-type]
        coder.before_action(None, {"x": object()})  # type: ignore[arg-type]
        coder.after_action("bash", {"command": "make"}, output="make: *** no rule", failed=True)
        coder.after_action("bash", {"command": "make"}, output="make: *** no rule", failed=True)
        coder.after_run(task="build it", error="no rule")
        (job,) = hw.queue.waiting()

    assert troubles == []
    assert [step.tool for step in job.episode.steps] == ["bash", "bash"]


def _busy(asked: Request) -> str:
    raise TransientError("busy")


def _drain_for_long(hw: Hardwon, clock: Clock) -> None:
    """Work until nothing waits, with an hour's sleep whenever nothing is due."""
    for _ in range(300):
        hw.drain()
        if not hw.queue.waiting():
            return
        clock.now += timedelta(minutes=1)
    raise AssertionError("jobs still wait")
