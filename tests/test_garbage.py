"""The collector of cyclic garbage: run rarely for a while, then as before."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from hardwon.api.lessons import collect_garbage_rarely


@pytest.fixture(autouse=True)
def usual() -> Iterator[tuple[int, int, int]]:
    before = gc.get_threshold()
    yield before
    gc.set_threshold(*before)


def test_garbage_is_collected_rarely_and_then_as_before(usual: tuple[int, int, int]) -> None:
    with collect_garbage_rarely():
        within = gc.get_threshold()

    assert within[0] > 10 * usual[0]
    assert within[1:] == usual[1:]
    assert gc.get_threshold() == usual


def test_an_error_leaves_the_collector_as_it_was(usual: tuple[int, int, int]) -> None:
    with pytest.raises(KeyError), collect_garbage_rarely():
        raise KeyError

    assert gc.get_threshold() == usual


@pytest.mark.parametrize("own", [0, 10**6])
def test_a_program_that_collects_even_less_is_left_alone(own: int) -> None:
    gc.set_threshold(own)
    with collect_garbage_rarely():
        assert gc.get_threshold()[0] == own
