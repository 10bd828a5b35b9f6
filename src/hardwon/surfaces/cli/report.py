"""`hardwon report`: what was learnt, what was shown, and what happened then; also as one page."""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Iterator, Sequence
from datetime import timedelta
from itertools import pairwise
from typing import Any, NamedTuple

import click

import hardwon
from hardwon.core.text.clean import clip, one_line, plural, printable
from hardwon.core.values.report import Recurring, Report
from hardwon.engine import notices
from hardwon.knowledge.proof.effect import OFF
from hardwon.surfaces import page as html
from hardwon.surfaces import wording
from hardwon.surfaces.cli import options
from hardwon.surfaces.cli.options import flag, option
from hardwon.surfaces.cli.output import Output, emit, say, width, write
from hardwon.surfaces.page import safe

_LEVELS = " ▁▂▃▄▅▆▇█"
_EIGHTHS = " ▏▎▍▌▋▊▉█"
_FILLS = {wording.GOOD: "█", wording.BAD: "▒", wording.OPEN: "░"}
_WIDEST = 160
_BROADEST = 3  # most columns per day


@click.command("report")
@flag("--all", "Every agent and project of the tenant.", "whole")
@flag("--projects", "What the agent keeps failing at, over all projects, and what got past it.")
@options.span("--since", "How far back: 30d, 2w or 12h.", default="30d")
@option("--html", "Write a page that needs no network.", "file", type=click.Path(dir_okay=False))
@flag("--markdown", "Print a digest in Markdown, to be sent around.")
@options.scope_here
@options.as_json
def command(
    whole: bool,
    projects: bool,
    since: timedelta,
    file: str | None,
    markdown: bool,
    home: str | None,
    **place: Any,
) -> None:
    """What was learnt, what was shown, and what happened then.

    It covers the project of this folder, unless --project or --all says otherwise. Days are in
    UTC.
    """
    if projects:
        with options.open_agent(home, **place) as agent:
            failures = agent.recurring(since=since)
        none = "No failure was recorded in this time; `hardwon session learn` reads past sessions"
        show = (lambda: print_recurring(failures, is_full=True)) if failures else none
        emit(Output(failures, show))
        return
    with hardwon.open(home) as hw:
        report = hw.report(**place, since=since, whole=whole)
    if file is not None:
        write(file, page(report))

    def say_report() -> None:
        if markdown:
            say(notices.digest(report).rstrip())
        elif file is not None:
            say(f"OK: wrote {file}")
        else:
            for line in lines(report, width()):
                is_heading = bool(line) and not line.startswith(" ")
                say(line, **({"bold": True} if is_heading else {}))

    emit(Output(report, say_report))


def print_recurring(failures: Sequence[Recurring], *, is_full: bool = False) -> None:
    """Print the failures that came back most, a line each; `is_full`: where and when, too."""
    for failure in failures:
        cure = failure.cure or "still open"
        say(f"  {plural(failure.runs, 'run')}: {clip(failure.text, 60)} → {clip(cure, 90)}")
        if not is_full:
            continue
        facts = [plural(failure.calls, "call")]
        facts += [f"{failure.first:%Y-%m-%d} to {failure.last:%Y-%m-%d}"]
        facts += [f"in {clip(', '.join(failure.projects), 80)}"]
        facts += [f"by {clip(', '.join(failure.people), 80)}"] if failure.people else []
        if len(failure.programs) == 1:
            ((name, count),) = failure.programs
            facts += [f"in {plural(count, 'session')} of {name}"]
        elif failure.programs:
            met = ", ".join(f"{name} ({count:,})" for name, count in failure.programs)
            facts += [f"in sessions of {met}"]
        if failure.cure and failure.cost_calls:
            noun = "call" if failure.cost_calls == 1 else "calls"
            facts += [f"about {failure.cost_calls:g} {noun} to get past it"]
        say(f"     {', '.join(facts)}", dim=True)


