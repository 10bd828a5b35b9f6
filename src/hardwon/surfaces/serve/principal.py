"""The principal of a request, and its rights."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from hardwon.service.keys import Role

if TYPE_CHECKING:
    from hardwon.service.keys import Key


class Right:
    """A right that a route may require."""

    DOOR = "use the doors"
    LESSONS = "read lessons"
    READ = "read everything"
    CHANGE = "change lessons and dead letters"
    ADMIN = "manage keys"


RIGHTS = {
    Role.AGENT: {Right.DOOR, Right.LESSONS},
    Role.VIEWER: {Right.LESSONS, Right.READ},
    Role.CURATOR: {Right.LESSONS, Right.READ, Right.CHANGE},
    Role.ADMIN: {Right.DOOR, Right.LESSONS, Right.READ, Right.CHANGE, Right.ADMIN},
}


class Principal(NamedTuple):
    """The holder of a key, or the owner of the home. A request cannot choose the tenant."""

    tenant: str
    role: str
    agent: str | None = None  # the only one; None: any
    project: str | None = None
    key: str = ""  # the id of the key; "" for the owner of the home

    def may(self, right: str) -> bool:
        """Whether the role has this right."""
        return right in RIGHTS[self.role]


def of_key(key: Key) -> Principal:
    """The holder of a key."""
    return Principal(key.tenant, key.role, key.agent, key.project, key.id)
