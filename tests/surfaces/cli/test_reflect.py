"""`hardwon reflect`: lessons by hand, and the queue."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import hardwon
from hardwon.core.errors import TransientError
from hardwon.models.scripted import Scripted
from hardwon.surfaces.cli import run
from tests.surfaces.cli.printing import Capture, out

pytestmark = pytest.mark.usefixtures("home")


def test_a_lesson_by_hand_is_kept_and_recalled(capsys: Capture) -> None:
    said = out(capsys, "reflect", "when editing large Go files use Edit, not full rewrite")

    assert said == "Kept as lesson #1: when editing large Go files use Edit, not full rewrite\n"
    assert "[KNOWN PITFALLS" in out(capsys, "recall", "edit the large Go file")
    unsaid = out(capsys, "recall", "paint the fence")
    assert "(nothing fits)" in unsaid
    assert "--explain" in unsaid


def test_a_lesson_may_begin_with_a_verb(capsys: Capture) -> None:
    out(capsys, "reflect", "list", "the", "pods", "before", "a", "deploy")

    assert "list the pods before a deploy" in out(capsys, "lesson", "list")


def test_the_state_of_the_queue_is_told_with_what_to_do_next(capsys: Capture) -> None:
    assert out(capsys, "reflect").startswith("0 jobs waiting, 0 given up\nLook closer: hardwon")
    assert out(capsys, "reflect", "failed") == "No job was given up.\n"


def test_a_misspelt_verb_is_no_lesson(capsys: Capture) -> None:
    assert run(["reflect", "fialed"]) == 2

    assert "no such verb: fialed; did you mean failed?" in capsys.readouterr().err
    assert "#1: tabs" in out(capsys, "reflect", "tabs")


def test_a_job_that_is_tried_again_says_why(capsys: Capture, home: Path) -> None:
    with hardwon.open(home, model=Scripted([TransientError("429: slow down")])) as hw:
        hw.agent("coder").after_run(task="build it", error="cannot build it")
        hw.drain()

    assert "    task: build it\n    last error: 429: slow down\n" in out(capsys, "reflect", "list")


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
    assert f"name a job, or all: hardwon reflect {verb} ID... | --all" in capsys.readouterr().err


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


def test_a_note_that_is_known_is_not_said_to_be_kept(capsys: Capture) -> None:
    out(capsys, "reflect", "run the migrations before the tests")

    again = out(capsys, "reflect", "Run the migrations  before the tests")

    assert again == "Known already: lesson #1: run the migrations before the tests\n"


def test_the_state_of_the_queue_is_no_lesson(capsys: Capture) -> None:
    assert out(capsys, "reflect", "status") == out(capsys, "reflect")
