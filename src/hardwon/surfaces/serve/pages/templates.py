"""Templates: every value is escaped."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import cache
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined, pass_context
from jinja2.runtime import Context
from markupsafe import Markup

from hardwon.core.text.clean import printable
from hardwon.surfaces.presentation import charts, wording

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

_UNITS = ((86400, "d"), (3600, "h"), (60, "min"))


def render(name: str, values: Mapping[str, Any]) -> str:
    """The text of a template."""
    return _environment().get_template(name).render(values)


def token(csrf: str) -> Callable[[], Markup]:
    """The hidden field that every form with an effect needs."""
    return lambda: Markup('<input type="hidden" name="csrf" value="{}">').format(csrf)


@cache
def _environment() -> Environment:
    loader = PackageLoader("hardwon.surfaces.serve.pages", "templates")
    environment = Environment(
        loader=loader,
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        ago=_ago,
        day=_day,
        noun=_noun,
        number=_number,
        plain=printable,
        until=_until,
        pairs=_pairs,
    )
    environment.globals.update(
        columns=_drawn(charts.columns), stack=_drawn(charts.stack), curve=_drawn(charts.curve),
        door_names=wording.DOORS, tones=wording.tones, tone=wording.tone, states=wording.STATES,
    )  # fmt: skip
    return environment


def _drawn(chart: Any) -> Any:
    """A chart function for templates; its output is already escaped."""
    return lambda *values: Markup(chart(*values))


@pass_context
def _ago(context: Context, moment: str) -> Markup:
    """How long ago something was; the full date is the tooltip."""
    return _time(moment, _span(context["now"] - datetime.fromisoformat(moment), "ago", "just now"))


@pass_context
def _until(context: Context, moment: str) -> Markup:
    """How long until something is due."""
    return _time(moment, _span(datetime.fromisoformat(moment) - context["now"], "from now", "now"))


def _time(moment: str, words: str) -> Markup:
    at = datetime.fromisoformat(moment)
    return Markup('<time datetime="{}" title="{}">{}</time>').format(
        moment, f"{at:%Y-%m-%d %H:%M} UTC", words
    )


def _span(span: timedelta, word: str, nothing: str) -> str:
    seconds = span.total_seconds()
    for size, unit in _UNITS:
        if seconds >= size:
            return f"{int(seconds // size)} {unit} {word}".strip()
    return nothing


def _day(moment: str) -> str:
    return wording.day(datetime.fromisoformat(moment).date())


def _noun(count: int, singular: str) -> str:
    """The noun behind a number: `1 | noun("lesson")` is `lesson`, 2 is `lessons`."""
    return singular if count == 1 else f"{singular}s"


def _number(value: float) -> str:
    return f"{value:,}"


def _pairs(names: Iterable[str]) -> list[tuple[str, str]]:
    """Options whose labels are their values."""
    return [(name, name) for name in names]
