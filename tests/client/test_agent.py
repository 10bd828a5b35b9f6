"""An agent of a server has the same verbs as one here."""

from __future__ import annotations

from typing import Any

import pytest

import hardwon
from hardwon.core.errors import InvalidInput, NotFound
from tests.client.faces import MKDIR, MKDIR_ERROR, Face, fail_at_the_nightly_folder


def test_a_lesson_comes_back_as_a_pitfall_before_the_next_turn(face: Face) -> None:
    coder = face.hw.agent("coder", project="acme/api")

    kept = coder.learn("make the folder of the nightly report with `mkdir -p out/nightly`")
    injection = coder.before_turn("create a folder for the nightly report")

    assert injection.text.startswith("[KNOWN PITFALLS — your prior lessons]\n  - [")
    assert injection.text.endswith(f"(#{kept.id})\n[END KNOWN PITFALLS]")
    assert [one.id for one in injection.lessons] == [kept.id]
    assert injection.id
    coder.report(injection, "helped")


def test_a_failure_comes_back_before_the_same_call(face: Face) -> None:
    coder = face.hw.agent("coder")
    for _ in range(2):
        job = fail_at_the_nightly_folder(coder)
        assert job
        assert job.trigger == "error"
        face.work()

    assert [lesson.met for lesson in coder.lessons.list()] == [2]
    assert "`mkdir -p out/nightly`" in coder.before_action("bash", MKDIR).text
    assert not coder.before_action("bash", {"command": "git status"})


def test_a_failure_comes_back_when_it_is_met_again(face: Face) -> None:
    coder = face.hw.agent("coder")
    fail_at_the_nightly_folder(coder)
    face.work()

    met = coder.after_action("bash", MKDIR, output=MKDIR_ERROR)

    assert "`mkdir -p out/nightly`" in met.text
    assert met.failed is True


def test_steps_may_be_given_when_the_run_ends(face: Face) -> None:
    coder = face.hw.agent("coder")
    steps = [
        hardwon.Step("bash", "mkdir out/nightly", MKDIR_ERROR, True),
        hardwon.Step("bash", "mkdir -p out/nightly"),
    ]
    for day in ("monday", "tuesday"):
        assert coder.after_run(task=f"Folder for {day}", error=MKDIR_ERROR, steps=steps)
        face.work()

    assert "`mkdir -p out/nightly`" in coder.before_action("bash", MKDIR).text


def test_a_run_begins_with_the_playbook_and_is_told_again_when_its_context_was_lost(
    face: Face,
) -> None:
    face.hw.agent("coder", project="acme/api").learn("Commit with `git commit -s`")

    coder = face.hw.agent("coder", project="acme/api")
    taught = "What earlier work in this project taught. Look up only what it leaves open:"
    block = f"{taught}\n- Commit with `git commit -s`"
    assert coder.start().text == block
    assert not coder.start()
    assert coder.start(again=True).text == block


def test_nothing_crosses_to_another_agent(face: Face) -> None:
    lesson = face.hw.agent("coder").learn("deploy the kubernetes manifest first")

    stranger = face.hw.agent("writer")

    assert not stranger.before_turn("deploy the kubernetes manifest first")
    assert not stranger.lessons.list()
    with pytest.raises(NotFound):
        stranger.lessons.get(lesson.id)


def test_a_run_without_error_or_signal_is_not_queued(face: Face) -> None:
    assert face.hw.agent("coder").after_run(task="t", attempt="fine") is None
    face.work()
    assert face.hw.queue.waiting() == []


class Odd:
    def __str__(self) -> str:
        return MKDIR_ERROR


OUTPUTS = [MKDIR_ERROR.encode(), OSError(MKDIR_ERROR), Odd(), None, {"stderr": MKDIR_ERROR}]


@pytest.mark.parametrize("output", OUTPUTS, ids=lambda output: type(output).__name__)
def test_a_step_is_recorded_whatever_its_output_is(face: Face, output: object) -> None:
    coder = face.hw.agent("coder")

    assert coder.after_action("bash", MKDIR, output=output, failed=True).failed
    assert coder.after_run(task="Make the folder", error="failed")


@pytest.mark.parametrize("name", ["../../etc", "a/b", ".", "..", "naïve", "日本", "a'b\"c;--&?#"])
def test_names_with_slashes_dots_and_quotes_are_just_names(face: Face, name: str) -> None:
    agent = face.hw.agent(name, project=name)
    lesson = agent.learn("canary words here")

    assert agent.lessons.get(lesson.id) == lesson
    assert lesson.scope == agent.scope
    assert agent.before_turn("canary words")


@pytest.mark.parametrize("name", ["", " ", "a\nb", "x\x00y", "n" * 201], ids=ascii)
def test_a_name_that_cannot_be_stored_is_refused(face: Face, name: str) -> None:
    for names in ({"name": name}, {"name": "a", "project": name}):
        with pytest.raises(InvalidInput):
            face.hw.agent(**names)


def test_no_prompt_is_an_empty_prompt(face: Face) -> None:
    coder, troubles = face.hw.agent("coder"), list[BaseException]()
    face.hw.on_trouble(troubles.append)
    coder.learn("make the folder of the nightly report with `mkdir -p out/nightly`")

    nothing: Any = None
    assert not coder.before_turn(nothing)
    assert not coder.before_action(nothing, nothing)
    assert coder.after_action("noop", nothing, output=nothing).failed is False
    assert troubles == []
    assert coder.fix(nothing) == []
