"""Each caller has a token bucket of its own."""

from __future__ import annotations

import pytest

from hardwon.surfaces.serve import limits
from hardwon.surfaces.serve.limits import Buckets


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_twice_the_rate_may_come_at_once_and_then_one_waits_for_the_next_token() -> None:
    clock = Clock()
    buckets = Buckets(4.0, clock)

    waits = [buckets.wait("key") for _ in range(9)]
    clock.now = 0.25

    assert waits == [0.0] * 8 + [0.25]
    assert buckets.wait("key") == 0.0
    assert buckets.wait("key") == 0.25


def test_a_bucket_never_holds_more_than_twice_the_rate() -> None:
    clock = Clock()
    buckets = Buckets(1.0, clock)
    buckets.wait("key")
    clock.now = 1000.0

    assert [buckets.wait("key") for _ in range(3)] == [0.0, 0.0, 1.0]


def test_callers_do_not_share_a_bucket() -> None:
    buckets = Buckets(0.5, Clock())

    assert buckets.wait("one") == 0.0
    assert buckets.wait("one") > 0.0
    assert buckets.wait("other") == 0.0


def test_only_the_least_recent_caller_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "_MOST", 2)
    buckets = Buckets(0.5, Clock())
    for name in ("first", "second", "first", "third"):
        buckets.wait(name)

    assert buckets.wait("first") > 0.0
    assert buckets.wait("second") == 0.0
