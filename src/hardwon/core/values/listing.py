"""Lists in pages: the query, and where the last page ended."""

from __future__ import annotations

import math
from typing import Generic, NamedTuple, TypeVar

from hardwon.core.errors import InvalidInput
from hardwon.core.values.lesson import Status
from hardwon.core.values.scope import Scope

T = TypeVar("T")
_LONGEST = 1000  # characters of an id
Mark = tuple[float, str]  # the position of a row in its list: the sort value, then its id


def mark(place: float | str, name: object) -> Mark:
    """A mark that somebody handed in; InvalidInput if no list can have it."""
    try:
        number, text = float(place), str(name)
        if math.isfinite(number) and text.isprintable() and len(text) <= _LONGEST:
            return number, text
    except (ValueError, TypeError, OverflowError):
        pass
    raise InvalidInput("no such place in the list; begin with its first page")


class Place(NamedTuple):
    """A whole tenant, or one agent or project of it."""

    tenant: str
    agent: str | None = None  # None: every agent
    project: str | None = None  # None: every project; "": only lessons that hold everywhere

    def covers(self, scope: Scope) -> bool:
        """Whether the rows of a scope are listed."""
        return (
            scope.tenant == self.tenant
            and self.agent in (None, scope.agent)
            and self.project in (None, scope.project or "")
        )


class ListQuery(NamedTuple):
    """Which rows of a list, and how many; `after` is the mark of the last row seen."""

    place: Place
    status: str = Status.ALL
    text: str = ""  # text that the lesson or failure contains, ignoring case
    after: Mark | None = None
    limit: int = 50


class Page(NamedTuple, Generic[T]):
    """One page of a list, and the mark for the next one; None at the end."""

    rows: tuple[T, ...]
    next: Mark | None = None