class _Row(NamedTuple):
    """One line of the report, for the terminal and for the page."""

    text: str
    figure: int | None = None
    lead: str = ""  # a short word about it
    more: str = ""  # what stands below it
    days: Sequence[int] = ()  # how the figure spreads over the period
    tones: dict[str, int] | None = None  # how the figure parts into good, bad and open


class _Section(NamedTuple):
    """A heading and its lines; one without lines is left out."""

    head: str
    rows: Sequence[_Row]
    note: str = ""


def _sections(report: Report) -> Iterator[_Section]:
    """The whole report, once for both: the terminal and the page."""
    saved = [_Row(sentence) for sentence in wording.savings(report)]
    kinds = report.observed.kinds if saved else ()
    saved += [_Row(kind.text, lead=wording.kind_observed(kind)) for kind in kinds]
    yield _Section("What it saved", saved)
    met = [
        _Row(kind.text, kind.met, days=wording.spread(report, kind.days))
        for kind in report.failures
    ]
    yield _Section(f"Failures met: {sum(wording.days(report)):,}", met)
    stopped = [
        _Row(kind.text, kind.met, f"last on {wording.day(kind.last.date())}")
        for kind in report.stopped
    ]
    quiet = wording.span(report.quiet)
    yield _Section(f"Stopped coming back (not met for {quiet})", stopped)
    states = [
        _Row(
            f"{wording.state_name(state.status)} ({meaning})"
            + (f", {state.new:,} of them new this week" if state.new else ""),
            state.total,
        )
        for state, meaning in wording.states(report)
    ]
    yield _Section(f"Lessons: {sum(state.total for state in report.lessons):,}", states)
    shown = []
    for door in report.doors if report.shown else ():
        outcomes = report.outcomes(door)
        counts = ", ".join(f"{count:,} {outcome}" for outcome, count in outcomes.items())
        name, tones = wording.DOORS.get(door, door), wording.tones(outcomes)
        shown.append(_Row(name, sum(outcomes.values()), more=counts, tones=tones))
    head = f"Shown: {plural(report.shown, 'time')}, {plural(report.tokens, 'token')}"
    yield _Section(head, shown)
    to_do = [_Row(one.text, one.met, f"#{one.lesson}") for one in report.unsolved]
    hint = "Add a fix: `hardwon lesson edit ID --correction …`"
    yield _Section("To do: failures that keep coming back and have no fix", to_do, hint)
    costs = f"today {wording.money(report)}", f"queue {wording.queue(report)}"
    yield _Section("Costs and queue", [_Row(cost) for cost in costs])
    parts = [
        _Row(f"{wording.part(effect)}: {effect.words}", more=wording.part_rates(effect))
        for effect in report.parts
    ]
    yield _Section("Proof by door, project and origin", parts, wording.TOGETHER)
    verdicts = [
        _Row(f"#{one.lesson} {one.text}", None, wording.verdict(one), wording.rates(one))
        for one in report.verdicts
    ]
    yield _Section("Lesson by lesson", verdicts)


def lines(report: Report, width: int) -> Iterator[str]:
    """The report; no line is wider than `width`, and headings are not indented."""
    width = min(width, _WIDEST)
    yield from textwrap.wrap(f"Report on {wording.place(report)}, {wording.period(report)}", width)
    if not (report.met or report.lessons or report.shown):
        yield f"  {wording.EMPTY}"
        if not report.window.is_whole:
            yield "  `hardwon report --all` covers every project."
    for head, rows, note in _sections(report):
        if rows:
            yield from ("", head)
        if rows and rows[0].days:
            first, last = wording.day(report.window.since.date()), wording.day(report.at.date())
            room = width - len(first) - len(last) - 4
            yield f"  {first} {sparkline(wording.days(report), room)} {last}"
        for row in rows:
            yield from _row_lines(row, rows, width)
        if any(row.tones for row in rows):
            yield "  █ went well  ▒ went wrong  ░ neither, or unknown"
        yield from _wrap_lines(note if rows else "", width, "  ")
    if report.proof == OFF:
        yield from ("", *_wrap_lines(OFF, width, ""))


