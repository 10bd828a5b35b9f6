"""Measure: remember what was delivered, so that it can be seen whether it helped."""

from __future__ import annotations

from hardwon._cold import re
from hardwon._cold.lazy import lazy
from hardwon.text.clean import clip
from hardwon.values.delivery import Delivery

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from hardwon.ports import DeliveryLog
    from hardwon.ranking.query import Query
    from hardwon.text import redact
    from hardwon.values.delivery import Injection
    from hardwon.values.scope import Scope
else:
    redact = lazy("hardwon.text.redact")

_QUERY_KEPT = 500
_PERHAPS_SECRET = r"[\w+/=-]{16}|://|(?i:passw|pwd|secret|token|key|auth|cookie)"


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
            query=clip(_safe(query.text[: 2 * _QUERY_KEPT]), _QUERY_KEPT),
            lessons=tuple(lesson.id for lesson in injection.lessons),
            scores=scores,
            tokens=tokens,
            micros=micros,
            at=at,
        )
    )


def _safe(text: str) -> str:
    """The text without secrets; what cannot hold one is spared the import of the rules."""
    return redact.redact(text) if re.search(_PERHAPS_SECRET, text) else text
