"""A verifier and a refiner whose findings really fire their triggers."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

import hardwon
from hardwon.core.errors import BadReply, PermanentError
from hardwon.core.settings import HydeSettings, Reflexion, load
from hardwon.engine.pipeline.reflect import Refined, Verification, refine, verify
from hardwon.engine.runtime import prompt_text
from hardwon.models.scripted import Scripted
from tests.models.server import LESSON

QUESTIONS = "<question>Which flag lists all?</question><question>Since when?</question>"
CONTRADICTED = (
    "<status>discrepancy</status><discrepancies>\n- says --every, but it is --all\n"
    "</discrepancies><final>Use --all.</final>"
)


def verified(*answers: str) -> Verification:
    model = Scripted(answers)
    return asyncio.run(verify("list all", "Use --every.", model=model, prompt=prompt_text))


def refined(*answers: str) -> Refined:
    model = Scripted(answers)
    return asyncio.run(refine("write it", "first text", model=model, prompt=prompt_text))


def judged(score: float, critique: str = "too short") -> str:
    return f"<score>{score}</score><critique>{critique}</critique>"


def test_a_contradicted_answer_is_mended_and_signalled() -> None:
    verdict = verified(QUESTIONS, "--all", "unknown", CONTRADICTED)

    assert verdict.final == "Use --all."
    assert verdict.signals == {
        "verified_with_discrepancy": "true",
        "verifier_discrepancies": "says --every, but it is --all",
    }


def test_a_clean_answer_signals_nothing() -> None:
    verdict = verified(QUESTIONS, "--every", "unknown", "<status>clean</status>")

    assert verdict.final == "Use --every."
    assert verdict.signals == {}


def test_an_answer_without_a_question_is_not_doubted() -> None:
    assert verified("nothing to ask").signals == {}


def test_the_questions_are_answered_without_seeing_the_answer() -> None:
    model = Scripted([QUESTIONS, "a", "b", "<status>clean</status>"])

    asyncio.run(verify("list all", "Use --every.", model=model, prompt=prompt_text))

    assert [one.prompt for one in model.requests[1:3]] == ["Which flag lists all?", "Since when?"]


def test_a_judgement_without_a_status_twice_is_a_bad_reply() -> None:
    with pytest.raises(BadReply):
        verified(QUESTIONS, "a", "b", "well, it depends", "it depends")


def test_a_good_answer_is_left_alone() -> None:
    assert refined(judged(8)) == Refined("first text", 8.0, "too short")


def test_an_answer_is_rewritten_while_it_gets_better() -> None:
    found = refined(
        judged(4),
        "<revised>a second, longer text</revised>",
        judged(6),
        "<revised>a third text with all that was asked</revised>",
        judged(9),
    )

    assert (found.text, found.passes) == ("a third text with all that was asked", 2)
    assert found.signals == {}


def test_a_worse_rewriting_is_thrown_away_and_the_poor_quality_signalled() -> None:
    found = refined(judged(4, "bare"), "<revised>something else altogether</revised>", judged(3))

    assert found.text == "first text"
    assert found.signals == {
        "refine_low_quality": "true",
        "refine_low_quality_reason": "bare",
    }


def test_a_rewriting_that_changes_nothing_ends_it() -> None:
    assert refined(judged(4), "<revised>first text</revised>").passes == 0


def test_what_the_verifier_found_becomes_a_lesson(tmp_path: Path) -> None:
    model = Scripted([QUESTIONS, "--all", "unknown", CONTRADICTED, LESSON])
    with hardwon.open(tmp_path, model=model) as hw:
        agent = hw.agent("coder")
        verdict = agent.answers.verify("list all", "Use --every.")
        agent.after_run(task="list all", attempt="Use --every.", signals=verdict.signals)
        hw.drain()

        assert [one.trigger for one in agent.lessons.list()] == ["hallucination"]
    assert "DISCREPANCY (from CoVe): says --every" in model.requests[-1].prompt


def test_what_the_refiner_found_becomes_a_lesson(tmp_path: Path) -> None:
    settings = load(str(tmp_path))._replace(reflexion=Reflexion(on_low_quality=True))
    model = Scripted([judged(2, "bare"), "<revised>first text</revised>", LESSON])
    with hardwon.open(tmp_path, settings=settings, model=model) as hw:
        agent = hw.agent("coder")
        found = agent.answers.refine("write it", "first text")
        agent.after_run(task="write it", attempt=found.text, signals=found.signals)
        hw.drain()

        assert [one.trigger for one in agent.lessons.list()] == ["low_quality"]


def test_a_verifier_needs_a_model(tmp_path: Path) -> None:
    with hardwon.open(tmp_path) as hw, pytest.raises(PermanentError, match="needs a model"):
        hw.agent("coder").answers.verify("t", "a")


def test_a_hypothesis_is_asked_for_once_and_only_when_it_is_switched_on(tmp_path: Path) -> None:
    model = Scripted(["When pytest is missing, use python -m pytest."])
    with hardwon.open(tmp_path, model=model) as hw:
        assert hw.agent("coder").answers.imagine("run the tests") == ""
    settings = load(str(tmp_path))._replace(hyde=HydeSettings(enabled=True))
    with hardwon.open(tmp_path, settings=settings, model=model) as hw:
        agent = hw.agent("coder")

        assert agent.answers.imagine("run the tests").startswith("When pytest")
        assert agent.answers.imagine("Run  the tests").startswith("When pytest")

    assert len(model.requests) == 1
    assert model.requests[0].max_tokens <= 150


def test_three_questions_are_asked_and_all_texts_are_cut() -> None:
    questions = "".join(f"<question>{letter * 700}</question>" for letter in "abcde")
    model = Scripted([questions, *["f" * 900] * 3, "<status>clean</status>"])
    asked = verify("t" * 9000, "a" * 9000, model=model, prompt=prompt_text)

    assert asyncio.run(asked) == Verification(final="a" * 9000)

    first, *answered, last = (request.prompt for request in model.requests)
    task, answer = first.removeprefix("TASK:\n").split("\n\nANSWER:\n")
    assert (len(task), len(answer)) == (6000, 6000)
    assert [(len(text), text[0]) for text in answered] == [(400, "a"), (400, "b"), (400, "c")]
    findings = last.removeprefix(first).strip().split("\n\n")
    assert {len(one.split("\nFOUND: ")[1]) for one in findings} == {800}


def test_a_discrepancy_without_words_is_one_all_the_same() -> None:
    reply = "<status>discrepancy</status><discrepancies>\n - \n</discrepancies>"

    found = verified(QUESTIONS, "x", "y", reply)

    assert found == Verification(("the answer did not hold",), "Use --every.")
