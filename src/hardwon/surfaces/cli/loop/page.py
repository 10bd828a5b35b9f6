"""The analysis of loops as a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardwon.core.text.clean import plural
from hardwon.surfaces.presentation.charts import SMALL, bars, line, safe
from hardwon.surfaces.presentation.page import page, section, tiles

if TYPE_CHECKING:
    from hardwon.learn.trials.analytics import Analysis, Curve

_NOTHING = "<p>nothing yet</p>"


def analysis_page(analysis: Analysis, *, title: str) -> str:
    """The whole page."""
    helped = (
        ("with lessons", analysis.success_with_lessons),
        ("without lessons", analysis.success_without_lessons),
    )
    known = [(name, value) for name, value in helped if value is not None]
    sure = [(f"{name} ({count})", share) for name, count, share in analysis.calibration]
    plots = {
        "Reward by trial (mean)": line(analysis.reward_curve, "bar", label="reward", high=1.0),
        "Errors by trial (mean)": line(analysis.error_curve, "bad", label="errors"),
        "Failure categories": bars(analysis.categories),
        "Why loops ended": bars(analysis.reasons),
        "Improvement after a reflection, by its confidence": bars(sure, most=1, show=percent),
        "Success with recalled lessons and without": bars(known, most=1, show=percent),
    }
    wide = {
        "Kinds of tasks that came again": _repeated(analysis),
        "Newest loops": "".join(map(_cell, reversed(analysis.curves))),
    }
    wide["Newest loops"] = f'<div class="small">{wide["Newest loops"] or _NOTHING}</div>'
    sections = (section(head, drawn or _NOTHING) for head, drawn in plots.items())
    return page(
        title,
        f"{plural(analysis.loops, 'loop')}, {plural(analysis.trials, 'trial')}",
        tiles(*_tiles(analysis)),
        f'<div class="pairs">{"".join(sections)}</div>',
        *(section(head, drawn or _NOTHING) for head, drawn in wide.items()),
    )


def _tiles(analysis: Analysis) -> list[tuple[str, str]]:
    return [
        (percent(analysis.success_rate), "loops that succeeded"),
        (number(analysis.trials_to_success), "trials to success"),
        (number(analysis.seconds_to_success, " s"), "time to success"),
        (f"{analysis.learning_rate:+.3f}", "learning rate per trial"),
        (str(analysis.breakthroughs), "trials that did better"),
        (percent(analysis.lesson_reuse_rate), "loops that reused lessons"),
        (number(analysis.confidence_correlation), "confidence against improvement (r)"),
        (str(analysis.low_quality), "poor reflections"),
    ]


def _repeated(analysis: Analysis) -> str:
    rows = "".join(
        f"<li><b>{row.loops}×</b><span>{safe(row.task)}</span>"
        f'<span class="side soft">{row.first_trials:g} → {row.last_trials:g} trials</span></li>'
        for row in analysis.repeated
    )
    return f"<ul>{rows}</ul>" if rows else ""


def _cell(curve: Curve) -> str:
    drawn = line(curve.rewards, "bar", label="reward", high=1.0, size=SMALL)
    words = f"{curve.task} · {curve.status} after {len(curve.rewards)} · {curve.loop_id}"
    return f'<div>{drawn}<p class="soft">{safe(words)}</p></div>'


def percent(value: float | None) -> str:
    """A share for people."""
    return "–" if value is None else f"{value:.0%}"


def number(value: float | None, unit: str = "") -> str:
    """A number for people."""
    return "–" if value is None else f"{value:.2f}{unit}"
