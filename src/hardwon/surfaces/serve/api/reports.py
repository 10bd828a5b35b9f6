"""Reports on failures, lessons, deliveries and spending."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hardwon.core.errors import InvalidInput
from hardwon.core.settings import duration
from hardwon.core.values import plain
from hardwon.surfaces.serve.api import views
from hardwon.surfaces.serve.api.verbs import Verb, listed
from hardwon.surfaces.serve.principal import Right

if TYPE_CHECKING:
    from datetime import timedelta

    from hardwon.core.values.report import FailureKind
    from hardwon.surfaces.serve.api.request import ApiRequest

_READ = (Right.READ,)


def report(request: ApiRequest) -> Any:
    """What was learnt, what was shown, and what happened then."""
    limits, scope = request.tenant.place, request.agent.scope
    summary = request.hw.report(
        scope.agent,
        project=scope.project,
        tenant=request.principal.tenant,
        since=_since(request),
        whole=limits.agent is None and limits.project is None,
    )
    since, is_whole = summary.window.since, summary.window.is_whole
    return views.described("Report", {**summary._asdict(), "since": since, "is_whole": is_whole})


def failures(request: ApiRequest) -> Any:
    """A page of the kinds of failures, commonest first."""
    text = request.query("q")
    page = request.tenant.failures(
        since=_since(request), text=text, after=request.cursor(), limit=request.number("limit", 50)
    )
    return listed(page, _failure)


def deliveries(request: ApiRequest) -> Any:
    """A page of what was shown to whom, newest first."""
    page = request.tenant.deliveries(after=request.cursor(), limit=request.number("limit", 50))
    return listed(page, lambda delivery: views.placed("Delivery", delivery))


def spend(request: ApiRequest) -> Any:
    """What models have cost the tenant, by day and model."""
    rows = request.tenant.spent(request.number("days", 30, most=366))
    return {"items": [{"day": day, "model": model, **plain(sum)} for day, model, sum in rows]}


def _since(request: ApiRequest) -> timedelta:
    value = request.query("since", "30d")
    try:
        return duration(value)
    except (ValueError, KeyError, OverflowError) as error:
        raise InvalidInput(
            f"'since' must be a duration such as 12h or 30d, not {value!r}"
        ) from error


def _failure(failure: FailureKind) -> Any:
    days = [{"day": day.isoformat(), "met": met} for day, met in failure.days]
    return {**views.placed("FailureKind", failure), "days": days}


VERBS = (
    Verb("GET", "/v1/report", _READ, report),
    Verb("GET", "/v1/failures", _READ, failures),
    Verb("GET", "/v1/deliveries", _READ, deliveries),
    Verb("GET", "/v1/spend", (Right.COSTS,), spend),
)
