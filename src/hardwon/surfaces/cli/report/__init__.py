"""`hardwon report`: what was learnt, what was shown, and what happened then."""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Iterator, Sequence
from datetime import timedelta
from itertools import pairwise
from typing import Any

import click

import hardwon
from hardwon.api import notices
from hardwon.core.settings import duration
from hardwon.core.text.clean import one_line, plural, printable
from hardwon.core.values.report import FailureKind, Report
from hardwon.knowledge.proof.effect import OFF
from hardwon.surfaces.cli import options
from hardwon.surfaces.cli.learning import print_recurring
from hardwon.surfaces.cli.output import dump, say, width
from hardwon.surfaces.cli.report import html
from hardwon.surfaces.presentation import wording

_LEVELS = " ▁▂▃▄▅▆▇█"
_EIGHTHS = " ▏▎▍▌▋▊▉█"
_FILLS = {wording.GOOD: "█", wording.BAD: "▒", wording.OPEN: "░"}
_WIDEST = 160
_BROADEST = 3  # most columns per day


def lines(report: Report, width: int) -> Iterator[str]:
    """The report; no line is wider than `width`, and headings are not indented."""
    width = min(width, _WIDEST)
    yield from textwrap.wrap(f"Report on {wording.place(report)}, {wording.period(report)}", width)
    if not (report.met or report.lessons or report.shown):
        yield f"  {wording.EMPTY}"
        if not report.window.is_whole:
            yield "  `hardwon report --all` covers every project."
    for part in (_savings_part, _failures, _stopped_part, _lessons, _shown_part, _to_do, _running):
        yield from part(report, width)
    yield from _parts(report, width)
    yield from _verdicts(report, width)
    if report.proof == OFF:
        yield ""
        yield from _wrap_lines(OFF, width, "")


def _savings_part(report: Report, width: int) -> Iterator[str]:
    sentences = wording.savings(report)
    if not sentences:
        return
    yield ""
    yield "What it saved"
    for sentence in sentences:
        yield from _wrap_lines(sentence, width, "  ")
    for kind in report.observed.kinds:
        yield cut(f"    {wording.kind_observed(kind)}: {kind.text}", width)


def _failures(report: Report, width: int) -> Iterator[str]:
    if not report.met:
        return
    counts = wording.days(report)
    yield ""
    yield f"Failures met: {sum(counts):,}"
    first, last = wording.day(report.window.since.date()), wording.day(report.at.date())
    room = width - len(first) - len(last) - 4
    yield f"  {first} {sparkline(counts, room)} {last}"
    most = max(kind.met for kind in report.failures)
    for kind in report.failures:
        yield _kind_line(report, kind, width, most)


