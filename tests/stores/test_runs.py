"""A run, in this process and on disk: task, steps, what was told, and when it is forgotten."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hardwon import Scope, Step
from hardwon.core.errors import StorageError
from hardwon.core.values.run import Failure, RunSoFar, Shown
from hardwon.storage.ports import Run
from hardwon.storage.stores import runs
from hardwon.storage.stores.runs import FileRun, MemoryRun, call_name
from tests.full_disk import full_disk

DAY = 86400.0
WORKED = Step("bash", "make all", "done")
FAILED = Step("bash", "make all", "error: no rule", True, Failure("e", "k", "no rule", "no rule"))


@pytest.fixture(params=["memory", "disk"])
def run(request: pytest.FixtureRequest, tmp_path: Path) -> Run:
    return MemoryRun() if request.param == "memory" else FileRun(str(tmp_path), Scope(), "r")


def test_a_run_begins_empty(run: Run) -> None:
    assert run.so_far() == RunSoFar()
    assert run.so_far().last_error == ""


def test_a_run_knows_its_task_its_steps_and_its_last_error(run: Run) -> None:
    run.begin("plan it")
    run.begin("build it")
    run.record(FAILED)
    run.record(WORKED)

    past = run.so_far()

    assert (past.task, past.steps) == ("build it", (FAILED, WORKED))
    assert past.last_error == "error: no rule"


def test_a_failure_without_a_word_is_an_error(run: Run) -> None:
    run.record(Step("bash", "false", "", failed=True))

    assert run.so_far().last_error


def test_a_turn_is_what_was_done_since_somebody_said_something(run: Run) -> None:
    run.record(FAILED)
    assert run.so_far().turn == (FAILED,)

    run.begin("try again")
    assert run.so_far().turn == ()

    run.note_shown([1])
    run.record(WORKED)
    assert run.so_far().turn == (WORKED,)
    assert run.so_far().steps == (FAILED, WORKED)


def test_a_warning_belongs_to_the_very_call_it_was_given_before(run: Run) -> None:
    run.note_shown([1], "make all")
    assert run.so_far().warned == call_name("make all") != call_name("make clean")

    run.record(WORKED)
    assert run.so_far().warned == ""


def test_what_was_told_before_a_call_is_known_apart(run: Run) -> None:
    run.note_shown([1])
    run.note_shown([2, 3], "make all")
    run.record(WORKED)

    assert run.so_far().warnings == {2, 3}
    assert run.so_far().told == {1, 2, 3}


def test_what_counts_once_a_run_is_remembered(run: Run) -> None:
    run.note_marks(["a"])
    run.note_marks(["b", "a"])

    assert run.so_far().counted == {"a", "b"}


def test_a_run_knows_what_it_was_shown_and_how_many_steps_ago(run: Run) -> None:
    run.record(WORKED)
    run.note_shown([1], "make all", Shown("d1", "action", ("k",)))
    run.record(FAILED)
    run.note_shown([2], shown=Shown("d2", "error"))
    run.note_shown([3])

    first = Shown("d1", "action", ("k",), 1, (1,))
    assert run.so_far().shown == (first, Shown("d2", "error", (), 0, (2,)))


def test_an_ended_run_is_forgotten(run: Run) -> None:
    run.begin("build it")
    run.record(FAILED)
    run.note_shown([1], "", Shown("d1", "turn"))

    run.end()

    assert run.so_far() == RunSoFar()


def test_a_disk_that_takes_nothing_does_not_end_the_memory_of_a_process(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.write_text("no directory can be made here")
    run = FileRun(str(home), Scope(), "r")
    for step in (FAILED, WORKED):
        with pytest.raises(StorageError):
            run.record(step)

    assert run.so_far().steps == (FAILED, WORKED)

    home.unlink()
    run.record(FAILED)
    assert FileRun(str(home), Scope(), "r").so_far().steps == (FAILED, WORKED, FAILED)


def test_processes_share_a_run(tmp_path: Path) -> None:
    FileRun(str(tmp_path), Scope(), "r").record(FAILED)

    assert FileRun(str(tmp_path), Scope(), "r").so_far().steps == (FAILED,)


@pytest.mark.parametrize(
    "other",
    [Scope(tenant="b"), Scope(agent="b"), Scope(project="b")],
    ids=["tenant", "agent", "project"],
)
def test_runs_of_one_name_in_two_scopes_share_nothing(tmp_path: Path, other: Scope) -> None:
    FileRun(str(tmp_path), Scope(), "r").record(FAILED)

    assert FileRun(str(tmp_path), other, "r").so_far() == RunSoFar()


def test_the_note_of_a_warning_does_not_hold_the_call(tmp_path: Path) -> None:
    FileRun(str(tmp_path), Scope(), "r").note_shown([1], "curl -H 'Bearer abc'")

    (file,) = (tmp_path / "runs").iterdir()

    assert "Bearer" not in file.read_text(encoding="utf-8")


def test_whoever_ends_a_run_does_not_look_at_all_others_every_time(tmp_path: Path) -> None:
    FileRun(str(tmp_path), Scope(), "first").record(WORKED)
    FileRun(str(tmp_path), Scope(), "first").end()
    old = FileRun(str(tmp_path), Scope(), "old")
    old.record(WORKED)
    (file,) = (tmp_path / "runs").glob("*.jsonl")
    long_ago = file.stat().st_mtime - 8 * DAY
    os.utime(file, (long_ago, long_ago))

    FileRun(str(tmp_path), Scope(), "second").end()
    assert old.so_far().steps
    os.utime(tmp_path / "runs" / "tidied", (long_ago, long_ago))
    FileRun(str(tmp_path), Scope(), "third").end()

    assert not old.so_far().steps


def test_unscreened_notes_of_earlier_builds_are_removed(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    for name in ("s.task", "s.error"):
        (tmp_path / "runs" / name).write_text("a raw prompt")

    FileRun(str(tmp_path), Scope(), "r").end()

    assert {file.name for file in (tmp_path / "runs").iterdir()} == {"tidied"}


@pytest.mark.parametrize(
    "torn",
    [
        b'["bash","make',
        b'{"told":[1',
        b'{"told":7}',
        b'{"shown":[1]}',
        b'{"cut":7}',
        b"[1]",
        b"7",
        b"\xff\xfe",
    ],
)
def test_a_torn_line_costs_that_line_only(tmp_path: Path, torn: bytes) -> None:
    run = FileRun(str(tmp_path), Scope(), "r")
    run.begin("build it")
    run.record(WORKED)
    (file,) = (tmp_path / "runs").iterdir()
    with file.open("ab") as end:
        end.write(b"\n" + torn)
    run.record(FAILED)
    run.note_shown([4])

    past = run.so_far()

    assert (past.task, past.steps, past.told) == ("build it", (WORKED, FAILED), frozenset({4}))


def test_a_long_run_keeps_its_notes_and_its_newest_steps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "READ", 2000)
    monkeypatch.setattr(runs, "_KEPT", 8000)
    run = FileRun(str(tmp_path), Scope(), "r")
    run.begin("build it")
    run.note_shown([1], "", Shown("early", "turn"))
    for number in range(200):
        if number == 198:
            run.note_shown([1], "", Shown("late", "turn"))
        run.record(Step("bash", f"make {number}", "x" * 100))

    past = run.so_far()

    assert (past.task, past.told) == ("build it", frozenset({1}))
    assert [step.args for step in past.steps][-2:] == ["make 198", "make 199"]
    assert 1 < len(past.steps) < 20
    assert [(shown.delivery, shown.after) for shown in past.shown] == [("early", 200), ("late", 2)]
    assert sum(file.stat().st_size for file in (tmp_path / "runs").iterdir()) < 9000


def test_a_step_that_the_disk_refused_is_still_a_step_of_the_run(tmp_path: Path) -> None:
    run = FileRun(str(tmp_path), Scope(), "r")
    run.record(WORKED)

    with full_disk(), pytest.raises(StorageError):
        run.record(FAILED)

    assert run.so_far().steps == (WORKED, FAILED)


def test_a_planted_link_is_not_read_as_a_run(tmp_path: Path) -> None:
    run = FileRun(str(tmp_path), Scope(), "r")
    run.record(WORKED)
    [record] = (tmp_path / "runs").iterdir()
    record.rename(tmp_path / "elsewhere")
    record.symlink_to(tmp_path / "elsewhere")

    with pytest.raises(StorageError):
        run.so_far()


def test_a_step_that_is_larger_than_all_that_is_kept_leaves_the_notes(tmp_path: Path) -> None:
    run = FileRun(str(tmp_path), Scope(), "r")
    run.begin("build it")
    run.record(Step("bash", "make", "x" * (5 * runs.READ)))

    past = run.so_far()

    assert (past.task, past.steps, past.made) == ("build it", (), 1)


def test_a_run_in_progress_has_its_newest_steps_and_all_its_notes(run: Run) -> None:
    run.note_shown([1], "", Shown("d1", "turn"))
    for number in range(runs.STEPS_REMEMBERED + 50):
        run.record(Step("bash", f"make {number}"))

    past = run.so_far()

    assert [step.args for step in past.steps][:: runs.STEPS_REMEMBERED - 1] == [
        "make 50",
        "make 249",
    ]
    assert (past.made, set(past.told), past.shown[0].after) == (250, {1}, 250)


def test_the_end_of_a_run_on_disk_sees_more_steps_than_its_events(tmp_path: Path) -> None:
    run = FileRun(str(tmp_path), Scope(), "r")
    for number in range(runs.STEPS_REMEMBERED + 50):
        run.record(Step("bash", f"make {number}"))

    assert len(run.whole().steps) == run.whole().made == runs.STEPS_REMEMBERED + 50


def test_what_another_process_adds_is_seen(tmp_path: Path) -> None:
    run = FileRun(str(tmp_path), Scope(), "r")
    run.record(WORKED)
    run.so_far()
    code = """
