"""One lesson for each failure kind in a scope."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

import hardwon
from hardwon.core.values.lesson import Evidence, Kind
from hardwon.models.scripted import Scripted
from tests.models.server import LESSON

CALL = {"command": "pytest shop/cart/test_a.py"}
WORKS = {"command": "bin/test shop/cart/test_a.py"}
ERROR = "bash: line 1: pytest: command not found"


@pytest.fixture
def hw(tmp_path: Path) -> hardwon.Hardwon:
    return hardwon.open(tmp_path)


def fail(agent: hardwon.Agent, **end: Any) -> hardwon.Agent:
    agent.after_action("bash", CALL, output=ERROR, failed=True)
    agent.after_run(task="run the tests", **end)
    return agent


def test_a_failure_of_a_project_leaves_the_lesson_that_holds_everywhere(
    hw: hardwon.Hardwon,
) -> None:
    fail(hw.agent("coder"))

    fail(hw.agent("coder", project="api"), error=ERROR)
    hw.drain()

    (everywhere,) = hw.agent("coder").lessons.list(status="all")
    assert (everywhere.status, everywhere.met) == ("seen", 1)
    assert [piece.kind for piece in everywhere.evidence] == ["met"]
    own = hw.agent("coder", project="api").lessons.list(status="all")
    assert {lesson.scope.project for lesson in own} == {None, "api"}


def test_the_end_of_a_run_makes_no_second_lesson_of_what_its_steps_taught(
    hw: hardwon.Hardwon,
) -> None:
    fail(hw.agent("coder"), error=f"the tests failed: {ERROR}")
    hw.drain()

    (lesson,) = hw.agent("coder").lessons.list(status="all")
    assert [piece.kind for piece in lesson.evidence] == ["met"]


def test_a_model_of_one_project_rewords_no_lesson_of_another_scope(tmp_path: Path) -> None:
    with hardwon.open(tmp_path, model=Scripted([LESSON])) as hw:
        fail(hw.agent("coder"))
        (everywhere,) = hw.agent("coder").lessons.list(status="seen")

        fail(hw.agent("coder", project="api"), error=ERROR)
        hw.drain()

        assert hw.agent("coder").lessons.get(everywhere.id).status == "seen"


def test_a_text_about_a_failure_that_was_only_mined_is_put_to_the_model(tmp_path: Path) -> None:
    model = Scripted([LESSON] * 3)
    with hardwon.open(tmp_path, model=model) as hw:
        coder = hw.agent("coder")
        for _ in range(2):
            coder.after_action("bash", CALL, output=ERROR, failed=True)
            coder.after_action("bash", WORKS, output="1 passed")
            coder.after_run(task="run the tests")

        hw.agent("coder").after_run(task="run the tests", attempt="I ran pytest", error=ERROR)
        hw.drain()

        assert any("I ran pytest" in request.prompt for request in model.requests)


def test_what_rules_say_of_a_run_replaces_no_lesson_that_holds_the_fix(
    hw: hardwon.Hardwon,
) -> None:
    coder = hw.agent("coder")
    coder.after_action("bash", CALL, output=ERROR, failed=True)
    coder.after_action("bash", WORKS, output="1 passed")
    coder.after_run(task="run the tests")
    (before,) = coder.lessons.list()

    fail(coder, error=ERROR)
    hw.drain()

    (after,) = coder.lessons.list(status="all")
    assert (after.id, after.correction, after.met) == (before.id, before.correction, 2)


def test_four_tasks_that_end_in_one_error_are_four_lessons(tmp_path: Path) -> None:
    tasks = ["Write the report", "Call the bank", "Sort the mail", "Plan the trip"]
    words = [LESSON.replace("umbrella", f"umbrella ({task})") for task in tasks]
    model = Scripted(words)
    with hardwon.open(tmp_path, model=model) as hw:
        coder = hw.agent("coder")
        for task in (*tasks, tasks[0]):  # the very same run again is nothing new
            coder.after_run(task=task, error="provider timed out after 120s")
            hw.drain()

        assert len(model.requests) == len(coder.lessons.list()) == 4


def test_a_run_that_ends_in_an_outer_error_is_named_by_its_inner_failure(
    hw: hardwon.Hardwon,
) -> None:
    coder = fail(hw.agent("coder"), error="tests failed")
    coder.after_run(task="another", error="tests failed")
    hw.drain()

    (lesson,) = coder.lessons.list(status="all")
    assert "pytest" in lesson.situation


NOTE = (
    "when you deploy the billing service to the staging cluster always use port 5432 with --force"
)


@pytest.mark.parametrize(
    "other",
    [
        NOTE.replace("5432", "5433"),
        NOTE.replace("always", "never"),
        NOTE.replace("--force", "--safe"),
        NOTE.replace("always", "do not"),
    ],
)
def test_a_number_an_option_or_a_denial_makes_another_note(hw: hardwon.Hardwon, other: str) -> None:
    """It would be lost among so many words that are the same."""
    agent = hw.agent("coder")

    kept = [agent.learn(text).correction for text in (NOTE, other)]

    assert kept == [NOTE, other]
    assert len(agent.lessons.list()) == 2


def test_a_note_with_other_blanks_and_case_is_kept_once(hw: hardwon.Hardwon) -> None:
    agent = hw.agent("coder")

    ids = {agent.learn(text).id for text in (NOTE, NOTE.upper(), NOTE.replace(" ", "  "))}

    assert len(ids) == 1


@pytest.mark.parametrize(
    ("text", "opposite"),
    [
        ("rebase feature onto main", "rebase main onto feature"),
        ("indent with tabs, not spaces", "indent with spaces, not tabs"),
        ("map 8080 to 80", "map 80 to 8080"),
    ],
)
def test_the_opposite_in_the_same_words_is_kept_and_named(
    hw: hardwon.Hardwon, text: str, opposite: str
) -> None:
    agent = hw.agent("coder")
    first = agent.learn(text)

    kept = agent.learn(opposite)

    assert kept.correction == opposite
    assert kept.evidence == (Evidence(Kind.DIFFERS, str(first.id)),)
    assert {lesson.correction for lesson in agent.lessons.list()} == {text, opposite}


def test_the_same_text_is_found_among_many_in_another_order(hw: hardwon.Hardwon) -> None:
    agent = hw.agent("coder")
    orders = [" ".join(words) for words in permutations(("move", "north", "south"))] * 2

    assert len({agent.learn(text).id for text in orders}) == 6
