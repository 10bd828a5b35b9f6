"""Measure: remember what was delivered, so that it can be seen whether it helped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardwon.domain.delivery import Delivery
from hardwon.domain.text import clip

if TYPE_CHECKING:
    from datetime import datetime

    from hardwon.domain.delivery import Injection
    from hardwon.domain.recall import Query
    from hardwon.domain.scope import Scope
    from hardwon.ports import DeliveryLog

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
            query=clip(query.text, _QUERY_KEPT),
            lessons=tuple(lesson.id for lesson in injection.lessons),
            scores=scores,
            tokens=tokens,
            micros=micros,
            at=at,
        )
    )
