"""The principal of a request, and its rights: the one rule for the API and the pages."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from hardwon.core.values.report import Place
from hardwon.storage.service.keys import NO_LIMIT, Limit, Role

if TYPE_CHECKING:
    from hardwon.storage.service.keys import Key


class Right:
    """A right that a route may require."""

    DOOR = "use the doors"
    LESSONS = "read lessons"
    READ = "read everything"
    DREAMS = "read dreams"
    COSTS = "read what models cost"
    CHANGE = "change lessons and dead letters"
    UNDO_DREAMS = "undo dreams"
    ADMIN = "manage keys"
    OWNER = "manage the home"


_VIEWER = {Right.LESSONS, Right.READ, Right.DREAMS, Right.COSTS}
_CURATOR = {*_VIEWER, Right.CHANGE, Right.UNDO_DREAMS}
RIGHTS = {
    Role.AGENT: {Right.DOOR, Right.LESSONS},
    Role.VIEWER: _VIEWER,
    Role.CURATOR: _CURATOR,
    Role.ADMIN: {*_CURATOR, Right.DOOR, Right.ADMIN},
}
_OF_AGENT = {Right.DREAMS, Right.UNDO_DREAMS}  # a dream is about all projects of an agent
_OF_TENANT = {Right.COSTS}


class Principal(NamedTuple):
    """The holder of a key, or the owner of the home. A request cannot choose the tenant."""

    tenant: str
    role: str
    agent: str | None = None  # the only one; None: any
    project: str | None = None
    key: str = ""  # the id of the key; "" for the owner of the home
    expires_at: datetime | None = None

    def may(self, right: str) -> bool:
        """Whether role and limits allow this."""
        if right == Right.OWNER:
            return not self.key
        is_whole_agent = self.project is None
        is_whole_tenant = is_whole_agent and self.agent is None
        return (
            right in RIGHTS[self.role]
            and (is_whole_agent or right not in _OF_AGENT)
            and (is_whole_tenant or right not in _OF_TENANT)
        )

    @property
    def place(self) -> Place:
        """What may be seen and changed; an agent also reads what holds everywhere."""
        return Place(self.tenant, self.agent, self.project)

    @property
    def keys(self) -> Limit:
        """Which keys may be seen, made and revoked."""
        if not self.key:
            return NO_LIMIT
        return Limit(self.tenant, self.agent, self.project, self.expires_at)


def of_key(key: Key) -> Principal:
    """The holder of a key."""
    return Principal(key.tenant, key.role, key.agent, key.project, key.id, key.expires_at)
