"""The doors through the public face: what is learnt on the way, shown, and kept quiet."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import hardwon
from hardwon import Agent
from hardwon.errors import StorageError

PYTEST = {"command": "pytest tests/test_a.py"}
MISSING = "bash: line 1: pytest: command not found"
WORKS = {"command": "bin/test tests/test_a.py"}


@pytest.fixture
def hw(tmp_path: Path) -> hardwon.Hardwon:
    return hardwon.open(tmp_path / "home")


def met_pytest(agent: Agent) -> None:
    agent.after_action("bash", PYTEST, output=MISSING, failed=True)
    agent.after_action("bash", WORKS, output="1 passed")
    agent.after_run(task="run the tests")


def test_a_failure_teaches_without_a_model_or_an_end_of_the_run(
    hw: hardwon.Hardwon,
) -> None:
    coder = hw.agent("coder")
    coder.after_action("bash", PYTEST, output=MISSING, failed=True)

    (lesson,) = coder.lessons.list()

    assert lesson.author == "rules"
    assert MISSING in lesson.mistake
    assert lesson.confidence < 0.5


def test_the_call_that_works_fills_in_the_correction(hw: hardwon.Hardwon) -> None:
    coder = hw.agent("coder")
    met_pytest(coder)

    (lesson,) = coder.lessons.list()

    assert "Use `bin/test tests/test_a.py` instead" in lesson.correction
    assert lesson.confidence > 0.5


def test_another_call_of_the_same_kind_is_warned(hw: hardwon.Hardwon) -> None:
    met_pytest(hw.agent("coder"))

    shown = hw.agent("coder").before_action("bash", {"command": "pytest tests/test_b.py"})

    assert "bin/test" in shown.text
    assert not hw.agent("coder").before_action("bash", {"command": "ls tests"})


def test_a_kind_of_call_that_mostly_works_is_not_warned(hw: hardwon.Hardwon) -> None:
    met_pytest(hw.agent("coder"))
    for number in range(20):
        run = hw.agent("coder")
        run.after_action("bash", {"command": f"pytest tests/test_{number}.py"}, output=str(number))
    run.after_action("bash", {"command": "pytest x.py"}, output="Error: x broke", failed=True)

    assert not hw.agent("coder").before_action("bash", {"command": "pytest tests/test_9.py"})


def test_a_script_that_nobody_made_is_warned_where_one_was_missing_before(
    hw: hardwon.Hardwon,
) -> None:
    first = hw.agent("coder")
    first.after_action("bash", {"command": "ls"}, output="made.py fix.py")
    for number in range(20):
        first.after_action("bash", {"command": "python made.py"}, output=str(number))
    missing = "python: can't open file 'fix.py': [Errno 2] No such file or directory"
    first.after_action("bash", {"command": "python fix.py"}, output=missing, failed=True)
    first.after_run(task="mend it")

    second = hw.agent("coder")
    second.after_action("bash", {"command": "touch mend.py"})

    assert "can't open file" in second.before_action("bash", {"command": "python try.py"}).text
    assert not second.before_action("bash", {"command": "python mend.py"})


@pytest.mark.parametrize(
    ("error", "is_warned"),
    [
        ("bash: line 1: bin/check: Permission denied", True),
        ("ModuleNotFoundError: No module named 'numpy'", True),
        ("AssertionError: assert 3 == 4", False),
        ("acme.errors.OrderError: no such order", False),
    ],
)
def test_what_the_code_at_work_raised_once_is_not_expected_of_the_next_task(
    hw: hardwon.Hardwon, error: str, *, is_warned: bool
) -> None:
    first = hw.agent("coder")
    first.after_action("bash", {"command": "bin/check a.py"}, output="fine")
    first.after_action("bash", {"command": "bin/check b.py"}, output=error, failed=True)
    first.after_run(task="mend b")

    shown = hw.agent("coder").before_action("bash", {"command": "bin/check c.py"})

    assert bool(shown) is is_warned


def test_what_an_error_told_is_not_told_again_before_a_call(hw: hardwon.Hardwon) -> None:
    met_pytest(hw.agent("coder"))
    run = hw.agent("coder")
    assert run.after_action("bash", PYTEST, output=MISSING, failed=True)

    assert not run.before_action("bash", {"command": "pytest tests/test_b.py"})
    assert hw.agent("coder").before_action("bash", {"command": "pytest tests/test_b.py"})


def test_a_failure_that_happens_after_its_warning_is_answered(hw: hardwon.Hardwon) -> None:
    met_pytest(hw.agent("coder"))
    run = hw.agent("coder")
    assert run.before_action("bash", PYTEST)

    assert run.after_action("bash", PYTEST, output=MISSING, failed=True)


def test_the_same_error_of_another_call_brings_the_fix(hw: hardwon.Hardwon) -> None:
    met_pytest(hw.agent("coder"))

    known = hw.agent("coder").after_action(
        "bash",
        {"command": "pytest -x"},
        output="bash: line 7: pytest: command not found",
        failed=True,
    )

    assert "bin/test" in known.text


def test_a_failure_that_belongs_to_the_project_is_told_at_the_turn(hw: hardwon.Hardwon) -> None:
    for _ in range(2):
        met_pytest(hw.agent("coder", project="api"))

    shown = hw.agent("coder", project="api").before_turn("make the button blue")

    assert "command not found" in shown.text
    assert not hw.agent("coder", project="web").before_turn("make the button blue")


def test_nothing_is_said_when_nothing_fits(hw: hardwon.Hardwon) -> None:
    coder = hw.agent("coder")
    coder.learn("when editing large Go files use Edit, not a full rewrite")

    assert coder.before_turn("edit the large Go file main.go")
    assert not coder.before_turn("book a table for two at eight")
    assert not coder.before_action("bash", {"command": "git status"})


def test_one_long_lesson_does_not_blank_the_block(hw: hardwon.Hardwon) -> None:
    coder = hw.agent("coder")
    coder.learn("deploy kubernetes manifest " + "very long words " * 250)
    short = coder.learn("deploy the kubernetes manifest with apply")

    assert coder.before_turn("deploy the kubernetes manifest").lessons == (short,)


def test_the_same_words_are_shown_once(hw: hardwon.Hardwon) -> None:
    everywhere, here = hw.agent("coder"), hw.agent("coder", project="api")
    for agent in (everywhere, here):
        agent.learn("deploy the kubernetes manifest with apply")

    assert len(here.before_turn("deploy the kubernetes manifest").lessons) == 1


def test_processes_of_one_run_share_their_steps(tmp_path: Path) -> None:
    for number in range(5):
        with hardwon.open(tmp_path) as hw:  # each hook is a process of its own
            shown = hw.agent("coder", run="r1").after_action(
                "bash", {"command": "make"}, output="error: boom", failed=True
            )
        assert ("[LOOP DETECTED]" in shown.text) is (number > 0)
        assert shown.stop is (number == 4)
    with hardwon.open(tmp_path) as hw:
        other = hw.agent("coder", run="r2")
        assert "LOOP" not in other.after_action("bash", {"command": "make"}, failed=True).text


def test_the_end_of_a_run_forgets_its_steps(tmp_path: Path) -> None:
    hw = hardwon.open(tmp_path)
    for _ in range(2):
        coder = hw.agent("coder", run="../../etc/passwd")
        shown = coder.after_action("bash", {"command": "make"}, output="error: boom", failed=True)
        assert "LOOP" not in shown.text
        coder.after_run(task="build")

    assert os.listdir(tmp_path / "runs") == []


def test_a_run_on_disk_holds_no_secret_and_is_private(tmp_path: Path) -> None:
    secret = "sk-ant-api03-" + "x1Y2" * 23 + "AA"
    hw = hardwon.open(tmp_path)
    hw.agent("coder", run="r").after_action("bash", {"command": "login"}, output=f"key {secret}")

    (kept,) = (tmp_path / "runs").iterdir()

    assert secret not in kept.read_text()
    assert kept.stat().st_mode & 0o777 == 0o600


def test_a_torn_line_of_a_run_is_left_out(tmp_path: Path) -> None:
    hw = hardwon.open(tmp_path)
    hw.agent("coder", run="r").after_action("bash", {"command": "make"}, output="no", failed=True)
    (kept,) = (tmp_path / "runs").iterdir()
    kept.write_bytes(kept.read_bytes() + b'\n["bash","ma')

    coder = hw.agent("coder", run="r")
    for _ in range(2):
        shown = coder.after_action("bash", {"command": "make"}, output="no", failed=True)

    assert "LOOP DETECTED" in shown.text
    assert len(coder.run.so_far().steps) == 3


def test_a_full_disk_does_not_cost_the_steps_of_a_run(tmp_path: Path) -> None:
    hw = hardwon.open(tmp_path)
    coder = hw.agent("coder", run="r")
    coder.before_turn("build it")
    coder.after_action("bash", {"command": "make"}, output="error: boom", failed=True)
    (tmp_path / "queue").write_text("no directory can be made here")

    with pytest.raises(StorageError):
        coder.after_run(task="build it", error="error: boom")
    (tmp_path / "queue").unlink()
    job = coder.after_run(task="build it", error="error: boom")

    assert job is not None
    assert [step.args for step in job.episode.steps] == ["make"]
    assert coder.run.so_far().steps == ()


def test_a_run_may_have_any_name(tmp_path: Path) -> None:
    coder = hardwon.open(tmp_path).agent("coder", run=123)  # type: ignore[arg-type]

    assert not coder.before_action("bash", {"command": "make"})
    coder.after_action("bash", {"command": "make"}, output="fine")

    assert len(coder.run.so_far().steps) == 1


def test_two_tenants_with_one_run_id_share_no_step(tmp_path: Path) -> None:
    hw = hardwon.open(tmp_path)
    hw.agent("coder", tenant="a", run="r").after_action("bash", {"command": "make"})

    assert hw.agent("coder", tenant="b", run="r").run.so_far().steps == ()


def test_a_recorded_step_is_not_screened_again(tmp_path: Path) -> None:
    hw = hardwon.open(tmp_path)
    coder = hw.agent("coder", run="r")
    coder.after_action("bash", {"command": "make"}, output="error: boom", failed=True)
    recorded = coder.run.so_far().steps

    job = coder.after_run(task="build it", error="error: boom")

    assert job is not None
    assert job.episode.steps == recorded


def test_steps_handed_over_are_screened(tmp_path: Path) -> None:
    secret = "sk-ant-api03-" + "x1Y2" * 23 + "AA"
    steps = [hardwon.Step("bash", f"login {secret}", "denied", failed=True)]

    job = hardwon.open(tmp_path).agent("coder").after_run(task="t", error="e", steps=steps)

    assert job is not None
    assert secret not in str(job)
    everything = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert secret.encode() not in everything


def test_steps_handed_over_at_the_end_teach_too(hw: hardwon.Hardwon) -> None:
    steps = [
        hardwon.Step("bash", "pytest tests/test_a.py", MISSING, failed=True),
        hardwon.Step("bash", "bin/test tests/test_a.py", "1 passed"),
    ]
    hw.agent("coder").after_run(task="tests", steps=steps)

    (lesson,) = hw.agent("coder").lessons.list()
    assert "bin/test" in lesson.correction


def test_a_guarded_call_is_always_warned(hw: hardwon.Hardwon) -> None:
    coder = hw.agent("coder")
    kept = coder.learn("never drop the production database")
    coder.lessons.guard(kept.id, call="dropdb prod")

    shown = coder.before_action("bash", {"command": "dropdb prod"})

    assert shown.lessons[0].guard
    assert not coder.before_action("bash", {"command": "createdb prod"})


def test_the_lesson_of_a_call_with_named_arguments_names_tool_and_file() -> None:
    coder = hardwon.open("memory:").agent("coder")
    edit = {"file_path": "/p/cart.py", "old_string": "a", "new_string": "b"}
    coder.after_action("Edit", edit, output="File has not been read yet.", failed=True)
    coder.after_action("Read", {"file_path": "/p/cart.py"}, output="a")
    coder.after_action("Edit", edit, output="ok")

    (lesson,) = coder.lessons.list()

    assert lesson.situation == "When you would use Edit on `/p/cart.py`"
    assert lesson.correction == (
        "It fails with “File has not been read yet.”. It worked after you first read `/p/cart.py`."
    )


def test_a_prompt_of_any_length_is_looked_up_by_both_its_ends(hw: hardwon.Hardwon) -> None:
    hw.agent("coder").learn("Rotate the zebra certificate before the quokka deployment")
    filler = "what some server had to say about orders and stock\n" * 20_000

    for prompt in (f"zebra certificate {filler}", f"{filler} quokka deployment"):
        assert hw.agent("coder").before_turn(prompt)


def test_a_pitfall_of_another_tool_is_not_told_because_words_agree(hw: hardwon.Hardwon) -> None:
    edit = {"file_path": "src/price.py", "old_string": "a", "new_string": "b"}
    first = hw.agent("coder")
    met_pytest(first)
    first.after_action("Edit", edit, output="File has not been read yet.", failed=True)
    first.after_run(task="mend src/price.py")

    shown = hw.agent("coder").before_action("bash", {"command": "pytest src/price.py"})

    assert len(shown.lessons) == 1
    assert "not been read" not in shown.text


def test_a_loop_is_found_where_the_steps_of_a_run_cannot_be_written(hw: hardwon.Hardwon) -> None:
    agent = hw.agent("coder", run="r")
    Path(hw.settings.home, "runs").write_text("no directory can be made here")

    agent.after_action("bash", PYTEST, output=MISSING, failed=True)
    again = agent.after_action("bash", PYTEST, output=MISSING, failed=True)

    assert "[LOOP DETECTED]" in again.text


def test_to_try_again_when_the_user_says_so_is_no_loop(hw: hardwon.Hardwon) -> None:
    agent = hw.agent("coder")
    agent.after_action("bash", PYTEST, output=MISSING, failed=True)

    agent.before_turn("I have installed it, try again")

    assert "LOOP" not in agent.after_action("bash", PYTEST, output=MISSING, failed=True).text
