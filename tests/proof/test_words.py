"""The proof sentence."""

from __future__ import annotations

import pytest

from hardwon.knowledge.proof.effect import Arms, sentence


@pytest.mark.parametrize(
    ("arms", "share", "words"),
    [
        (Arms(900, 10), 0, "Not proven: no hold-out is on"),
        (Arms(2000, 100, 500, 150), 0, "In 500 of 2,500 cases"),  # it was turned off since
        (Arms(900, 90, 100, 10), 0.1, "Not proven: 1,000 cases show no effect beyond chance."),
    ],
)
def test_what_the_sentence_begins_with(arms: Arms, share: float, words: str) -> None:
    assert sentence([arms], share=share).startswith(words)


@pytest.mark.parametrize("strata", [[], [Arms(70, 2, 10, 5, 3)], [Arms(800, 80, 99, 9, 3)]])
def test_too_little_is_said_to_be_too_little(strata: list[Arms]) -> None:
    units = sum(arms.units for arms in strata)

    said = sentence(strata, share=0.1)

    assert said.startswith(f"Not proven yet: {units} of about 1,000")
    assert ("3 more" in said) == bool(strata)


def test_an_effect_is_told_with_both_rates_and_its_interval() -> None:
    said = sentence([Arms(2000, 100, 500, 150)], share=0.2)

    assert "In 500 of 2,500 cases" in said
    assert "5.0% with and 30.0% without: about 500 repeats prevented (95 %: " in said


def test_harm_is_told_as_harm() -> None:
    said = sentence([Arms(2000, 600, 500, 25)], share=0.2)

    assert "about 500 repeats caused (95 %: " in said
    assert "-" not in said.split("95 %")[1]