def _row_lines(row: _Row, rows: Sequence[_Row], width: int) -> Iterator[str]:
    """A row in columns that all rows of its section share; one without figures is wrapped."""
    lead = max(len(one.lead) for one in rows)
    if row.figure is None and not row.lead:
        yield from _wrap_lines(row.text, width, "  ")
    else:
        start = "  " if row.figure is None else f"  {row.figure:>5,} "
        if row.days:
            most, size = max(one.figure or 0 for one in rows), max(6, width // 8)
            start += f"{bar((row.figure or 0) / most, size)} {sparkline(row.days, size)} "
        if row.tones:
            start += f"{stack(row.tones, max(10, width // 5))} "
        start += f"{row.lead:<{lead}}  " if lead else ""
        yield start + cut(row.text, width - len(start))
    yield from _wrap_lines(row.more, width, " " * (4 if row.figure is None else 8))


def _wrap_lines(text: str, width: int, indent: str) -> list[str]:
    """The text in lines; one with wide letters is cut."""
    wrapped = textwrap.wrap(text, width, initial_indent=indent, subsequent_indent=indent)
    return [cut(line, width) for line in wrapped]


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


_KEY = (
    '<p class="soft key"><span><i class="good"></i>went well</span>'
    '<span><i class="bad"></i>went wrong</span>'
    '<span><i class="open"></i>neither, or unknown</span></p>'
)


def page(report: Report) -> str:
    """The report as one page: no script, no network, every text escaped."""
    about = f"{wording.period(report)}; days are those of UTC; made {report.at:%Y-%m-%d %H:%M}."
    new, total = (sum(getattr(one, name) for one in report.lessons) for name in ("new", "total"))
    facts = (
        (sum(wording.days(report)), "failure", "met"),
        (len(report.stopped), "kind", f"not met for {wording.span(report.quiet)}"),
        (total, "lesson", f"({new:,} new this week)"),
        (report.shown, "time", f"shown, {plural(report.tokens, 'token')}"),
    )
    tiles = [(f"{n:,}", f"{plural(n, noun).partition(' ')[2]} {what}") for n, noun, what in facts]
    parts, days = [html.tiles(*tiles)], wording.days(report)
    first, last = wording.day(report.window.since.date()), wording.day(report.at.date())
    chart = (
        f"{html.columns(days, 'days')}<p class='soft ends'><span>{first}</span>"
        f"<span>at most {max(days):,} a day</span><span>{last}</span></p>"
    )
    for head, rows, note in _sections(report):
        if rows:
            drawn = chart if rows[0].days else ""
            key = _KEY if any(row.tones for row in rows) else ""
            end = f'<p class="soft">{safe(note)}</p>' if note else ""
            items = "".join(map(_item, rows))
            parts.append(html.section(head, f"{drawn}<ul>{items}</ul>{key}{end}"))
    notes = [wording.EMPTY] * (not any(days)) + [OFF] * (report.proof == OFF)
    parts += [f'<p class="soft">{safe(note)}</p>' for note in notes]
    return html.page(f"hardwon report on {wording.place(report)}", about, *parts)


def _item(row: _Row) -> str:
    more = f'<span class="wide soft">{safe(row.more)}</span>' if row.more else ""
    if row.figure is None:
        lead = f'<span class="soft">{safe(row.lead)}</span>' if row.lead else ""
        return f'<li class="fact"><span>{safe(row.text)}</span>{lead}{more}</li>'
    picture = f'<span class="wide">{html.stack(row.tones)}</span>' if row.tones else ""
    side = html.columns(row.days, "mini") if row.days else safe(row.lead)
    text = f'<span>{safe(row.text)}</span><span class="side soft">{side}</span>'
    return f"<li><b>{row.figure:,}</b>{text}{picture}{more}</li>"
