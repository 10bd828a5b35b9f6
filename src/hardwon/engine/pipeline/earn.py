"""Earn: later runs confirm or weaken the items of a playbook. No model is asked."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from hardwon.core.errors import NotFound
from hardwon.core.values.lesson import Change, Evidence, Kind, Lesson, Status, join_evidence
from hardwon.core.values.run import RunSoFar, Step
from hardwon.knowledge.evidence.advice import follows, recommended_calls
from hardwon.knowledge.evidence.inner import failing_call, working_calls
from hardwon.storage.ports import Store

if TYPE_CHECKING:
    from hardwon.knowledge.evidence.calls import Call

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
    worked = [working_calls(step) for step in steps]
    failed = [failing_call(step) for step in steps]
    found = (_verdict(item, steps, worked, failed) for item in items)
    return [verdict for verdict in found if verdict]


def _verdict(
    item: Lesson,
    steps: Sequence[Step],
    worked: Sequence[Sequence[Call]],
    failed: Sequence[Call | None],
) -> Verdict | None:
    advised = recommended_calls(item.correction)
    good = [at for at, calls in enumerate(worked) if _follow(calls, advised)]
    if good:
        return Verdict(item, True, good[-1] + 1)
    bad = [at for at, call in enumerate(failed) if call and _follow([call], advised)]
    if bad and _got_on_without(item, bad[-1], steps, worked, failed):
        return Verdict(item, False, bad[-1] + 1)
    return None


def _follow(calls: Sequence[Call], advised: Sequence[Call]) -> bool:
    return any(follows(call, own) for call in calls for own in advised)


def _got_on_without(
    item: Lesson,
    at: int,
    steps: Sequence[Step],
    worked: Sequence[Sequence[Call]],
    failed: Sequence[Call | None],
) -> bool:
    """Whether the run went on with another call, after that of the item failed in a new way."""
    failure, call = steps[at].failure, failed[at]
    if failure is None or call is None or failure.kind in item.kinds:
        return False  # the failure that the item warns of
    return any(other.program == call.program for calls in worked[at + 1 :] for other in calls)


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
        for item, holds, step in fresh:
            with suppress(NotFound):  # it was deleted just now
                stored = store.lessons.get(item.scope, item.id)
                _note(Verdict(stored, holds, step), run, store=store, now=now, retires=retires)


def _is_counted(item: Lesson, run: str) -> bool:
    """Whether the run made the item, or was counted before."""
    return any(piece.value.partition(":")[0] == run for piece in item.evidence)


def _note(verdict: Verdict, run: str, *, store: Store, now: datetime, retires: bool) -> None:
    item, holds, step = verdict
    kind = Kind.CONFIRMED if holds else Kind.WEAKENED
    piece = Evidence(kind, f"{run}: {step}", now.timestamp())
    told = item._replace(evidence=join_evidence(item.evidence, (piece,)), updated_at=now)
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
        status=Status.RETIRED, evidence=join_evidence(item.evidence, (reason,)), updated_at=now
    )
