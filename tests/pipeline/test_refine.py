"""An answer is criticised and written again as long as that helps."""

from __future__ import annotations

import asyncio

import pytest

from hardwon.core.errors import BadReply
from hardwon.engine.pipeline.reflect import Refined, refine
from hardwon.models.scripted import Scripted


def score(value: object, critique: str = "too short") -> str:
    return f"<score>{value}</score><critique>{critique}</critique>"


def revised(text: str) -> str:
    return f"<revised>{text}</revised>"


def refined(*replies: str, passes: int = 3) -> tuple[Refined, Scripted]:
    model = Scripted(replies)
    asked = refine("the task", "first answer", model=model, prompt=lambda name: name, passes=passes)
    return asyncio.run(asked), model


@pytest.mark.parametrize(("value", "asked"), [("7", 1), ("7.0", 1), ("6.9", 3), ("11", 1)])
def test_an_answer_that_is_good_enough_is_not_written_again(value: str, asked: int) -> None:
    best, model = refined(score(value), revised("quite another text"), score(0))

    assert len(model.requests) == asked
    assert best.text == "first answer"
    assert best.score <= 10


def test_a_better_text_is_taken_and_criticised_again() -> None:
    best, model = refined(score(3), revised("quite another text"), score(8, "fine"))

    assert best == Refined("quite another text", 8.0, "fine", 1)
    assert [request.system for request in model.requests] == [
        "refine_critique",
        "refine_rewrite",
        "refine_critique",
    ]
    assert "too short" in model.requests[1].prompt
    assert best.signals == {}


@pytest.mark.parametrize("value", [2, 3])
def test_a_text_that_is_no_better_is_thrown_away(value: int) -> None:
    best, _ = refined(score(3), revised("quite another text"), score(value))

    assert (best.text, best.passes) == ("first answer", 0)
    assert best.signals == {
        "refine_low_quality": "true",
        "refine_low_quality_reason": "too short",
    }


@pytest.mark.parametrize("reply", [revised("first answer"), "no block at all"])
def test_the_same_text_again_ends_it(reply: str) -> None:
    best, model = refined(score(3), reply)

    assert (best.text, len(model.requests)) == ("first answer", 2)


def test_it_is_written_again_so_many_times_at_most() -> None:
    replies = [score(1), revised("b" * 9), score(2), revised("c" * 9), score(3), revised("d" * 9)]
    best, model = refined(*replies, score(4), passes=2)

    assert (best.text, best.passes, len(model.requests)) == ("c" * 9, 2, 5)


def test_a_critique_without_a_score_twice_is_a_bad_reply() -> None:
    with pytest.raises(BadReply):
        refined("<critique>too short</critique>", "too short")


def test_long_texts_are_cut_before_a_model_reads_them_and_so_is_its_critique() -> None:
    model = Scripted([score(3, "c" * 1200), revised("quite another text"), score(1)])
    asked = refine("t" * 9000, "a" * 9000, model=model, prompt=lambda name: name)

    best = asyncio.run(asked)

    assert len(best.critique) == 1000
    assert best.signals["refine_low_quality_reason"] == best.critique
    task, answer = model.requests[0].prompt.removeprefix("TASK:\n").split("\n\nANSWER:\n")
    assert (len(task), len(answer)) == (6000, 6000)
    assert model.requests[1].max_tokens == 4000


def test_an_answer_is_rewritten_three_times_unless_more_is_wanted() -> None:
    texts = ["wind and rain", "sun over the sea", "a quiet evening", "snow on the roof"]
    replies = [score(1)]
    for value, text in enumerate(texts, 2):
        replies += [revised(text), score(value)]
    asked = refine("task", "first", model=Scripted(replies), prompt=lambda name: name)

    assert asyncio.run(asked) == Refined("a quiet evening", 4.0, "too short", 3)
    assert refined(score(9))[0].passes == 0


def test_a_text_that_is_just_good_enough_signals_nothing() -> None:
    assert Refined("x", 7.0).signals == {}
    assert Refined("x", 6.9).signals != {}


@pytest.mark.parametrize(("common", "asked"), [(97, 2), (96, 3)])
def test_a_text_is_the_same_from_97_of_100_characters_on(common: int, asked: int) -> None:
    answer = "".join(chr(0x4E00 + number) for number in range(100))
    for other in (answer[:common] + "x" * (100 - common), answer[:common] + "x" * (103 - common)):
        first = answer if len(other) == 100 else answer[:97]
        model = Scripted([score(3), revised(other), score(1)])
        asyncio.run(refine("task", first, model=model, prompt=lambda name: name))

        assert len(model.requests) == asked
