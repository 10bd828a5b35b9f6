"""What all loops have in common: figures and curves for a terminal, and as one page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hardwon.core.text.clean import plural
from hardwon.learn.trials.analytics import Analysis
from hardwon.surfaces.presentation.page import SMALL, bars, page, safe, section, tiles
from hardwon.surfaces.presentation.page import line as curve_of

_BLOCKS = "▁▂▃▄▅▆▇█"
_MOST = 60
_WIDEST_BAR = 24
_NOTHING = "<p>nothing yet</p>"
_REWARDS, _ERRORS = "Reward by trial (mean)", "Errors by trial (mean)"
_CATEGORIES = "Failure categories"
_REPEATED, _NEWEST = "Kinds of tasks that came again", "Newest loops"


def spark(values: Sequence[float], *, high: float) -> str:
    """A line of blocks, one per value."""
    return "".join(_BLOCKS[height] for height in _heights(values, len(_BLOCKS) - 1, high))


def _heights(values: Sequence[float], rows: int, high: float) -> list[int]:
    """Where each value stands in so many rows."""
    return [round(max(0.0, min(1.0, value / high)) * rows) for value in values]


def plot(values: Sequence[float], *, height: int = 6, high: float | None = None) -> list[str]:
    """A curve over trials with its axes; a very long one is cut."""
    plotted = list(values[:_MOST])
    top = high or max(plotted, default=1.0) or 1.0
    wide = 4 if len(plotted) <= 16 else 1
    heights, lines = _heights(plotted, height, top), []
    for row in range(height, -1, -1):
        drawn = "".join(_mark(own, row).center(wide) for own in heights)
        lines.append(f"{top * row / height:6.2f} ┤{drawn}")
    numbers = [str(number).center(wide) for number in range(1, len(plotted) + 1)]
    narrow = ["+" if number.endswith("0") else "-" for number in numbers]
    lines.append(" " * 8 + "".join(numbers if wide == 4 else narrow))
    return [line.rstrip() for line in lines]


def _mark(height: int, row: int) -> str:
    """A point in its row, a dot below it."""
    if height == row:
        return "●"
    return "·" if height > row else " "


def facts(analysis: Analysis) -> list[tuple[str, str]]:
    """The figures, each with its name."""
    with_lessons = _percent(analysis.success_with_lessons)
    without = _percent(analysis.success_without_lessons)
    return [
        ("loops", f"{analysis.loops} ({plural(analysis.trials, 'trial')})"),
        ("success rate", _percent(analysis.success_rate)),
        ("trials to success", _number(analysis.trials_to_success)),
        ("time to success", _number(analysis.seconds_to_success, " s")),
        ("learning rate", f"{analysis.learning_rate:+.3f} per trial"),
        ("breakthroughs", str(analysis.breakthroughs)),
        ("confidence", _number(analysis.average_confidence)),
        ("confidence against improvement (r)", _number(analysis.confidence_correlation)),
        ("poor reflections", str(analysis.low_quality)),
        ("loops that reused lessons", _percent(analysis.lesson_reuse_rate)),
        ("success with / without lessons", f"{with_lessons} / {without}"),
    ]


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{value:.0%}"


def _number(value: float | None, unit: str = "") -> str:
    return "–" if value is None else f"{value:.2f}{unit}"


def curves(analysis: Analysis) -> Iterator[tuple[str, list[str]]]:
    """The curves and lists for a terminal: a title, and its lines."""
    yield _REWARDS, plot(analysis.reward_curve, high=1.0)
    yield _ERRORS, plot(analysis.error_curve)
    most = max((count for _, count in analysis.categories), default=0) or 1
    yield (
        _CATEGORIES,
        [
            f"  {kind:<26}{'█' * max(1, round(_WIDEST_BAR * count / most)) * bool(count)} {count}"
            for kind, count in analysis.categories
        ],
    )
    yield (
        f"{_REPEATED}: trials in the first and in the last half",
        [
            f"  {r.first_trials:g} → {r.last_trials:g}  ({r.loops}×)  {r.task}"
            for r in analysis.repeated
        ],
    )
    newest = [f"  {spark(c.rewards, high=1):<12} {c.status:<10} {c.task}" for c in analysis.curves]
    yield _NEWEST, newest


def page_of(analysis: Analysis, *, title: str) -> str:
    """The whole page."""
    plots = {
        _REWARDS: curve_of(analysis.reward_curve, "bar", label="reward", high=1.0),
        _ERRORS: curve_of(analysis.error_curve, "bad", label="errors"),
        _CATEGORIES: bars(analysis.categories),
    }
    rows = "".join(
        f"<li><b>{row.loops}×</b><span>{safe(row.task)}</span>"
        f'<span class="side soft">{row.first_trials:g} → {row.last_trials:g} trials</span></li>'
        for row in analysis.repeated
    )
    cells = ""
    for one in reversed(analysis.curves):
        drawn = curve_of(one.rewards, "bar", label="reward", high=1.0, size=SMALL)
        words = safe(f"{one.task} · {one.status} after {len(one.rewards)} · {one.loop_id}")
        cells += f'<div>{drawn}<p class="soft">{words}</p></div>'
    sections = (section(head, drawn or _NOTHING) for head, drawn in plots.items())
    return page(
        title,
        f"{plural(analysis.loops, 'loop')}, {plural(analysis.trials, 'trial')}",
        tiles(*((figure, words) for words, figure in facts(analysis)[1:])),
        f'<div class="pairs">{"".join(sections)}</div>',
        section(_REPEATED, f"<ul>{rows}</ul>" if rows else _NOTHING),
        section(_NEWEST, f'<div class="small">{cells or _NOTHING}</div>'),
    )
