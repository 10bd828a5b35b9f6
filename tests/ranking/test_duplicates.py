"""Lessons that say the same, or the opposite."""

from __future__ import annotations

import random
import time
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.core.values.lesson import lesson_of_person
from hardwon.knowledge.ranking.duplicates import Comparison, compare, is_warning, sketch
from tests.samples import CODER

WORDS = [a + b for a in ("ba", "ke", "lo", "mi", "nu", "ra") for b in ("dor", "fin", "gal", "hem")]


def compared(*texts: str) -> Comparison:
    return compare(
        sketch(lesson_of_person(CODER, text)._replace(id=at)) for at, text in enumerate(texts)
    )


def groups(*texts: str) -> list[list[int]]:
    return [[one.id for one in group] for group in compared(*texts).groups]


def near(*texts: str) -> list[tuple[int, int]]:
    return compared(*texts).near


def test_the_same_text_is_one_lesson_whatever_its_blanks_and_case() -> None:
    found = compared("use Edit for large Go files", "Use edit  for large\tGo files")

    assert [[one.id for one in group] for group in found.groups] == [[0, 1]]
    assert not found.near
    assert not found.conflicts


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("rebase feature onto main", "rebase main onto feature"),
        ("convert tabs to spaces", "convert spaces to tabs"),
        ("map the port 8080 to 80", "map the port 80 to 8080"),
        ("use Edit for large Go files", "Use edit for large Go files."),
        (
            "set the git identity before the first commit in a fresh clone",
            "in a fresh clone set the git identity before the very first commit",
        ),
        ("use Edit, not Write, for large files", "for large files use Edit, not Write"),
    ],
)
def test_nearly_the_same_words_are_named_and_never_merged(one: str, other: str) -> None:
    assert compared(one, other) == Comparison([], [], [(0, 1)])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("always run the migration tests first", "never run the migration tests first"),
        ("use Edit, not Write, for large files", "use Write, not Edit, for large files"),
        ("call tar instead of zip for the backups", "call zip instead of tar for the backups"),
    ],
)
def test_opposite_advice_is_never_merged_but_told(one: str, other: str) -> None:
    found = compared(one, other)

    assert found.groups == []
    assert [(pair.first, pair.second) for pair in found.conflicts] == [(0, 1)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("set the timeout of the client to 30 s", "set the timeout of the client to 300 s"),
        ("pass `--force` to the push of the branch", "pass `--dry-run` to the push of the branch"),
        (
            "when the build fails clean the cache",
            "when the build fails clean the cache, not the log",
        ),
        ("never push to main on a Friday", "never push to main"),
    ],
)
def test_another_value_or_fix_is_no_contradiction_and_another_lesson(one: str, other: str) -> None:
    assert compared(one, other) == Comparison([], [], [])


OPPOSITES = "always run the migration tests first", "never run the migration tests first"


def test_what_differs_in_scope_does_not_contradict() -> None:
    lessons = [
        lesson_of_person(CODER, OPPOSITES[0]),
        lesson_of_person(CODER._replace(project="web"), OPPOSITES[1]),
    ]

    assert compare(map(sketch, lessons)).conflicts == []


def test_what_was_learnt_from_other_failures_does_not_contradict() -> None:
    failures = [("f1", "f2"), ("f1", "")]
    for (one, other), count in zip(failures, (0, 0), strict=True):
        lessons = [
            lesson_of_person(CODER, text)._replace(id=at, signatures=(name,) if name else ())
            for at, (text, name) in enumerate(zip(OPPOSITES, (one, other), strict=True))
        ]
        assert len(compare(map(sketch, lessons)).conflicts) == count


def test_opposite_advice_after_failures_of_one_kind_contradicts() -> None:
    lessons = [
        lesson_of_person(CODER, text)._replace(id=at, signatures=(f"s{at}",), kinds=("k",))
        for at, text in enumerate(OPPOSITES)
    ]

    assert len(compare(map(sketch, lessons)).conflicts) == 1


BILLING = (
    "when the nightly report job of billing fails remove the oldest log files of its host first"
)
SHIPPING = BILLING.replace("billing", "shipping")


def test_a_name_in_the_place_of_another_makes_two_lessons_that_do_not_disagree() -> None:
    assert compared(BILLING, SHIPPING) == Comparison([], [], [])
    assert compared(f"{BILLING} after 3 days", f"{SHIPPING} after 30 days") == Comparison(
        [], [], []
    )


def test_a_word_in_the_place_of_another_is_near_after_the_same_failure() -> None:
    lessons = [
        lesson_of_person(CODER, text)._replace(signatures=("f1",)) for text in (BILLING, SHIPPING)
    ]

    assert len(compare(map(sketch, lessons)).near) == 1