def _kind_line(report: Report, kind: FailureKind, width: int, most: int) -> str:
    size = max(6, width // 8)
    days = sparkline(wording.spread(report, kind.days), size)
    start = f"  {kind.met:>5,} {bar(kind.met / most, size)} {days} "
    return start + cut(kind.text, width - len(start))


def _stopped_part(report: Report, width: int) -> Iterator[str]:
    if not report.stopped:
        return
    yield ""
    yield f"Stopped coming back (not met for {wording.span(report.quiet)})"
    for kind in report.stopped:
        start = f"  {_times(kind.met)}, last on {wording.day(kind.last.date()):<6}  "
        yield start + cut(kind.text, width - len(start))


def _times(met: int) -> str:
    """How often, in a column."""
    return f"{met:>5,} {'time' if met == 1 else 'times':<5}"


def _lessons(report: Report, width: int) -> Iterator[str]:
    if not report.lessons:
        return
    yield ""
    yield f"Lessons: {sum(state.total for state in report.lessons):,}"
    for state, meaning in wording.states(report):
        new = f"+{state.new:,} this week" if state.new else ""
        name = wording.state_name(state.status)
        yield cut(f"  {state.total:>5,} {name:<11} {new:<16} {meaning}", width)


def _shown_part(report: Report, width: int) -> Iterator[str]:
    if not report.shown:
        return
    yield ""
    yield f"Shown: {plural(report.shown, 'time')}, {plural(report.tokens, 'token')}"
    size = max(10, width // 5)
    for door in report.doors:
        outcomes = report.outcomes(door)
        total, picture = sum(outcomes.values()), stack(wording.tones(outcomes), size)
        yield f"  {total:>5,} {picture} {wording.DOORS.get(door, door)}"
        counts = ", ".join(f"{count:,} {outcome}" for outcome, count in outcomes.items())
        yield from _wrap_lines(counts, width, " " * 8)
    yield "  █ went well  ▒ went wrong  ░ neither, or unknown"


def _to_do(report: Report, width: int) -> Iterator[str]:
    if not report.unsolved:
        return
    yield ""
    yield "To do: failures that keep coming back and have no fix"
    for failure in report.unsolved:
        start = f"  {_times(failure.met)}  #{failure.lesson:<5} "
        yield start + cut(failure.text, width - len(start))
    yield "  Add a fix: `hardwon lesson edit ID --correction …`"


def _running(report: Report, width: int) -> Iterator[str]:
    yield ""
    yield "Costs and queue"
    yield cut(f"  today {wording.money(report)}", width)
    yield cut(f"  queue {wording.queue(report)}", width)


def _parts(report: Report, width: int) -> Iterator[str]:
    if not report.parts:
        return
    yield ""
    yield "Proof by door, project and origin"
    for effect in report.parts:
        sentence = f"{cut(wording.part(effect), width // 2)}: {effect.words}"
        yield from _wrap_lines(sentence, width, "  ")
        yield from _wrap_lines(wording.part_rates(effect), width, "    ")
    yield from _wrap_lines(wording.TOGETHER, width, "  ")


def _verdicts(report: Report, width: int) -> Iterator[str]:
    if not report.verdicts:
        return
    yield ""
    yield "Lesson by lesson"
    words = [wording.verdict(judged) for judged in report.verdicts]
    size = max(map(len, words))
    for judged, verdict in zip(report.verdicts, words, strict=True):
        yield cut(f"  #{judged.lesson:<5} {verdict:<{size}}  {judged.text}", width)
        if rates := wording.rates(judged):
            yield from _wrap_lines(rates, width, " " * 9)


def _wrap_lines(text: str, width: int, indent: str) -> list[str]:
    return textwrap.wrap(text, width, initial_indent=indent, subsequent_indent=indent)


def bar(share: float, size: int) -> str:
    """A bar of `size` characters, filled to a share."""
    eighths = max(1, round(share * size * 8))
    full, part = divmod(eighths, 8)
    return ("█" * full + (_EIGHTHS[part] if part else "")).ljust(size)


def stack(counts: dict[str, int], size: int) -> str:
    """One bar of several parts in proportion to their counts; small parts stay visible."""
    total = sum(counts.values())
    sizes = {name: max(1, round(n / total * size)) for name, n in counts.items() if n}
    longest = max(sizes, key=lambda name: sizes[name])
    sizes[longest] += size - sum(sizes.values())
    return "".join(_FILLS[name] * length for name, length in sizes.items())


def sparkline(counts: Sequence[int], size: int) -> str:
    """The counts as at most `size` columns; if there are more days, they are summed."""
    width = max(1, min(size, len(counts)))
    edges = [round(at * len(counts) / width) for at in range(width + 1)]
    sums = [sum(counts[start:end]) for start, end in pairwise(edges)]
    most, top = max(*sums, 1), len(_LEVELS) - 1
    breadth = min(_BROADEST, size // width)
    return "".join(_LEVELS[-(-count * top // most)] * breadth for count in sums)


def cut(text: str, width: int) -> str:
    """The text on one line of at most `width` columns."""
    text = one_line(printable(text)) if not text.startswith(" ") else printable(text)
    room, fitted = width, ""
    for letter in text:
        room -= 2 if unicodedata.east_asian_width(letter) in "WF" else 1
        if room < 0:
            return f"{fitted[:-1]}…"
        fitted += letter
    return fitted


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
@click.option("--markdown", is_flag=True, help="Print a digest in Markdown, to be sent around.")
@options.scope_here
@options.as_json
def command(
    whole: bool,
    projects: bool,
    since: timedelta,
    page: str | None,
    markdown: bool,
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
        if as_json:
            dump(failures)
        elif failures:
            print_recurring(failures, is_full=True)
        else:
            say("No failure was recorded in this time; `hardwon session learn` reads past sessions")
        return
    with hardwon.open(home) as hw:
        report = hw.report(**place, since=since, whole=whole)
    if page is not None:
        with open(page, "w", encoding="utf-8") as file:
            file.write(html.page(report))
    if as_json:
        dump(report)
    elif markdown:
        say(notices.digest(report).rstrip())
    elif page is not None:
        say(f"OK: wrote {page}")
    else:
        _print(report)


def _print(report: Report) -> None:
    for line in lines(report, width()):
        is_heading = bool(line) and not line.startswith(" ")
        say(line, **({"bold": True} if is_heading else {}))
