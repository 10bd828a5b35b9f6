"""Measure: log each delivery, so that its effect can be measured."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from hardwon.text.secrets import safe
from hardwon.values.delivery import Delivery, Outcome

if TYPE_CHECKING:
    from datetime import datetime

    from hardwon.ports import DeliveryLog
    from hardwon.ranking.query import Query
    from hardwon.values.delivery import Injection
    from hardwon.values.scope import Scope

_QUERY_KEPT = 500


def delivered(
    injection: Injection,
    query: Query,
    *,
    scope: Scope,
    scores: tuple[float, ...],
    tokens: int,
    micros: int,
    at: datetime,
    log: DeliveryLog,
) -> None:
    """Log one delivery."""
    log.log(
        Delivery(
            id=injection.id,
            scope=scope,
            door=query.door,
            query=safe(query.text, _QUERY_KEPT),
            lessons=tuple(lesson.id for lesson in injection.lessons),
            scores=scores,
            tokens=tokens,
            micros=micros,
            at=at,
            outcome=Outcome.DENIED if injection.denied else "",
        )
    )


def new_id(now: datetime) -> str:
    """A new delivery id: unique, and sorted by time."""
    return f"{int(now.timestamp() * 1000):011x}{os.urandom(5).hex()}"
