"""The proof by door, project and origin: all intervals hold at once."""

from __future__ import annotations

import random

from hardwon.knowledge.proof.effect import NO_EFFECT, TOO_FEW, Arms, Stratum, effect, parts

CLEAR = Arms(2000, 100, 500, 150)
DULL = Arms(2000, 300, 500, 75)


def stratum(arms: Arms, project: str = "api", door: str = "turn", author: str = "rules") -> Stratum:
    return Stratum(project, door, author, 0.2, arms)


def test_each_part_is_told_by_its_own_units() -> None:
    strata = [stratum(CLEAR), stratum(DULL, door="action"), stratum(Arms(9, 1, 2, 1), door="start")]

    found = {one.name: one for one in parts(strata)}

    assert found["turn"].words.startswith("about 500 repeats prevented")
    assert found["action"].words == NO_EFFECT
    assert found["start"].words == TOO_FEW
    assert (found["turn"].shown, found["turn"].withheld_repeats) == (2000, 150)


def test_what_all_have_in_common_is_no_part() -> None:
    strata = [stratum(CLEAR), stratum(DULL, door="action")]

    assert {one.by for one in parts(strata)} == {"door"}


def test_lessons_are_told_apart_by_who_worded_them() -> None:
    authors = ["rules", "anthropic:claude", "openai:gpt", "person", ""]
    strata = [stratum(CLEAR, author=author) for author in authors]

    assert [one.name for one in parts(strata)] == ["model", "no longer there", "person", "rules"]


def test_the_more_parts_the_wider_their_intervals() -> None:
    alone = effect([CLEAR])
    few = [stratum(CLEAR, f"p{number}") for number in range(2)]
    many = [stratum(CLEAR, f"p{number}") for number in range(20)]

    assert alone
    widths = [next(parts(strata)).high - next(parts(strata)).low for strata in (few, many)]
    assert alone.high - alone.low < widths[0] < widths[1]


def test_twenty_projects_without_an_effect_claim_none() -> None:
    chance, claims = random.Random(4), 0
    for _ in range(200):
        strata = []
        for number in range(20):
            shown = sum(chance.random() < 0.15 for _ in range(160))
            withheld = sum(chance.random() < 0.15 for _ in range(40))
            strata.append(stratum(Arms(160, shown, 40, withheld), f"p{number}"))
        claims += any(one.low > 0 or one.high < 0 for one in parts(strata))

    assert claims <= 10
