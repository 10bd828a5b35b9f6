"""An error about a limit of the service is one, whichever tool was called."""

from __future__ import annotations

import pytest

from hardwon.failures.rate_limits import is_limit


@pytest.mark.parametrize(
    ("line", "is_one"),
    [
        ("Rate limit exceeded", True),
        ("HTTP 429", True),
        ("the request was throttled", True),
        ("at most 5 requests per minute", True),
        ("order 4290 not found", False),
        ("the size limit is 3", False),
    ],
)
def test_a_line_reports_a_rate_limit(line: str, is_one: bool) -> None:
    assert is_limit(line) is is_one
