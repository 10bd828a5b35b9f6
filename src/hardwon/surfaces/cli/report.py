"""`hardwon report`: what was learnt, what was shown, and what happened then; also as one page."""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta
from itertools import pairwise
from typing import Any

import click

import hardwon
from hardwon.api import notices
from hardwon.core.text.clean import one_line, plural, printable
from hardwon.core.values.report import LessonVerdict, Report
from hardwon.knowledge.proof.effect import OFF
from hardwon.surfaces.cli import options
from hardwon.surfaces.cli.learning import print_recurring
from hardwon.surfaces.cli.options import flag, option
from hardwon.surfaces.cli.output import Output, emit, say, width
from hardwon.surfaces.presentation import page as html
from hardwon.surfaces.presentation import wording
from hardwon.surfaces.presentation.page import safe

_LEVELS = " ▁▂▃▄▅▆▇█"
_EIGHTHS = " ▏▎▍▌▋▊▉█"
_FILLS = {wording.GOOD: "█", wording.BAD: "▒", wording.OPEN: "░"}
_WIDEST = 160
_BROADEST = 3  # most columns per day
_SAVED, _SHOWN = "What it saved", "What was shown, and what happened then"
_TO_DO = "To do: failures that keep coming back and have no fix"
_BY_LESSON = "Lesson by lesson"


@click.command("report")
@flag("--all", "Every agent and project of the tenant.", "whole")
@flag("--projects", "What the agent keeps failing at, over all projects, and what got past it.")
@option("--since", "How far back: 30d, 2w or 12h.", default="30d", type=options.Span())
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
    as_json: bool,
    home: str | None,
    **place: Any,
) -> None:
    """What was learnt, what was shown, and what happened then.

    It covers the project of this folder, unless --project or --all says otherwise. Days are in
    UTC.
    """
    if projects:
        with options.scoped(home, **place) as agent:
            failures = agent.recurring(since=since)
        none = "No failure was recorded in this time; `hardwon session learn` reads past sessions"
        show = (lambda: print_recurring(failures, is_full=True)) if failures else none
        emit(Output(failures, show))
        return
    with hardwon.open(home) as hw:
        report = hw.report(**place, since=since, whole=whole)
    if file is not None:
        with open(file, "w", encoding="utf-8") as written:
            written.write(page(report))

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


def lines(report: Report, width: int) -> Iterator[str]:
    """The report; no line is wider than `width`, and headings are not indented."""
    width = min(width, _WIDEST)
    yield from textwrap.wrap(f"Report on {wording.place(report)}, {wording.period(report)}", width)
    if not (report.met or report.lessons or report.shown):
        yield f"  {wording.EMPTY}"
        if not report.window.is_whole:
            yield "  `hardwon report --all` covers every project."
    for heading, rows in _sections(report, width):
        if rows:
            yield from ("", heading, *rows)
    if report.proof == OFF:
        yield from ("", *_wrap_lines(OFF, width, ""))


def _sections(report: Report, width: int) -> Iterator[tuple[str, list[str]]]:
    """Headings, and the lines below them; one without lines is left out."""
    rows = [line for told in wording.savings(report) for line in _wrap_lines(told, width, "  ")]
    kinds = report.observed.kinds if rows else ()
    rows += [cut(f"    {wording.kind_observed(kind)}: {kind.text}", width) for kind in kinds]
    yield _SAVED, rows
    yield f"Failures met: {sum(wording.days(report)):,}", _failure_lines(report, width)
    starts = (
        (f"  {_times(kind.met)}, last on {wording.day(kind.last.date()):<6}  ", kind.text)
        for kind in report.stopped
    )
    head = f"Stopped coming back (not met for {wording.span(report.quiet)})"
    yield head, [start + cut(text, width - len(start)) for start, text in starts]
    yield (
        f"Lessons: {sum(state.total for state in report.lessons):,}",
        [
            cut(
                f"  {state.total:>5,} {wording.state_name(state.status):<11}"
                f" {f'+{state.new:,} this week' if state.new else '':<16} {meaning}",
                width,
            )
            for state, meaning in wording.states(report)
        ],
    )
    head = f"Shown: {plural(report.shown, 'time')}, {plural(report.tokens, 'token')}"
    yield head, list(_door_lines(report, width)) if report.shown else []
    starts = (
        (f"  {_times(failure.met)}  #{failure.lesson:<5} ", failure.text)
        for failure in report.unsolved
    )
    rows = [start + cut(text, width - len(start)) for start, text in starts]
    hint = "  Add a fix: `hardwon lesson edit ID --correction …`"
    yield _TO_DO, [*rows, hint] if rows else []
    costs = f"  today {wording.money(report)}", f"  queue {wording.queue(report)}"
    yield "Costs and queue", [cut(line, width) for line in costs]
    yield "Proof by door, project and origin", list(_part_lines(report, width))
    yield _BY_LESSON, list(_verdict_lines(report, width))


