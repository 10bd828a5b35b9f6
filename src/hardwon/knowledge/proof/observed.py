"""What runs show without a hold-out: failures that they were told of in time, and what came then.

Runs are compared that came to the same place: they met the failure, or they made a call of the form
that fails or of the form that got past it. A run before the first meeting counts as well, so that
the comparison does not begin with a failure. It is no proof: failures come in waves.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import sqrt
from typing import NamedTuple

from hardwon.core.values.delivery import Door
from hardwon.core.values.report import KindObserved, Observed
from hardwon.core.values.run import EndedRun
from hardwon.knowledge.evidence.calls import calls_of
from hardwon.knowledge.evidence.trails import find_passed

_LISTED = 5  # kinds
_EXAMPLES = 5  # runs of a kind whose way past it is read
_AHEAD = 12  # steps in which a failure is got past
_IN_TIME = (Door.START, Door.TURN, Door.ACTION)
_NORMAL = 1.959964  # the 97.5 % point


class Form(NamedTuple):
    """The calls by which a failure is met or got past, and what getting past it took."""

    failing: frozenset[str]
    working: frozenset[str]
    calls: float = 0.0
    minutes: float = 0.0


class Meeting(NamedTuple):
    """One run that came to the place of a failure."""

    is_told: bool
    has_failed: bool
    has_followed: bool


class Facts(NamedTuple):
    """A run as it is compared, read once."""

    run: EndedRun
    met: dict[str, tuple[int, str]]  # failure kinds, each with its first step and its text
    told: dict[str, int]  # kinds told before a call, with the steps made until then
    warned: frozenset[str]  # the kinds that it was told of right before a call
    families: tuple[frozenset[str], ...]  # of the calls of each step
    made: frozenset[str]  # of all steps


def _read(run: EndedRun) -> Facts:
    met, told, warned = dict[str, tuple[int, str]](), dict[str, int](), set[str]()
    for at, step in enumerate(run.steps):
        if step.failure:
            met.setdefault(step.failure.kind, (at, step.failure.text))
    for shown in run.shown:
        warned.update(shown.kinds if shown.door == Door.ACTION else ())
        for kind in shown.kinds if shown.door in _IN_TIME else ():
            told.setdefault(kind, max(0, len(run.steps) - shown.after))
    families = tuple(frozenset(call.family for call in calls_of(step)) for step in run.steps)
    return Facts(run, met, told, frozenset(warned), families, frozenset[str]().union(*families))


def observe(runs: Iterable[EndedRun]) -> Observed:
    """What these runs show, the oldest first."""
    kept = [_read(run) for run in runs]
    told = {kind for facts in kept for kind in facts.told}
    texts = {kind: text for facts in kept for kind, (_, text) in facts.met.items()}
    forms = {kind: _form(kind, kept) for kind in told if kind in texts}
    meetings = {kind: list(_meetings(kind, form, kept)) for kind, form in forms.items()}
    every = [meeting for group in meetings.values() for meeting in group]
    counts = count(every)
    avoided, low, high = difference(counts)
    share = max(0.0, avoided / max(1, counts.told))  # of the runs that were told
    told_runs = {kind: sum(one.is_told for one in group) for kind, group in meetings.items()}
    calls = share * sum(told_runs[kind] * form.calls for kind, form in forms.items())
    minutes = share * sum(told_runs[kind] * form.minutes for kind, form in forms.items())
    kinds = [count(group, texts[kind]) for kind, group in meetings.items()]
    kinds = sorted(kinds, key=lambda kind: (-kind.told, kind.text))
    listed = tuple(kind for kind in kinds if kind.told)[:_LISTED]
    return Observed(len(kept), *counts[1:], avoided, low, high, calls, minutes, listed)


def count(meetings: Sequence[Meeting], text: str = "") -> KindObserved:
    """How many of these runs were told in time, followed, failed; and of the others."""
    told = [meeting for meeting in meetings if meeting.is_told]
    followed = sum(meeting.has_followed and not meeting.has_failed for meeting in told)
    failed = sum(meeting.has_failed for meeting in told)
    failed_untold = sum(meeting.has_failed for meeting in meetings) - failed
    return KindObserved(text, len(told), followed, failed, len(meetings) - len(told), failed_untold)


def difference(counts: KindObserved) -> tuple[float, float, float]:
    """The failures avoided in the runs that were told, with a 95 % interval (Newcombe's)."""
    if not counts.told or not counts.untold:
        return 0.0, 0.0, 0.0
    with_it, without = counts.failed / counts.told, counts.failed_untold / counts.untold
    low, high = _wilson(counts.failed, counts.told)
    low_without, high_without = _wilson(counts.failed_untold, counts.untold)
    gap = without - with_it
    least = gap - sqrt((without - low_without) ** 2 + (high - with_it) ** 2)
    most = gap + sqrt((high_without - without) ** 2 + (with_it - low) ** 2)
    return gap * counts.told, least * counts.told, most * counts.told


def _wilson(part: int, whole: int) -> tuple[float, float]:
    share, square = part / whole, _NORMAL**2
    middle = share + square / (2 * whole)
    margin = _NORMAL * sqrt(share * (1 - share) / whole + square / (4 * whole**2))
    return (middle - margin) / (1 + square / whole), (middle + margin) / (1 + square / whole)


def _form(kind: str, runs: Sequence[Facts]) -> Form:
    """The calls of a failure, and how long runs needed to get past it that were not told of it."""
    failing, working = set[str](), set[str]()
    costs: list[tuple[float, float]] = []
    met = [facts for facts in runs if kind in facts.met]
    for facts in ([facts for facts in met if kind not in facts.told] or met)[:_EXAMPLES]:
        run, (at, _) = facts.run, facts.met[kind]
        for end in range(at + 1, min(len(run.steps), at + 1 + _AHEAD)):
            found = next((way for way in find_passed(run.steps[: end + 1]) if way.at == at), None)
            if found:
                failing.add(found.failing.family)
                working.add(found.working.family)
                pace = (run.ended - run.begun).total_seconds() / 60 / max(1, run.made)
                costs.append((end - at, (end - at) * pace))
                break
    means = (sum(cost) / len(costs) for cost in zip(*costs, strict=True))
    return Form(frozenset(failing), frozenset(working), *means)


def cost_of(kind: str, runs: Sequence[EndedRun]) -> tuple[float, float]:
    """The calls and minutes that it takes a run to get past a failure; 0 if none of these did."""
    form = _form(kind, [_read(run) for run in runs[:_EXAMPLES]])
    return round(form.calls, 1), round(form.minutes, 1)


def _meetings(kind: str, form: Form, runs: Sequence[Facts]) -> Iterable[Meeting]:
    """The runs that came to the place of a failure."""
    place = form.failing | form.working
    for facts in runs:
        met, told = facts.met.get(kind), facts.told.get(kind)
        is_told = told is not None and (met is None or told <= met[0])
        made = facts.made
        if is_told and told:
            made = frozenset[str]().union(*facts.families[told:])
        is_warned = is_told and kind in facts.warned
        if met or is_warned or not made.isdisjoint(place):
            yield Meeting(is_told, met is not None, not made.isdisjoint(form.working))
