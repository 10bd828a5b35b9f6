"""How reflections are written under a key of Redis, and what is read of other programs' entries."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from hardwon.core.values.lesson import EPOCH
from hardwon.core.values.reflection import Reflection
from hardwon.storage.stores.redis.entries import Unreadable, decode, encode, entry, reflection
from tests.samples import CODER, LATER, NOW

NOON = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)


def read(**fields: Any) -> Reflection:
    return reflection(fields, CODER, "g1")


def test_what_is_written_is_read_again() -> None:
    kept = Reflection(
        CODER,
        "g1",
        insight="für alle",
        created_at=NOW,
        title="Übersicht",
        state="failed",
        importance=0.7,
        expires_at=LATER,
        job="j1",
    )
    value = encode([entry(kept)])

    assert [reflection(fields, CODER, "g1") for fields in decode(value)] == [
        kept._replace(detail="{}")
    ]
    assert "für alle".encode() in value, "people read it with redis-cli"


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-11-15T12:00:00", NOON),
        ("2026-11-15T12:00:00+00:00", NOON),
        ("2026-11-15T14:00:00+02:00", NOON),
        ("yesterday", EPOCH),
        (None, EPOCH),
    ],
)
def test_a_time_without_a_zone_is_utc(text: str | None, moment: datetime) -> None:
    found = read(created_at=text)

    assert found.created_at == moment
    assert found.created_at.utcoffset() in (timedelta(0), timedelta(hours=2))
    assert read(timestamp=text).created_at == moment
    assert read(expires_at=text).expires_at == (None if moment == EPOCH else moment)


def test_the_fields_of_the_published_program_are_read() -> None:
    found = read(reflection="ask for a range", outcome="success", importance="2")

    assert (found.insight, found.importance) == ("ask for a range", 1.0)
    assert read(insight="ours", reflection="theirs").insight == "ours"
    assert (found.state, read(outcome="failure").state, read().state) == (
        "completed",
        "failed",
        "failed",
    )
    assert (read().importance, read(importance="much").importance, read().title) == (0.5, 0.5, "")


@pytest.mark.parametrize("value", [b"no json", b"{}", b"[1]", b"[" * 100_000])
def test_a_foreign_value_is_unreadable(value: bytes) -> None:
    with pytest.raises(Unreadable):
        decode(value)


def test_no_value_is_no_entry() -> None:
    assert decode(None) == decode(b"") == []
