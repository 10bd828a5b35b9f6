"""For operators: identity, keys, readiness, metrics, the description of the API."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from starlette.responses import Response

import hardwon
from hardwon.core import metrics as prometheus
from hardwon.core.errors import InvalidInput
from hardwon.core.settings import duration
from hardwon.core.values.job import QueueCounts, WorkCounts
from hardwon.storage.service.keys import Role
from hardwon.surfaces.serve.api import views
from hardwon.surfaces.serve.api.verbs import Verb
from hardwon.surfaces.serve.principal import Right

if TYPE_CHECKING:
    from datetime import timedelta

    from hardwon.storage.service.keys import Key
    from hardwon.surfaces.serve.api.request import ApiRequest

_ANY = (Right.DOOR, Right.LESSONS)
_ADMIN = (Right.ADMIN,)
_KEY = ("role", "agent", "project", "note", "expires")


def me(request: ApiRequest) -> Any:
    """The principal of the request, and the server's version."""
    fields = {**request.principal._asdict(), "version": hardwon.__version__}
    return views.described("Principal", fields)


def openapi(request: ApiRequest) -> Any:
    """The description of this API."""
    with open(views.OPENAPI, "rb") as file:
        return Response(file.read(), media_type="application/json")


def ready(request: ApiRequest) -> Any:
    """Whether the store and the queue can be read."""
    request.tenant.lessons(limit=1)
    request.hw.queue.dead()
    return {"ready": True}


def metrics(request: ApiRequest) -> Any:
    """Queue counts and spending of the tenant, in the Prometheus format."""
    place, queue = request.tenant.place, request.hw.queue
    counts_of_tenant = [
        sum(place.covers(job.episode.scope) for job in jobs)
        for jobs in (queue.waiting(), queue.dead())
    ]
    spent: dict[str, float] = {}
    for _, _, sum_of_model in request.tenant.spent(1):
        for name, amount in sum_of_model._asdict().items():
            spent[name] = spent.get(name, 0.0) + amount
    counts = QueueCounts(pending=counts_of_tenant[0], dead=counts_of_tenant[1])
    text = prometheus.exposition(counts, WorkCounts({}, {}, {}, {}), spent)
    return Response(text, media_type="text/plain; version=0.0.4; charset=utf-8")


def keys(request: ApiRequest) -> Any:
    """The keys that the caller may revoke, newest first."""
    listed = request.state.access.keys.list(request.principal.keys)
    return {"items": [_shown(key) for key in listed]}


def create_key(request: ApiRequest) -> Any:
    """A new key of the tenant; its text is shown in this answer only."""
    key, text = request.state.access.keys.create(
        tenant=request.principal.tenant,
        role=request.text("role", Role.AGENT),
        agent=request.text("agent", "") or None,
        project=request.text("project", "") or None,
        note=request.text("note", ""),
        lasts=_lasts(request.any("expires")),
        limit=request.principal.keys,
    )
    return {**_shown(key), "key": text}


def revoke_key(request: ApiRequest) -> Any:
    """Revoke a key, at once."""
    revoked = request.state.access.keys.revoke(request.path("id"), limit=request.principal.keys)
    return _shown(revoked)


def _shown(key: Key) -> dict[str, Any]:
    return views.described("Key", key)


def _lasts(value: object) -> timedelta | None:
    try:
        return None if value is None else duration(value)
    except (ValueError, KeyError, OverflowError) as error:
        raise InvalidInput(
            f"'expires' must be a duration such as 12h or 90d, not {value!r}"
        ) from error


VERBS = (
    Verb("GET", "/v1/me", _ANY, me),
    Verb("GET", "/v1/openapi.json", _ANY, openapi),
    Verb("GET", "/readyz", _ANY, ready),
    Verb("GET", "/metrics", (Right.COSTS,), metrics),
    Verb("GET", "/v1/keys", _ADMIN, keys),
    Verb("POST", "/v1/keys", _ADMIN, create_key, takes=_KEY, status=201, is_secret=True),
    Verb("DELETE", "/v1/keys/{id}", _ADMIN, revoke_key),
)
