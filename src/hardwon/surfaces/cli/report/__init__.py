"""`hardwon report`: what was learnt, what was shown, and what happened then."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import click

import hardwon
from hardwon.core.settings import duration
from hardwon.surfaces.cli import options
from hardwon.surfaces.cli.output import dump, say, width
from hardwon.surfaces.cli.report import html, terminal
from hardwon.surfaces.cli.session import print_recurring

if TYPE_CHECKING:
    from hardwon.core.values.report import Report

_UNITS = {"d": timedelta(days=1), "w": timedelta(days=7)}


def _duration(context: click.Context, option: click.Parameter, value: str) -> timedelta:
    """`30d`, `2w`, or a duration as settings have it."""
    number, unit = value[:-1], value[-1:]
    try:
        if unit in _UNITS and number.isascii() and number.isdigit():
            return int(number) * _UNITS[unit]
        return duration(value)
    except (ValueError, OverflowError):
        raise click.BadParameter(f"{value!r} is not a duration; write 30d, 2w or 12h") from None


@click.command("report")
@click.option("--all", "whole", is_flag=True, help="Every agent and project of the tenant.")
@click.option(
    "--projects",
    is_flag=True,
    help="What the agent keeps failing at, over all projects, and what got past it.",
)
@click.option(
    "--since",
    default="30d",
    show_default=True,
    callback=_duration,
    help="How far back: 30d, 2w or 12h.",
)
@click.option(
    "--html", "page", type=click.Path(dir_okay=False), help="Write a page that needs no network."
)
@options.scope_here
@options.as_json
def command(
    whole: bool,
    projects: bool,
    since: timedelta,
    page: str | None,
    as_json: bool,
    home: str | None,
    **place: Any,
) -> None:
    """What was learnt, what was shown, and what happened then.

    It covers the project of this folder, unless --project or --all says otherwise. Days are in
    UTC.
    """
    if projects:
        with options.Scoped(home, **place) as agent:
            failures = agent.recurring(since=since)
        dump(failures) if as_json else print_recurring(failures, is_full=True)
        return
    with hardwon.open(home) as hw:
        report = hw.report(**place, since=since, whole=whole)
    if page is not None:
        with open(page, "w", encoding="utf-8") as file:
            file.write(html.page(report))
    if as_json:
        dump(report)
    elif page is not None:
        say(f"OK: wrote {page}")
    else:
        _print(report)


def _print(report: Report) -> None:
    for line in terminal.lines(report, width()):
        is_heading = bool(line) and not line.startswith(" ")
        say(line, **({"bold": True} if is_heading else {}))
