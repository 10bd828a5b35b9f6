"""Measure: remember what was delivered, so that it can be seen whether it helped."""

from __future__ import annotations

from hardwon import _re as re
from hardwon._lazy import lazy
from hardwon.domain.delivery import Delivery
from hardwon.domain.text import clip

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from hardwon.domain import redact
    from hardwon.domain.delivery import Injection
    from hardwon.domain.recall import Query
    from hardwon.domain.scope import Scope
    from hardwon.ports import DeliveryLog
else:
    redact = lazy("hardwon.domain.redact")

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