import sys
from hardwon import Scope, Step
from hardwon.storage.stores.runs import FileRun
run = FileRun(sys.argv[1], Scope(), "r")
run.record(Step("bash", "make test"))
run.note_marks(["a"])
"""
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=True)

    past = run.so_far()

    assert [step.args for step in past.steps] == ["make all", "make test"]
    assert past.counted == {"a"}


def test_a_line_that_is_half_written_is_read_when_it_is_whole(tmp_path: Path) -> None:
    run = FileRun(str(tmp_path), Scope(), "r")
    run.record(WORKED)
    (file,) = (tmp_path / "runs").iterdir()
    whole = b'\n["bash","make test","done",false,null]'
    for end in range(1, len(whole)):
        before = file.read_bytes()
        file.write_bytes(before + whole[:end])
        assert run.so_far().steps == (WORKED,)
        file.write_bytes(before)
    with file.open("ab") as lines:
        lines.write(whole)

    assert [step.args for step in run.so_far().steps] == ["make all", "make test"]


def test_a_run_that_begins_again_under_its_name_knows_nothing_of_the_one_before(
    tmp_path: Path,
) -> None:
    run, other = (FileRun(str(tmp_path), Scope(), "r") for _ in range(2))
    for _ in range(3):
        run.record(FAILED)
    run.so_far()
    (file,) = (tmp_path / "runs").iterdir()
    file.unlink()  # by another process; the new file may get the same inode
    for _ in range(4):
        other.record(WORKED)

    assert run.so_far().steps == (WORKED,) * 4


def test_a_file_that_another_process_has_cut_is_read_again(tmp_path: Path) -> None:
    run = FileRun(str(tmp_path), Scope(), "r")
    for number in range(20):
        run.record(Step("bash", f"make {number}"))
    run.so_far()
    (file,) = (tmp_path / "runs").iterdir()
    notes = [line for line in file.read_bytes().split(b"\n") if b"make 1" not in line]
    file.write_bytes(b"\n".join(notes))

    assert {step.args for step in run.so_far().steps} == {f"make {n}" for n in (0, *range(2, 10))}


def test_the_files_of_a_tenant_keep_their_names() -> None:
    assert runs.tenant_mark("default") == "fe98b07b1ba6b3a2-"
    assert len(FileRun("/x", Scope(), "r").name) == 32


def test_the_age_of_a_link_is_its_own(tmp_path: Path) -> None:
    (tmp_path / "real").touch()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    os.utime(tmp_path / "link", (1000, 1000), follow_symlinks=False)

    ages = {entry.name: runs.last_change(entry) for entry in os.scandir(tmp_path)}

    assert ages["link"] == 1000
    assert ages["real"] > 1000


def test_a_file_that_is_gone_is_as_new_as_can_be(tmp_path: Path) -> None:
    (tmp_path / "gone").touch()
    (entry,) = os.scandir(tmp_path)
    (tmp_path / "gone").unlink()

    assert runs.last_change(entry) > 1000
