"""Each delivery is logged with what it took and what it showed."""

from __future__ import annotations

from datetime import timedelta

import pytest

from hardwon.core.values.delivery import Injection
from hardwon.engine.pipeline.measure import log_delivery, new_id
from hardwon.knowledge.ranking.query import Query
from hardwon.storage.stores.memory import MemoryStore
from tests.samples import CODER, NOW, lesson


@pytest.mark.parametrize(("denied", "outcome"), [(True, "denied"), (False, "")])
def test_a_delivery_is_logged_without_secrets(denied: bool, outcome: str) -> None:
    store, secret = MemoryStore(), "ghp_" + "a1B2c3D4e5" * 4
    shown = Injection("text", (lesson()._replace(id=7),), new_id(NOW), denied=denied)
    log_delivery(
        shown,
        Query("turn", f"{secret} " + "x" * 600),
        scope=CODER,
        scores=(0.5,),
        tokens=9,
        micros=11,
        at=NOW,
        log=store.deliveries,
    )

    (kept,) = store.deliveries.recent(CODER, limit=5)
    assert (kept.lessons, kept.scores, kept.tokens, kept.micros) == ((7,), (0.5,), 9, 11)
    assert (kept.outcome, kept.door, kept.at) == (outcome, "turn", NOW)
    assert secret not in kept.query
    assert len(kept.query) <= 500


def test_ids_are_in_the_order_of_time_and_no_two_are_equal() -> None:
    ids = [new_id(NOW + timedelta(milliseconds=n)) for n in range(3)]

    assert ids == sorted(ids)
    assert len({new_id(NOW) for _ in range(20)}) == 20


def test_an_id_is_eleven_digits_of_time_and_ten_of_chance() -> None:
    made = new_id(NOW)

    assert len(made) == 21
    assert int(made[:11], 16) == int(NOW.timestamp() * 1000)
