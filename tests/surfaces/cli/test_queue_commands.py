"""The queue by hand: what waits, what died, and what to do about it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete

import hardwon
from hardwon.errors import PermanentError
from hardwon.ports import Reply, Request
from hardwon.surfaces.cli import cli, run

Capture = pytest.CaptureFixture[str]


class Refusing:
    """A model that never answers."""

    name = "refusing"

    async def complete(self, request: Request) -> Reply:
        raise PermanentError("no recognized blocks")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HARDWON_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def dead(home: Path) -> Iterator[list[str]]:
    """Three jobs that were given up."""
    with hardwon.open(home, model=Refusing()) as hw:
        for task in ("build it", "test it", "ship it"):
            hw.agent("coder").after_run(task=task, error=f"cannot {task}")
        hw.drain()
        yield [job.id for job in hw.queue.dead()]


def out(capsys: Capture, *arguments: str, code: int = 0) -> str:
    assert run(arguments) == code
    return capsys.readouterr().out


def test_the_dead_are_listed_with_task_and_reason(capsys: Capture, dead: list[str]) -> None:
    said = out(capsys, "reflect", "failed")

    assert said.startswith("Given up (3):\n")
    assert f"  {dead[0]}  error, 1 attempt, queued 2" in said
    assert "    task: build it\n    last error: no recognized blocks\n" in said
    assert "0 jobs waiting, 3 given up\n" in out(capsys, "reflect")


def test_dead_jobs_are_retried_one_many_or_all(capsys: Capture, dead: list[str]) -> None:
    assert out(capsys, "reflect", "retry", dead[0]) == f"Job {dead[0]} waits again\n"
    assert out(capsys, "reflect", "RETRY", *dead[1:2]) == f"Job {dead[1]} waits again\n"
    out(capsys, "reflect", "retry", "--all")

    assert "Waiting (3):\n" in out(capsys, "reflect", "list")
    assert "error, 0 attempts" in out(capsys, "reflect", "list")


def test_dead_jobs_are_purged_one_many_or_all(capsys: Capture, dead: list[str]) -> None:
    said = out(capsys, "reflect", "purge", *dead[:2])
    assert said == "".join(f"Job {identity} was removed\n" for identity in dead[:2])

    out(capsys, "reflect", "purge", "--all")

    assert out(capsys, "reflect", "failed") == "No job was given up.\n"


def test_an_unknown_job_does_not_keep_the_others_back(capsys: Capture, dead: list[str]) -> None:
    unknown = "0123456789abcdef"

    said = out(capsys, "reflect", "retry", unknown, dead[0], "--json", code=1)

    assert json.loads(said) == {"moved": [dead[0]], "missing": [unknown]}


@pytest.mark.parametrize("verb", ["retry", "purge"])
def test_a_verb_without_a_job_tells_its_usage(capsys: Capture, verb: str) -> None:
    assert run(["reflect", verb]) == 2
    assert f"usage: hardwon reflect {verb} <job-id>" in capsys.readouterr().err


def test_an_id_that_is_no_id_is_refused(capsys: Capture) -> None:
    assert run(["reflect", "retry", "../../etc/passwd"]) == 2
    assert "job id" in capsys.readouterr().err


def test_a_lesson_may_begin_with_retry(capsys: Capture) -> None:
    said = out(capsys, "reflect", "retry", "flaky", "tests", "once")

    assert said == "Kept as lesson #1: retry flaky tests once\n"


def test_draining_tells_what_became_of_the_jobs(capsys: Capture, dead: list[str]) -> None:
    out(capsys, "reflect", "retry", *dead)

    said = out(capsys, "reflect", "drain")

    assert said.startswith("3 jobs worked: ")


def test_without_the_queue_the_commands_say_so(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HARDWON_QUEUE_ENABLED", "off")

    assert "The durable queue is off" in out(capsys, "reflect")
    assert "HARDWON_QUEUE_ENABLED=1 turns it on" in out(capsys, "reflect", "list", code=1)


def test_tab_offers_verbs_and_the_dead_with_their_story(dead: list[str]) -> None:
    def tab(*before: str, incomplete: str = "") -> dict[str, str | None]:
        completion = ShellComplete(cli, {}, "hardwon", "_HARDWON_COMPLETE")
        found = completion.get_completions(["reflect", *before], incomplete)
        return {item.value: item.help for item in found}

    assert set(tab()) == {"list", "failed", "retry", "purge", "drain"}
    assert tab("retry")[dead[0]] == "build it — no recognized blocks"
    assert set(tab("purge", dead[0])) == set(dead[1:])
    assert set(tab("retry", incomplete=dead[2][:6])) == {dead[2]}
    assert tab("list") == {}


def test_doctor_tells_what_was_set_aside(capsys: Capture, home: Path) -> None:
    hardwon.open(home).agent("coder").after_run(task="t", error="e")
    [record] = (home / "queue" / "wal").iterdir()
    record.write_bytes(record.read_bytes()[:-3])
    out(capsys, "work", "--drain")

    assert "1 unreadable record in quarantine" in out(capsys, "doctor", code=1)


def test_work_once_works_one_job(capsys: Capture, home: Path) -> None:
    for task in "ab":
        hardwon.open(home).agent("coder").after_run(task=task, error="e")

    assert out(capsys, "work", "--once") == "1 done, 0 later, 0 given up, 1 waiting\n"
    assert out(capsys, "work", "--drain") == "1 done, 0 later, 0 given up, 0 waiting\n"


def test_top_shows_depth_and_retries(capsys: Capture, dead: list[str]) -> None:
    said = out(capsys, "queue", "top", "--once")

    assert "nobody works the queue" in said
    assert "pending 0   dead 3" in said
    assert json.loads(out(capsys, "queue", "top", "--json"))["counts"]["dead"] == 3


@pytest.mark.parametrize(("typed", "listed"), [("", 2), ("full", 1)])
def test_tab_in_bash_shows_the_task_and_the_error(tmp_path: Path, typed: str, listed: int) -> None:
    program = Path(sys.executable).with_name("hardwon")
    with hardwon.open(tmp_path, model=lambda asked: "no blocks at all") as hw:
        for task in ("deploy the shop *", "bake [the] bread"):
            hw.agent("default").after_run(task=task, error=f"{task}: it burnt")
        hw.drain()
        ids = sorted(job.id for job in hw.queue.dead())
    word = ids[0] if typed else ""
    script = f"""
        source <({program} completion bash)
        COMP_WORDS=(hardwon reflect retry '{word}'); COMP_CWORD=3
        _hardwon_completion {program}
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    environ = {**os.environ, "HARDWON_HOME": str(tmp_path)}
    ran = subprocess.run(["bash", "-c", script], env=environ, capture_output=True, text=True)
    shown = sorted(ran.stdout.splitlines())

    assert [line[:16] for line in shown] == ids[:listed], ran.stderr
    if listed == 1:
        assert shown == ids[:1]
    else:
        assert any("bake" in line and "bread — Reply lacks" in line for line in shown)
        assert any("deploy the shop" in line for line in shown)
