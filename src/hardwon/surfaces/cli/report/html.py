"""A report as one page: no script, no network, every text escaped."""

from __future__ import annotations

from hardwon.core.text.clean import plural
from hardwon.core.values.report import FailureKind, LessonVerdict, Report
from hardwon.knowledge.proof.effect import OFF
from hardwon.surfaces.presentation import wording
from hardwon.surfaces.presentation.page import columns, stack, tiles
from hardwon.surfaces.presentation.page import page as _page
from hardwon.surfaces.presentation.page import safe as _text
from hardwon.surfaces.presentation.page import section as _section

_KEY = (
    '<p class="soft key"><span><i class="good"></i>went well</span>'
    '<span><i class="bad"></i>went wrong</span>'
    '<span><i class="open"></i>neither, or unknown</span></p>'
)


def page(report: Report) -> str:
    """The whole page."""
    title = f"hardwon report on {wording.place(report)}"
    about = f"{wording.period(report)}; days are those of UTC; made {report.at:%Y-%m-%d %H:%M}."
    parts = (
        _savings_part,
        _tiles,
        _failures,
        _stopped_part,
        _shown_part,
        _verdicts,
        _to_do,
        _lessons,
        _proof,
    )
    return _page(title, about, *(part(report) for part in parts))


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
    return tiles(
        *(
            (figure, f"{noun} {what}")
            for (figure, noun), (_, _, what) in zip(named, facts, strict=True)
        )
    )


def _proof(report: Report) -> str:
    end = f'<p class="soft">{_text(OFF)}</p>' if report.proof == OFF else ""
    return f"{_section('Proof', _parts(report)) if report.parts else ''}{end}"


def _parts(report: Report) -> str:
    rows = "".join(
        _fact(f"{wording.part(effect)}: {effect.words}", wording.part_rates(effect))
        for effect in report.parts
    )
    head = "<h3>By door, project and origin</h3>"
    return f'{head}<ul>{rows}</ul><p class="soft">{_text(wording.TOGETHER)}</p>' if rows else ""


def _savings_part(report: Report) -> str:
    """What was told in time and what that saved."""
    paragraphs = "".join(f"<p>{_text(sentence)}</p>" for sentence in wording.savings(report))
    rows = "".join(_fact(kind.text, wording.kind_observed(kind)) for kind in report.observed.kinds)
    return _section("What it saved", f"{paragraphs}<ul>{rows}</ul>") if paragraphs else ""


def _failures(report: Report) -> str:
    counts = wording.days(report)
    if not any(counts):
        return _section("Failures met", f'<p class="soft">{_text(wording.EMPTY)}</p>')
    first, last = wording.day(report.window.since.date()), wording.day(report.at.date())
    chart = (
        f"{columns(counts, 'days')}<p class='soft ends'><span>{first}</span>"
        f"<span>at most {max(counts):,} a day</span><span>{last}</span></p>"
    )
    rows = "".join(_kind(report, kind) for kind in report.failures)
    return _section("Failures met, by day and kind", f"{chart}<ul>{rows}</ul>")


def _kind(report: Report, kind: FailureKind) -> str:
    days = columns(wording.spread(report, kind.days), "mini")
    return _row(f"{kind.met:,}", _text(kind.text), days)


def _stopped_part(report: Report) -> str:
    rows = "".join(
        _row(f"{kind.met:,}", _text(kind.text), f"last {wording.day(kind.last.date())}")
        for kind in report.stopped
    )
    head = f"Stopped coming back: not met for {wording.span(report.quiet)}"
    return _section(head, f"<ul>{rows}</ul>") if rows else ""


def _shown_part(report: Report) -> str:
    rows = "".join(_door(report, door) for door in report.doors)
    head = "What was shown, and what happened then"
    return _section(head, f"<ul>{rows}</ul>{_KEY}") if rows else ""


def _door(report: Report, door: str) -> str:
    outcomes = report.outcomes(door)
    counts = ", ".join(f"{count:,} {outcome}" for outcome, count in outcomes.items())
    picture = stack(wording.tones(outcomes))
    name = _text(wording.DOORS.get(door, door))
    return (
        f'<li><b>{sum(outcomes.values()):,}</b><span class="wide">{name}</span>'
        f'<span class="wide">{picture}</span><span class="wide soft">{_text(counts)}</span></li>'
    )


def _verdicts(report: Report) -> str:
    rows = "".join(_verdict(judged) for judged in report.verdicts)
    return _section("Lesson by lesson", f"<ul>{rows}</ul>") if rows else ""


def _verdict(judged: LessonVerdict) -> str:
    rates = wording.rates(judged)
    details = f'<br><span class="soft">{_text(rates)}</span>' if rates else ""
    return _row(
        f"#{judged.lesson}", f"{_text(judged.text)}{details}", _text(wording.verdict(judged))
    )


def _to_do(report: Report) -> str:
    rows = "".join(
        _row(f"{failure.met:,}", _text(failure.text), f"<code>#{failure.lesson}</code>")
        for failure in report.unsolved
    )
    hint = '<p class="soft">Add the fix: <code>hardwon lesson edit ID --correction …</code></p>'
    head = "To do: failures that keep coming back and have no fix"
    return _section(head, f"<ul>{rows}</ul>{hint}") if rows else ""


def _lessons(report: Report) -> str:
    rows = "".join(
        _row(
            f"{state.total:,}",
            f"{_text(wording.state_name(state.status))}"
            f" <span class='soft'>({_text(meaning)})</span>",
            f"+{state.new:,} this week" if state.new else "",
        )
        for state, meaning in wording.states(report)
    )
    costs = f"Today {_text(wording.money(report))}. Queue: {_text(wording.queue(report))}."
    return _section("Lessons, costs and queue", f'<ul>{rows}</ul><p class="soft">{costs}</p>')


def _fact(text: str, details: str) -> str:
    soft = f'<span class="soft">{_text(details)}</span>'
    return f'<li class="fact"><span>{_text(text)}</span>{soft}</li>'


def _row(number: str, text: str, side: str) -> str:
    return f'<li><b>{number}</b><span>{text}</span><span class="side soft">{side}</span></li>'
