"""A hypothetical lesson is asked for once a query."""

from __future__ import annotations

import asyncio

from hardwon.engine.pipeline.answers import Imagination
from hardwon.models.scripted import Scripted


def asked(imagination: Imagination, model: Scripted, query: str) -> str:
    return asyncio.run(imagination.hypothesis(query, model=model, system="imagine"))


def test_a_query_is_asked_once_whatever_its_blanks_and_letters() -> None:
    imagination, model = Imagination(), Scripted(["use\nTLS", "another"])

    assert asked(imagination, model, "why does it break") == "use TLS"
    assert asked(imagination, model, "Why  does it\nbreak") == "use TLS"
    assert asked(imagination, model, "something else") == "another"
    assert [request.system for request in model.requests] == ["imagine"] * 2


def test_a_long_query_is_shown_in_part_and_a_long_answer_is_cut() -> None:
    imagination, model = Imagination(), Scripted(["y" * 700])

    assert len(asked(imagination, model, "x" * 3000)) == 600
    assert len(model.requests[0].prompt) <= 2000
    assert model.requests[0].max_tokens == 120


def test_the_oldest_answers_are_forgotten_first() -> None:
    imagination, model = Imagination(), Scripted([str(n) for n in range(300)])
    for number in range(257):
        asked(imagination, model, f"q{number}")

    assert asked(imagination, model, "q1") == "1"
    assert asked(imagination, model, "q0") == "257"


def test_just_so_many_answers_are_remembered_and_just_so_much_is_shown() -> None:
    imagination, model = Imagination(), Scripted([str(n) for n in range(300)])
    asked(imagination, model, "x" * 3000)
    for number in range(255):
        asked(imagination, model, f"q{number}")

    assert len(model.requests[0].prompt) == 2000
    assert asked(imagination, model, "x" * 3000) == "0"
    asked(imagination, model, "one more")
    assert asked(imagination, model, "x" * 3000) == "257"
