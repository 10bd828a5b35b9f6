"""Lists in pages: what is asked for, and where the last page ended."""

from __future__ import annotations

from typing import Generic, NamedTuple, TypeVar

from hardwon.values.lesson import Status
from hardwon.values.scope import Scope

T = TypeVar("T")
Mark = tuple[float, str]  # the place of a row in its list: what it is ordered by, then its id


class Place(NamedTuple):
    """A whole tenant, or one agent or project of it."""

    tenant: str
    agent: str | None = None  # None: every one
    project: str | None = None  # None: every one; "": what holds everywhere

    def covers(self, scope: Scope) -> bool:
        """Whether what is in a scope is listed."""
        return (
            scope.tenant == self.tenant
            and self.agent in (None, scope.agent)
            and self.project in (None, scope.project or "")
        )


class Wanted(NamedTuple):
    """Which rows of a list, and how many; `after` is the mark of the last one seen."""

    place: Place
    status: str = Status.ALL
    text: str = ""  # that a lesson or a failure contains, case aside
    after: Mark | None = None
    limit: int = 50


class Page(NamedTuple, Generic[T]):
    """One page of a list, and the mark where the next one begins; None at the end."""

    rows: tuple[T, ...]
    next: Mark | None = None
