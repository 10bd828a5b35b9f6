"""What a prompt or a failure asks the store for."""

from __future__ import annotations

from hardwon.core.values.run import Step
from hardwon.engine.pipeline.recall import at_error, at_turn
from hardwon.knowledge.ranking.query import Near
from hardwon.knowledge.reading.reading import read_failure

NEAR = ((7, 0.9, 0.8),)


class Asked:
    """What is near in meaning; keeps what it was asked for."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def __call__(self, text: str) -> Near:
        self.texts.append(text)
        return NEAR


def failing(output: str, call: str = "migrate --all", tool: str = "bash") -> Step:
    step = Step(tool, call, output, failed=True)
    return step._replace(failure=read_failure(step, ()))


def test_a_prompt_is_looked_up_from_both_ends_and_without_secrets() -> None:
    prompt = f"first token=ghp_{'a1B2' * 9} {'x ' * 3000} last"
    asked = at_turn(prompt, Asked())

    assert asked.text.startswith("first")
    assert asked.text.endswith("last")
    assert "a1B2a1B2" not in asked.text
    assert len(asked.text) <= 3000
    assert (asked.door, asked.near) == ("turn", NEAR)


def test_the_meaning_of_an_error_is_its_line_at_its_task() -> None:
    near = Asked()
    at_error(failing("some output\nerror: no such table: orders"), "t" * 400, near)

    assert near.texts == ["error: no such table: orders\n" + "t" * 300]


def test_a_failure_is_asked_for_by_its_name_its_words_and_its_call() -> None:
    step = failing("some output\nerror: no such table: orders")
    asked = at_error(step, "", Asked())

    assert step.failure
    assert (asked.signature, asked.kind) == (step.failure.exact, step.failure.kind)
    assert {"migrate", "table"} <= set(asked.terms)
    assert "migrate" not in asked.about
    assert asked.is_failure


def test_named_arguments_are_asked_for_by_their_names_only() -> None:
    step = failing("no such room", '{"room_number": "bluebird"}', "book_room")
    asked = at_error(step, "", Asked())

    assert {"room", "number", "book"} <= set(asked.terms)
    assert "bluebird" not in asked.terms


def test_a_failure_that_says_nothing_is_asked_for_by_its_text() -> None:
    silent = at_error(Step("bash", "make", "x" * 2100, failed=True), "", near := Asked())

    assert (len(silent.text), silent.is_failure, silent.kind) == (2000, False, "")
    assert near.texts == ["x" * 200 + "\n"]


def test_tests_that_failed_are_looked_for_in_what_was_printed() -> None:
    red = at_error(failing("FAILED a.py::test_x - KeyError: 'y'\n1 failed in 1s"), "", Asked())

    assert "test_x" in red.red
    assert at_error(failing("error: no such table: orders"), "", Asked()).red == ""
