"""A hypothetical lesson is asked for once a query."""

from __future__ import annotations

import asyncio

from hardwon.engine.pipeline.reflect import hypothesis
from hardwon.models.scripted import Scripted


def asked(known: dict[str, str], model: Scripted, query: str) -> str:
    return asyncio.run(hypothesis(query, model=model, system="imagine", known=known))


def test_a_query_is_asked_once_whatever_its_blanks_and_letters() -> None:
    known, model = dict[str, str](), Scripted(["use\nTLS", "another"])

    assert asked(known, model, "why does it break") == "use TLS"
    assert asked(known, model, "Why  does it\nbreak") == "use TLS"
    assert asked(known, model, "something else") == "another"
    assert [request.system for request in model.requests] == ["imagine"] * 2


def test_a_long_query_is_shown_in_part_and_a_long_answer_is_cut() -> None:
    known, model = dict[str, str](), Scripted(["y" * 700])

    assert len(asked(known, model, "x" * 3000)) == 600
    assert len(model.requests[0].prompt) <= 2000
    assert model.requests[0].max_tokens == 120


def test_the_oldest_answers_are_forgotten_first() -> None:
    known, model = dict[str, str](), Scripted([str(n) for n in range(300)])
    for number in range(257):
        asked(known, model, f"q{number}")

    assert asked(known, model, "q1") == "1"
    assert asked(known, model, "q0") == "257"


def test_just_so_many_answers_are_remembered_and_just_so_much_is_shown() -> None:
    known, model = dict[str, str](), Scripted([str(n) for n in range(300)])
    asked(known, model, "x" * 3000)
    for number in range(255):
        asked(known, model, f"q{number}")

    assert len(model.requests[0].prompt) == 2000
    assert asked(known, model, "x" * 3000) == "0"
    asked(known, model, "one more")
    assert asked(known, model, "x" * 3000) == "257"