def _failure_lines(report: Report, width: int) -> list[str]:
    if not report.met:
        return []
    first, last = wording.day(report.window.since.date()), wording.day(report.at.date())
    room = width - len(first) - len(last) - 4
    rows = [f"  {first} {sparkline(wording.days(report), room)} {last}"]
    most, size = max(kind.met for kind in report.failures), max(6, width // 8)
    for kind in report.failures:
        days = sparkline(wording.spread(report, kind.days), size)
        start = f"  {kind.met:>5,} {bar(kind.met / most, size)} {days} "
        rows.append(start + cut(kind.text, width - len(start)))
    return rows


def _times(met: int) -> str:
    """How often, in a column."""
    return f"{met:>5,} {'time' if met == 1 else 'times':<5}"


def _door_lines(report: Report, width: int) -> Iterator[str]:
    size = max(10, width // 5)
    for door in report.doors:
        outcomes = report.outcomes(door)
        total, picture = sum(outcomes.values()), stack(wording.tones(outcomes), size)
        yield f"  {total:>5,} {picture} {wording.DOORS.get(door, door)}"
        counts = ", ".join(f"{count:,} {outcome}" for outcome, count in outcomes.items())
        yield from _wrap_lines(counts, width, " " * 8)
    yield "  █ went well  ▒ went wrong  ░ neither, or unknown"


def _part_lines(report: Report, width: int) -> Iterator[str]:
    for effect in report.parts:
        sentence = f"{cut(wording.part(effect), width // 2)}: {effect.words}"
        yield from _wrap_lines(sentence, width, "  ")
        yield from _wrap_lines(wording.part_rates(effect), width, "    ")
    yield from _wrap_lines(wording.TOGETHER if report.parts else "", width, "  ")


def _verdict_lines(report: Report, width: int) -> Iterator[str]:
    words = [wording.verdict(judged) for judged in report.verdicts]
    size = max(map(len, words), default=0)
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


_KEY = (
    '<p class="soft key"><span><i class="good"></i>went well</span>'
    '<span><i class="bad"></i>went wrong</span>'
    '<span><i class="open"></i>neither, or unknown</span></p>'
)


def page(report: Report) -> str:
    """The report as one page: no script, no network, every text escaped."""
    title = f"hardwon report on {wording.place(report)}"
    about = f"{wording.period(report)}; days are those of UTC; made {report.at:%Y-%m-%d %H:%M}."
    told = "".join(f"<p>{safe(sentence)}</p>" for sentence in wording.savings(report))
    kinds = "".join(_fact(one.text, wording.kind_observed(one)) for one in report.observed.kinds)
    stopped = (
        _row(f"{kind.met:,}", safe(kind.text), f"last {wording.day(kind.last.date())}")
        for kind in report.stopped
    )
    unsolved = (
        _row(f"{failure.met:,}", safe(failure.text), f"<code>#{failure.lesson}</code>")
        for failure in report.unsolved
    )
    hint = '<p class="soft">Add the fix: <code>hardwon lesson edit ID --correction …</code></p>'
    quiet = wording.span(report.quiet)
    return html.page(
        title,
        about,
        html.section(_SAVED, f"{told}<ul>{kinds}</ul>") if told else "",
        _tiles(report),
        _failures(report),
        _list(f"Stopped coming back: not met for {quiet}", stopped),
        _list(_SHOWN, (_door(report, door) for door in report.doors), _KEY),
        _list(_BY_LESSON, map(_verdict, report.verdicts)),
        _list(_TO_DO, unsolved, hint),
        _lessons(report),
        _proof(report),
    )


def _list(head: str, rows: Iterable[str], more: str = "") -> str:
    """A section with a list; nothing without rows."""
    body = "".join(rows)
    return html.section(head, f"<ul>{body}</ul>{more}") if body else ""


def _tiles(report: Report) -> str:
    new = sum(state.new for state in report.lessons)
    total = sum(state.total for state in report.lessons)
    quiet, tokens = wording.span(report.quiet), plural(report.tokens, "token")
    facts = (
        (sum(wording.days(report)), "failure", "met"),
        (len(report.stopped), "kind", f"not met for {quiet}"),
        (total, "lesson", f"({new:,} new this week)"),
        (report.shown, "time", f"shown, {tokens}"),
    )
    named = (plural(number, noun).split(" ") for number, noun, _ in facts)
    return html.tiles(
        *(
            (figure, f"{noun} {what}")
            for (figure, noun), (_, _, what) in zip(named, facts, strict=True)
        )
    )


def _proof(report: Report) -> str:
    rows = "".join(
        _fact(f"{wording.part(effect)}: {effect.words}", wording.part_rates(effect))
        for effect in report.parts
    )
    note = f'<p class="soft">{safe(wording.TOGETHER)}</p>'
    parts = f"<h3>By door, project and origin</h3><ul>{rows}</ul>{note}"
    end = f'<p class="soft">{safe(OFF)}</p>' if report.proof == OFF else ""
    return f"{html.section('Proof', parts) if rows else ''}{end}"


def _failures(report: Report) -> str:
    counts = wording.days(report)
    if not any(counts):
        return html.section("Failures met", f'<p class="soft">{safe(wording.EMPTY)}</p>')
    first, last = wording.day(report.window.since.date()), wording.day(report.at.date())
    chart = (
        f"{html.columns(counts, 'days')}<p class='soft ends'><span>{first}</span>"
        f"<span>at most {max(counts):,} a day</span><span>{last}</span></p>"
    )
    rows = "".join(
        _row(f"{one.met:,}", safe(one.text), html.columns(wording.spread(report, one.days), "mini"))
        for one in report.failures
    )
    return html.section("Failures met, by day and kind", f"{chart}<ul>{rows}</ul>")


def _door(report: Report, door: str) -> str:
    outcomes = report.outcomes(door)
    counts = ", ".join(f"{count:,} {outcome}" for outcome, count in outcomes.items())
    picture = html.stack(wording.tones(outcomes))
    name = safe(wording.DOORS.get(door, door))
    return (
        f'<li><b>{sum(outcomes.values()):,}</b><span class="wide">{name}</span>'
        f'<span class="wide">{picture}</span><span class="wide soft">{safe(counts)}</span></li>'
    )


def _verdict(judged: LessonVerdict) -> str:
    rates = wording.rates(judged)
    details = f'<br><span class="soft">{safe(rates)}</span>' if rates else ""
    return _row(f"#{judged.lesson}", f"{safe(judged.text)}{details}", safe(wording.verdict(judged)))


def _lessons(report: Report) -> str:
    rows = "".join(
        _row(
            f"{state.total:,}",
            f"{safe(wording.state_name(state.status))} <span class='soft'>({safe(meaning)})</span>",
            f"+{state.new:,} this week" if state.new else "",
        )
        for state, meaning in wording.states(report)
    )
    costs = f"Today {safe(wording.money(report))}. Queue: {safe(wording.queue(report))}."
    return html.section("Lessons, costs and queue", f'<ul>{rows}</ul><p class="soft">{costs}</p>')


def _fact(text: str, details: str) -> str:
    soft = f'<span class="soft">{safe(details)}</span>'
    return f'<li class="fact"><span>{safe(text)}</span>{soft}</li>'


def _row(number: str, text: str, side: str) -> str:
    return f'<li><b>{number}</b><span>{text}</span><span class="side soft">{side}</span></li>'
