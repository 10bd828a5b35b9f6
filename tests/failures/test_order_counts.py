"""Order of calls on one object: counted over runs, not guessed from one."""

from __future__ import annotations

import pytest

from hardwon.failures.order_counts import FeatureCounts, counted_order
from hardwon.values.fix import Fix

FEATURES = {"send id after swap", "send id is like A9", "runs send"}


def fix(after: tuple[int, int], every: tuple[int, int]) -> Fix | None:
    counts = {"send id after swap": FeatureCounts(*after), "runs send": FeatureCounts(*every)}
    return counted_order(FEATURES, lambda feature: counts.get(feature, FeatureCounts(0, 0)), {})


def test_a_call_that_came_before_every_failure_and_no_success_is_to_come_later() -> None:
    found = fix((8, 8), (59, 8))

    assert found
    assert found.text.startswith("Call `send` before `swap`")
    assert found.is_proven


@pytest.mark.parametrize(
    ("after", "every"),
    [
        ((2, 2), (50, 2)),  # too few runs
        ((8, 5), (59, 5)),  # it worked after it too often
        ((5, 5), (59, 9)),  # it failed without it too often
        ((8, 8), (9, 8)),  # it hardly ever worked
    ],
)
def test_what_is_not_clear_is_no_fix(after: tuple[int, int], every: tuple[int, int]) -> None:
    assert fix(after, every) is None


def test_a_call_after_itself_has_no_order() -> None:
    counts = {"send id after send": FeatureCounts(8, 8), "runs send": FeatureCounts(59, 8)}

    assert counted_order({"send id after send"}, lambda one: counts[one], {}) is None


def test_a_look_spoils_nothing_and_is_in_no_order() -> None:
    counts = {"send id after find_person": FeatureCounts(8, 8), "runs send": FeatureCounts(59, 8)}

    assert counted_order({"send id after find_person"}, lambda one: counts[one], {}) is None


@pytest.mark.parametrize(
    ("after", "every"),
    [((3, 3), (8, 3)), ((9, 9), (30, 10)), ((10, 9), (30, 9))],
    ids=["the fewest", "nearly all failures", "nearly no success after it"],
)
def test_what_is_just_clear_is_a_fix(after: tuple[int, int], every: tuple[int, int]) -> None:
    assert fix(after, every)


@pytest.mark.parametrize(
    ("after", "every"), [((3, 3), (7, 3)), ((8, 8), (30, 9)), ((9, 8), (30, 8))]
)
def test_what_is_just_not_clear_is_none(after: tuple[int, int], every: tuple[int, int]) -> None:
    assert fix(after, every) is None


def test_tools_are_named_as_they_are_written() -> None:
    counts = {"sendit id after swapit": FeatureCounts(8, 8), "runs sendit": FeatureCounts(59, 8)}
    typed = {"sendit": "SendIt", "swapit": "SwapIt"}

    order = counted_order({"sendit id after swapit"}, lambda one: counts[one], typed)

    assert order
    assert order.text.startswith("Call `SendIt` before `SwapIt`")


def test_a_look_is_known_by_its_name_as_it_is_written() -> None:
    counts = {
        "getcase id after findcase": FeatureCounts(8, 8),
        "runs getcase": FeatureCounts(59, 8),
    }
    typed = {"getcase": "GetCase", "findcase": "FindCase"}

    assert counted_order({"getcase id after findcase"}, lambda one: counts[one], typed) is None
