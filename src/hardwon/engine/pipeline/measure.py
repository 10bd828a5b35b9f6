"""Measure: log each delivery, so that its effect can be measured."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from hardwon.core.text.secrets import safe
from hardwon.core.values.delivery import Delivery, Outcome

if TYPE_CHECKING:
    from datetime import datetime

    from hardwon.core.values.delivery import Injection
    from hardwon.core.values.scope import Scope
    from hardwon.knowledge.ranking.query import Query
    from hardwon.storage.ports import DeliveryLog

_QUERY_KEPT = 500


def log_delivery(
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
