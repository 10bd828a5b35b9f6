"""Earn: later runs confirm or weaken the items of a playbook. No model is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from hardwon.failures.call_shape import Shape, blamed_shape, recommended, shapes_of
from hardwon.values.evidence import Evidence, Kind, joined
from hardwon.values.history import Change
from hardwon.values.lesson import Status

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from hardwon.ports import Store
    from hardwon.values.lesson import Lesson
    from hardwon.values.run import RunSoFar
    from hardwon.values.step import Step

WITHDRAW = "withdraw"  # the act in the history of a lesson


class Verdict(NamedTuple):
    """What a run says about one item."""

    item: Lesson
    holds: bool
    step: int  # the number of the step that shows it


def verdicts(items: Sequence[Lesson], steps: Sequence[Step]) -> list[Verdict]:
    """What a run says about the items whose calls it made.

    An item holds if its call worked. It does not if its call failed, never worked in the run, and
    the run went on with another call of the same program that did.
    """
    calls = [shapes_of(step) for step in steps]
    blamed = [blamed_shape(step) if step.failed else None for step in steps]
    found = (_verdict(item, steps, calls, blamed) for item in items)
    return [verdict for verdict in found if verdict]


def _verdict(
    item: Lesson,
    steps: Sequence[Step],
    calls: Sequence[Sequence[Shape]],
    blamed: Sequence[Shape | None],
) -> Verdict | None:
    for own in recommended(item.correction):
        worked = [at for at, step in enumerate(steps) if not step.failed and _made(own, calls[at])]
        if worked:
            return Verdict(item, True, worked[-1] + 1)
    for own in recommended(item.correction):
        failed = [at for at, call in enumerate(blamed) if call and own.covers(call)]
        if failed and _was_otherwise(own, item, failed[-1], steps, calls):
            return Verdict(item, False, failed[-1] + 1)
    return None


def _made(own: Shape, calls: Sequence[Shape]) -> bool:
    return any(own.covers(call) for call in calls)


def _was_otherwise(
    own: Shape,
    item: Lesson,
    at: int,
    steps: Sequence[Step],
    calls: Sequence[Sequence[Shape]],
) -> bool:
    """Whether the run got on without the item, after its call had failed in a new way."""
    failure = steps[at].failure
    if failure is None or failure.kind in item.kinds:
        return False  # the failure that the item warns of
    later = range(at + 1, len(steps))
    return any(
        not steps[place].failed and any(call.program == own.program for call in calls[place])
        for place in later
    )


def settle(
    items: Sequence[Lesson],
    past: RunSoFar,
    run: str,
    *,
    store: Store,
    now: datetime,
    retires: bool,
) -> None:
    """Note on each item what an ended run says about it, once a run.

    An item that was shown to the run and failed is withdrawn if `retires`; else it is doubtful
    until a model has read about it.
    """
    fresh = [
        verdict
        for verdict in verdicts(items, past.steps)
        if (verdict.holds or verdict.item.id in past.told) and not _is_counted(verdict.item, run)
    ]
    if not fresh:
        return
    with store.together():
        for verdict in fresh:
            _note(verdict, run, store=store, now=now, retires=retires)


def _is_counted(item: Lesson, run: str) -> bool:
    """Whether the run made the item, or was counted before."""
    return any(piece.value.partition(":")[0] == run for piece in item.evidence)


def _note(verdict: Verdict, run: str, *, store: Store, now: datetime, retires: bool) -> None:
    item, holds, step = verdict
    kind = Kind.CONFIRMED if holds else Kind.WEAKENED
    piece = Evidence(kind, f"{run}: {step}", now.timestamp())
    told = item._replace(evidence=joined(item.evidence, (piece,)), updated_at=now)
    if holds:
        told = told._replace(met=item.met + 1)
    elif retires and item.author != "person":
        store.history.note(Change(item, WITHDRAW, now))
        told = withdrawn(told, f"step {step} of run {run} followed it and failed", now)
    store.lessons.update(told)


def withdrawn(item: Lesson, why: str, now: datetime) -> Lesson:
    """The item, no longer shown, with the reason."""
    reason = Evidence(Kind.WITHDRAWN, why, now.timestamp())
    return item._replace(
        status=Status.RETIRED, evidence=joined(item.evidence, (reason,)), updated_at=now
    )
