"""One request to the API: its principal, its parameters and its body."""

from __future__ import annotations

import base64
import json
from functools import cached_property
from typing import TYPE_CHECKING, Any

from hardwon.core.errors import InvalidInput
from hardwon.core.values.report import Mark, mark
from hardwon.surfaces.serve.requests import lessons_of, limited, principal, scoped

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.requests import Request

    from hardwon import Agent, Hardwon
    from hardwon.api.lessons import Lessons
    from hardwon.api.tenants import Tenant
    from hardwon.core.values.scope import Scope
    from hardwon.surfaces.serve.principal import Principal

_TRUE, _FALSE = {"true", "1", "yes"}, {"false", "0", "no", ""}
MOST = 1000  # rows of a page


class ApiRequest:
    """A request with its body read."""

    def __init__(self, request: Request, fields: Mapping[str, Any], body: bytes) -> None:
        self._request = request
        self.fields = fields
        self.body = body

    @property
    def hw(self) -> Hardwon:
        """The opened hardwon."""
        hw: Hardwon = self._request.app.state.hw
        return hw

    @property
    def state(self) -> Any:
        """The state of the application."""
        return self._request.app.state

    @cached_property
    def principal(self) -> Principal:
        """The principal of the request."""
        return principal(self._request)

    @cached_property
    def agent(self) -> Agent:
        """The agent that the query names, within the limits of the key."""
        return scoped(self._request)

    @property
    def lessons(self) -> Lessons:
        """The lessons of that agent; those beyond the limits of the key cannot be changed."""
        return lessons_of(self._request, self.agent.scope)

    def lessons_of(self, scope: Scope) -> Lessons:
        """The same for another scope."""
        return lessons_of(self._request, scope)

    @cached_property
    def tenant(self) -> Tenant:
        """The tenant of the key, or the agent and project that the query names."""
        agent, project = limited(self._request)
        return self.hw.tenant(self.principal.tenant, agent=agent, project=project)

    def path(self, name: str) -> Any:
        """A part of the path."""
        return self._request.path_params[name]

    def query(self, name: str, default: str = "") -> str:
        """A parameter of the query."""
        return self._request.query_params.get(name, default)

    def is_on(self, name: str, *, default: bool = False) -> bool:
        """A parameter that is true or false."""
        value = self.query(name, "true" if default else "false").lower()
        if value not in _TRUE | _FALSE:
            raise InvalidInput(f"the parameter {name!r} is true or false, not {value!r}")
        return value in _TRUE

    def number(self, name: str, default: int, most: int = MOST) -> int:
        """A parameter that is a whole number from 1 to `most`."""
        value = self.query(name, str(default))
        is_number = value.isascii() and value.isdecimal() and len(value) < 10
        if not (is_number and 1 <= int(value) <= most):
            raise InvalidInput(f"the parameter {name!r} is a number in 1 … {most}, not {value!r}")
        return int(value)

    def cursor(self) -> Mark | None:
        """Where the last page ended."""
        value = self.query("cursor")
        return _mark(value) if value else None

    def text(self, name: str, default: str | None = None) -> str:
        """A field of the body that is a text; required if it has no default."""
        value = self.fields.get(name, default)
        if not isinstance(value, str):
            raise InvalidInput(f"the field {name!r} must be a text")
        return value

    def flag(self, name: str) -> bool | None:
        """A field of the body that is true, false or absent."""
        value = self.fields.get(name)
        if not isinstance(value, bool | None):
            raise InvalidInput(f"the field {name!r} must be true or false")
        return value

    def any(self, name: str, default: Any = None) -> Any:
        """A field of the body, of any type."""
        return self.fields.get(name, default)

    def items(self, name: str) -> list[Any]:
        """A field of the body that is a list."""
        value = self.fields.get(name, [])
        if not isinstance(value, list):
            raise InvalidInput(f"the field {name!r} must be a list")
        return value


def cursor_of(mark: Mark | None) -> str | None:
    """A mark as an opaque text for the caller."""
    if mark is None:
        return None
    return base64.urlsafe_b64encode(json.dumps(mark).encode()).decode().rstrip("=")


def _mark(cursor: str) -> Mark:
    try:
        raw = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        place, name = json.loads(raw)
    except (ValueError, TypeError, RecursionError) as error:
        raise InvalidInput("unknown cursor; use the `next` of a page, or none") from error
    return mark(place, name)
