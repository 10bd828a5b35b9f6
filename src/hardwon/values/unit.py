"""The unit of a proof: one run and one family of lessons, from its first exposure."""

from __future__ import annotations

from datetime import datetime

from hardwon.values.scope import Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple
else:
    from hardwon._cold.namedtuple import NamedTuple

DOOR = "unit"  # where a run notes it: at any door, the failure comes back or is not met
_MARK = "~"  # begins the name by which a run notes it; ids of deliveries are hexadecimal


class Unit(NamedTuple):
    """Whether a run was shown a family of lessons, or is in the arm from which it is withheld."""

    scope: Scope
    run: str
    family: str  # the failure kind that its lessons are about
    door: str  # of the first exposure
    withheld: bool
    share: float  # that was in force
    at: datetime


def noted_as(family: str) -> str:
    """The name by which a run notes a unit."""
    return f"{_MARK}{family}"


def family_of(name: str) -> str:
    """The family of such a name; "" for the id of a delivery."""
    return name[1:] if name.startswith(_MARK) else ""
