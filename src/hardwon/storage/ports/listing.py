"""What people look through: lists over many scopes of one tenant, page by page."""

from datetime import datetime
from typing import Protocol

from hardwon.core.values.delivery import Delivery
from hardwon.core.values.lesson import Lesson
from hardwon.core.values.report import FailureKind, ListQuery, Place
from hardwon.core.values.scope import Scope


class Listing(Protocol):
    """Lists what a place holds. A page costs the same whether it is the first or the last."""

    def scopes(self, tenant: str) -> list[Scope]:
        """Every scope of a tenant that something is kept of, by agent and project."""

    def lesson(self, place: Place, number: int) -> Lesson:
        """One lesson, else NotFound."""

    def lessons(self, wanted: ListQuery) -> list[Lesson]:
        """Newest-consulted first, then by id. Their marks: (last_seen_at, id)."""

    def counts(self, place: Place) -> dict[str, int]:
        """How many lessons are in each state."""

    def failures(self, wanted: ListQuery, since: datetime) -> list[FailureKind]:
        """The kinds met since a day, commonest first, with days and scope. Marks: (met, kind)."""

    def deliveries(self, wanted: ListQuery) -> list[Delivery]:
        """Newest first, then by id; all that were logged before count. Marks: (at, id)."""
