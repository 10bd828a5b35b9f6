"""An error about a limit of the service is one, whichever tool was called."""

from __future__ import annotations

import pytest

from hardwon.knowledge.reading.reading import is_limit


@pytest.mark.parametrize(
    ("line", "is_one"),
    [
        ("Rate limit exceeded", True),
        ("HTTP 429", True),
        ("the request was throttled", True),
        ("at most 5 requests per minute", True),
        ("order 4290 not found", False),
        ("the size limit is 3", False),
        ("tasking rate exceeded", True),
        ("queries are limited to 2 per 30 s", True),
        ("queries are limited to 20 calls every minute", True),
        ("limited to 3 per order", False),
        ("item 429 not found", False),
        ("429 Too Many", True),
        ("status: 429", True),
    ],
)
def test_a_line_reports_a_rate_limit(line: str, is_one: bool) -> None:
    assert is_limit(line) is is_one