def test_a_word_more_is_near_in_one_scope_only() -> None:
    elsewhere = lesson_of_person(CODER._replace(project="web"), f"{BILLING} slowly")

    assert near(BILLING, f"{BILLING} slowly") == [(0, 1)]
    assert compare(map(sketch, (lesson_of_person(CODER, BILLING), elsewhere))).near == []


def test_duplicates_are_found_in_the_largest_crowd_of_look_alikes() -> None:
    crowd = [f"{BILLING} {one} {two}" for one, two in combinations(WORDS, 2)]

    assert groups(*crowd, crowd[-1]) == [[len(crowd) - 1, len(crowd)]]


def test_unrelated_lessons_are_left_alone() -> None:
    found = compared("use Edit for large Go files", "water the plants on the balcony daily")

    assert found == Comparison([], [], [])


def test_very_short_lessons_are_the_same_only_word_for_word() -> None:
    assert groups("use tar", "use zip", "use tar") == [[0, 2]]


def test_a_crowd_of_look_alikes_does_not_cost_all_pairs() -> None:
    chance = random.Random(1)
    frame = "when the nightly report job of the billing service fails check host"
    texts = [f"{frame} {chance.choice(WORDS)}{chance.choice(WORDS)} {n}" for n in range(3000)]

    began = time.process_time()
    compared(*texts)

    assert time.process_time() - began < 60  # all pairs would be 4.5 million comparisons


@given(st.lists(st.text(max_size=60), max_size=12))
def test_each_lesson_is_in_one_group_at_most(texts: list[str]) -> None:
    members = [number for group in groups(*texts) for number in group]

    assert len(members) == len(set(members))


@given(st.lists(st.sampled_from(WORDS), min_size=4, max_size=14, unique=True), st.randoms())
def test_another_order_of_words_is_near(words: list[str], chance: random.Random) -> None:
    other = list(words)
    chance.shuffle(other)

    expected = [] if words == other else [(0, 1)]
    assert near(" ".join(words), " ".join(other)) == expected


def test_the_same_advice_in_another_situation_is_another_lesson() -> None:
    advice = "clear the cache of the builder and begin again"
    lessons = [
        lesson_of_person(CODER, advice)._replace(id=at, situation=situation)
        for at, situation in enumerate(("when a test hangs", "when the disk of a host fills up"))
    ]

    assert compare(map(sketch, lessons)) == Comparison([], [], [])


def after_one_failure(*texts: str) -> Comparison:
    lessons = (lesson_of_person(CODER, text)._replace(signatures=("f1",)) for text in texts)
    return compare(sketch(lesson._replace(id=at)) for at, lesson in enumerate(lessons))


def test_four_of_five_words_in_common_are_enough_after_one_failure() -> None:
    five = "clean builder cache folder twice"

    assert len(after_one_failure(five, "clean builder cache folder").near) == 1
    assert after_one_failure(five, "clean builder cache").near == []
    assert after_one_failure(five, "clean builder cache folder slowly").near == []


def test_quoted_code_does_not_make_up_for_other_words() -> None:
    quoted = "`push --force-with-lease origin release candidate branch`"
    one, other = f"call {quoted} after a rebase", f"call {quoted} before every merge"

    assert after_one_failure(one, other).near == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("always run tests", "never run tests"),
        (
            "always wait 30 s before the next run",
            "never wait 300 s before the next run",
        ),
        (f"always {BILLING}", f"never {SHIPPING}"),
        ("never run builder", "run builder cache twice slowly"),
    ],
    ids=["too short", "another value", "another name", "too little in common"],
)
def test_what_may_be_about_something_else_does_not_contradict(one: str, other: str) -> None:
    assert after_one_failure(one, other).conflicts == []


def test_three_of_five_words_in_common_are_enough_to_contradict() -> None:
    three = "never clean builder cache"

    assert len(after_one_failure(three, "clean builder cache folder twice").conflicts) == 1
    assert after_one_failure(three, "clean builder cache folder twice slowly").conflicts == []


def test_at_most_a_hundred_contradictions_are_told() -> None:
    names = [f"{one}{two}" for one, two in combinations(WORDS, 2)][:120]
    texts = [f"{word} run the {name} tests first" for name in names for word in ("always", "never")]

    assert len(compared(*texts).conflicts) == 100


def test_the_lesson_with_the_same_value_is_found_among_many_with_another() -> None:
    pairs = enumerate(combinations(WORDS, 2), 10)
    crowd = [f"{BILLING} {one} {two} after {days} days" for days, (one, two) in pairs]

    for number in (3, 48, 258):
        assert (number, len(crowd)) in near(*crowd, f"{crowd[number]} slowly")


@pytest.mark.parametrize("text", ["never push to main", "Don’t push", "use tar instead of zip"])
def test_a_warning_advises_against_something(text: str) -> None:
    assert is_warning(text)
    assert not is_warning("push to main; note the number")
