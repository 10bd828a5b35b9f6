"""The analysis as one page: no script, nothing loaded, readable in light and dark."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, NamedTuple

from hardwon.text.numbers import plural

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

from hardwon.learn.trials.analytics import Analysis, Curve

_WIDTH = 560
_EDGE, _TOP, _BOTTOM = 40, 22, 34  # room for the labels of a plot
_STYLE = """
:root{color-scheme:light dark;--ink:#1c2430;--soft:#5b6675;--line:#d8dde4;--paper:#f6f7f9;
--card:#fff;--blue:#2563b8;--red:#b3372f;--green:#2b7a4b}
@media (prefers-color-scheme:dark){:root{--ink:#e6e9ee;--soft:#9aa5b4;--line:#333c48;
--paper:#12161c;--card:#1a2029;--blue:#7db0f5;--red:#f08a80;--green:#7cc99a}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:1240px;padding:28px 20px;background:var(--paper);color:var(--ink);
font:15px/1.5 system-ui,sans-serif}
h1{font-size:24px;margin:0 0 4px}h2{font-size:15px;margin:0 0 10px;font-weight:600}
.sub{color:var(--soft);margin:0 0 20px}
.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,260px),1fr));gap:12px}
.grid{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,460px),1fr));gap:12px;
margin-top:12px}
.card{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:14px 16px;
overflow-x:auto}
.wide{grid-column:1/-1}
.figure b{display:block;font-size:24px;font-weight:600}
.figure span{color:var(--soft);font-size:13px}
svg{width:100%;height:auto;display:block}text{fill:var(--soft);font-size:12px}
table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:4px 8px 4px 0;
border-bottom:1px solid var(--line);vertical-align:top;overflow-wrap:anywhere}
th{color:var(--soft);font-weight:500}
td.n,th.n{text-align:right;white-space:nowrap}
.small{display:grid;grid-template-columns:repeat(auto-fill,minmax(230px,1fr));gap:12px}
.small p{margin:4px 0 0;font-size:12px;color:var(--soft);overflow-wrap:anywhere}
.ok{color:var(--green)}.bad{color:var(--red)}
"""


def page(analysis: Analysis, *, title: str) -> str:
    """The whole page."""
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head><body>"
        f"<h1>{escape(title)}</h1>"
        f'<p class="sub">{plural(analysis.loops, "loop")}, {plural(analysis.trials, "trial")}</p>'
        f"{_figures(analysis)}<div class='grid'>{''.join(_cards(analysis))}</div></body></html>\n"
    )


def _figures(analysis: Analysis) -> str:
    figures = (
        (percent(analysis.success_rate), "loops that succeeded"),
        (number(analysis.trials_to_success), "trials to success"),
        (number(analysis.seconds_to_success, " s"), "time to success"),
        (f"{analysis.learning_rate:+.3f}", "learning rate per trial"),
        (str(analysis.breakthroughs), "trials that did better"),
        (percent(analysis.lesson_reuse_rate), "loops that reused lessons"),
        (number(analysis.confidence_correlation), "confidence against improvement (r)"),
        (str(analysis.low_quality), "poor reflections"),
    )
    cells = (
        f'<div class="card figure"><b>{escape(big)}</b><span>{escape(small)}</span></div>'
        for big, small in figures
    )
    return f'<div class="figures">{"".join(cells)}</div>'


def _cards(analysis: Analysis) -> list[str]:
    helped = (
        ("with lessons", analysis.success_with_lessons),
        ("without lessons", analysis.success_without_lessons),
    )
    return [
        _card(
            "Reward by trial (mean)",
            line(analysis.reward_curve, "--blue", label="reward", high=1.0),
        ),
        _card("Errors by trial (mean)", line(analysis.error_curve, "--red", label="errors")),
        _card("Failure categories", bars(analysis.categories)),
        _card("Why loops ended", bars(analysis.reasons)),
        _card("Improvement after a reflection, by its confidence", _calibration(analysis)),
        _card(
            "Success with recalled lessons and without",
            bars([(name, value) for name, value in helped if value is not None], show=percent),
        ),
        _card("Kinds of tasks that came again", _repeated(analysis), "wide"),
        _card("Newest loops", _small(analysis.curves), "wide"),
    ]


def _card(title: str, body: str, kind: str = "") -> str:
    return f'<div class="card {kind}"><h2>{escape(title)}</h2>{body or "<p>nothing yet</p>"}</div>'


class Size(NamedTuple):
    """The size of a plot, in the units of its text; text is never scaled down."""

    width: int
    height: int
    ticks: int  # at most this many numbers along


_LARGE, _SMALL = Size(560, 220, 20), Size(230, 130, 6)


def line(
    values: Sequence[float], colour: str, *, label: str, high: float | None = None,
    size: Size = _LARGE,
) -> str:  # fmt: skip
    """A curve over trials with its axes; `label` names the values."""
    if not values:
        return ""
    top = high or max(values) or 1.0
    points = [(_x(at, len(values), size), _y(v / top, size)) for at, v in enumerate(values)]
    dots = "".join(
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" style="fill:var({colour})">'
        f"<title>trial {at + 1}: {label} {values[at]:.3f}</title></circle>"
        for at, (x, y) in enumerate(points)
    )
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    stroke = f"fill:none;stroke:var({colour});stroke-width:2"
    axes = _axes(len(values), top, label=label, size=size)
    drawn = f'{axes}<polyline points="{path}" style="{stroke}"/>{dots}'
    return f'<svg viewBox="0 0 {size.width} {size.height}" role="img">{drawn}</svg>'


def _x(at: int, count: int, size: Size) -> float:
    return _EDGE + (size.width - _EDGE - 16) * (at / (count - 1) if count > 1 else 0.5)


def _y(share: float, size: Size) -> float:
    return _TOP + (size.height - _TOP - _BOTTOM) * (1 - max(0.0, min(1.0, share)))


def _axes(count: int, top: float, *, label: str, size: Size) -> str:
    """Lines with their values, the number of each trial, and what both are."""
    parts = [_text(4, 12, escape(label)), _text(size.width - 8, size.height - 4, "trial", "end")]
    for share in (0.0, 0.5, 1.0):
        y = _y(share, size)
        ends = f'x1="{_EDGE}" x2="{size.width - 8}" y1="{y:.1f}" y2="{y:.1f}"'
        parts.append(f'<line {ends} stroke="var(--line)"/>')
        parts.append(_text(_EDGE - 6, y + 4, _label(top * share), "end"))
    every = -(-count // size.ticks)
    for at in range(0, count, every):
        parts.append(_text(_x(at, count, size), size.height - 18, str(at + 1), "middle"))
    return "".join(parts)


def _text(x: float, y: float, text: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{text}</text>'


def _label(value: float) -> str:
    """A number on an axis: no power of ten, no zeros at the end."""
    return f"{value:.0f}" if value >= 10 else f"{value:.2f}".rstrip("0").rstrip(".")


def bars(rows: Sequence[tuple[str, float]], *, show: Callable[[float], str] = str) -> str:
    """Horizontal bars with their labels and values."""
    if not rows:
        return ""
    most = 1.0 if show is percent else max(value for _, value in rows) or 1
    visible = rows[:12]
    drawn = "".join(_bar(at, *row, most=most, show=show) for at, row in enumerate(visible))
    return f'<svg viewBox="0 0 {_WIDTH} {len(visible) * 28 + 4}" role="img">{drawn}</svg>'


def _bar(at: int, name: str, value: float, *, most: float, show: Callable[[float], str]) -> str:
    y, width = at * 28 + 4, max(2.0, 270 * value / most)
    return (
        f'<text x="206" y="{y + 15}" text-anchor="end">{escape(name.replace("_", " ")[:34])}</text>'
        f'<rect x="214" y="{y}" width="{width:.1f}" height="20" rx="3" style="fill:var(--blue)"/>'
        f'<text x="{220 + width:.1f}" y="{y + 15}">{escape(show(value))}</text>'
    )


def _calibration(analysis: Analysis) -> str:
    return bars(
        [(f"{name} ({count})", share) for name, count, share in analysis.calibration], show=percent
    )


def _repeated(analysis: Analysis) -> str:
    rows = "".join(
        f'<tr><td>{escape(row.task)}</td><td class="n">{row.loops}</td>'
        f'<td class="n">{row.first_trials:g}</td><td class="n">{row.last_trials:g}</td></tr>'
        for row in analysis.repeated
    )
    head = (
        '<tr><th>task</th><th class="n">loops</th><th class="n">trials, first half</th>'
        '<th class="n">last half</th></tr>'
    )
    return f"<table>{head}{rows}</table>" if rows else ""


def _small(curves: Sequence[Curve]) -> str:
    cells = "".join(map(_cell, reversed(curves)))
    return f'<div class="small">{cells}</div>' if cells else ""


def _cell(curve: Curve) -> str:
    drawn = line(curve.rewards, "--blue", label="reward", high=1.0, size=_SMALL)
    colour = "ok" if curve.status == "succeeded" else "bad"
    return (
        f"<div>{drawn}<p>{escape(curve.task)}<br>"
        f'<span class="{colour}">{escape(curve.status)}</span>'
        f" after {len(curve.rewards)} · {escape(curve.loop_id)}</p></div>"
    )


def percent(value: float | None) -> str:
    """A share for people."""
    return "–" if value is None else f"{value:.0%}"


def number(value: float | None, unit: str = "") -> str:
    """A number for people."""
    return "–" if value is None else f"{value:.2f}{unit}"
