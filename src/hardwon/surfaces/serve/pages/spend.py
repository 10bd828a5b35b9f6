"""Spend: the cost of models per day, against the budget."""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

from hardwon.surfaces.presentation import wording
from hardwon.surfaces.serve.pages.addresses import hw_of
from hardwon.surfaces.serve.pages.views import View
from hardwon.surfaces.serve.requests import principal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.requests import Request

    from hardwon.models.budget import Spent

_DAYS = 30


def spend(request: Request) -> View:
    """The last thirty days."""
    hw = hw_of(request)
    rows = hw.tenant(principal(request).tenant).spent(_DAYS)
    budget = hw.settings.budget
    limits = {"calls": budget.calls, "tokens": budget.tokens, "money": budget.money}
    values = {**figures(rows, date.today()), "limits": limits, "model": hw.model}  # noqa: DTZ011
    return View("spend.html", "Spend", values)


def figures(rows: Sequence[tuple[str, str, Spent]], today: date) -> dict[str, Any]:
    """The rows by day, and the calls of every day for the chart."""
    days = [today - timedelta(days=ago) for ago in reversed(range(_DAYS))]
    calls = {day.isoformat(): 0 for day in days}
    for day, _, spent in rows:
        calls[day] = calls.get(day, 0) + spent.calls
    return {
        "rows": [{"day": day, "model": model, **spent._asdict()} for day, model, spent in rows],
        "days": [calls[day.isoformat()] for day in days],
        "labels": [wording.day(day) for day in days],
        "money": sum(spent.money for _, _, spent in rows),
        "tokens": sum(spent.tokens for _, _, spent in rows),
        "calls": sum(spent.calls for _, _, spent in rows),
    }
