"""Whether an ended run holds something that the playbook does not know."""

from __future__ import annotations

from typing import Any

from hardwon import Step
from hardwon.engine.pipeline.confirm import first_calls, news
from hardwon.knowledge.reading.reading import read_failure
from tests.samples import lesson

LOOK = Step("bash", "ls && cat README.md", "hello")
WORKED = Step("bash", "ops call tickets.get", "T1")
FAILED = Step("bash", "ops call refunds.draft", "E403 refunds.draft: denied for desk", failed=True)
FAILED = FAILED._replace(failure=read_failure(FAILED, ()))
KINDS = (FAILED.failure.kind,) if FAILED.failure else ()
ABOUT_OPS = lesson("Call `ops call tickets.get` first.")


def said(*steps: Step, items: Any = (), **more: Any) -> str:
    return news(steps, items, **more)


def test_the_first_run_of_a_project_is_new() -> None:
    assert said(LOOK, LOOK, WORKED)


def test_a_run_of_two_steps_is_not_read() -> None:
    assert not said(FAILED, WORKED)


def test_a_failure_that_no_item_is_about_is_new() -> None:
    assert "step 2" in said(
        LOOK, FAILED, WORKED, items=[ABOUT_OPS], earlier={"ops call tickets.get"}
    )


def test_a_failure_that_an_item_is_about_is_not() -> None:
    known = ABOUT_OPS._replace(kinds=KINDS)

    assert not said(LOOK, FAILED, WORKED, items=[known], earlier={"ops call tickets.get"})


def test_a_look_at_what_is_not_there_is_no_news() -> None:
    look = Step("bash", "ls docs", "ls: cannot access 'docs': No such file", failed=True)
    look = look._replace(failure=read_failure(look, ()))

    assert look.failure
    assert look.failure.is_telling
    assert not said(LOOK, look, WORKED, items=[ABOUT_OPS], earlier={"ops call tickets.get"})


def test_an_error_that_went_by_in_a_longer_script_is_new() -> None:
    quiet = FAILED._replace(failed=False)

    assert said(LOOK, quiet, WORKED, items=[ABOUT_OPS], earlier={"ops call tickets.get"})


def test_a_program_that_no_earlier_run_called_is_new() -> None:
    relay = Step("bash", "relay stage bk-014", "staged")

    assert "step 3" in said(LOOK, WORKED, relay, items=[ABOUT_OPS])
    assert not said(LOOK, WORKED, relay, items=[ABOUT_OPS], earlier={"relay stage"})
    assert first_calls((LOOK, WORKED, relay, relay), [ABOUT_OPS], ()) == [2]


def test_a_part_of_a_program_that_no_earlier_run_called_is_new() -> None:
    samples, lots = (
        Step("bash", f"yard {part} B-1", "done") for part in ("sample add", "lot seal")
    )
    known = {"yard sample", "yard lot"}

    assert "step 3" in said(LOOK, samples, lots, items=[ABOUT_OPS], earlier={"yard sample"})
    assert not said(LOOK, samples, lots, items=[ABOUT_OPS], earlier=known)
    assert not said(LOOK, samples, FAILED, items=[ABOUT_OPS._replace(kinds=KINDS)], earlier=known)


def test_values_and_files_of_usual_programs_are_no_news() -> None:
    usual = (
        "git checkout -b fix-other",
        "npm install left-pad",
        "mkdir -p build",
        "pytest -k other",
    )
    steps = [Step("bash", call, "ok") for call in usual]

    assert not said(LOOK, *steps, items=[ABOUT_OPS], earlier={"git", "npm", "pytest"})


def test_programs_that_only_look_are_never_new() -> None:
    looks = [Step("bash", f"{name} x", "y") for name in ("wc", "sed", "which", "diff")]

    assert not said(*looks, items=[ABOUT_OPS])


def test_a_further_prompt_of_the_person_is_new() -> None:
    assert said(LOOK, LOOK, WORKED, items=[ABOUT_OPS], earlier={"ops call tickets.get"}, prompts=2)
    assert not said(
        LOOK, LOOK, WORKED, items=[ABOUT_OPS], earlier={"ops call tickets.get"}, prompts=1
    )
