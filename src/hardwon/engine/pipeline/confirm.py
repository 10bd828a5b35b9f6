"""Confirm: what an ended run says about the items of a playbook, and what is new in it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from hardwon.core.errors import NotFound
from hardwon.core.values.lesson import Change, Evidence, Kind, Lesson, Status, join_evidence
from hardwon.core.values.run import RunSoFar, Step
from hardwon.knowledge.evidence.advice import follows, parts, recommended_calls
from hardwon.knowledge.evidence.calls import acting_calls
from hardwon.knowledge.evidence.inner import failing_call, working_calls
from hardwon.knowledge.reading.mistakes import is_mistake
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
    found = list[Verdict]()
    for item in items:
        advised = recommended_calls(item.correction)
        good = [at for at, calls in enumerate(worked) if _follow(calls, advised)]
        bad = [at for at, call in enumerate(failed) if call and _follow([call], advised)]
        if good:
            found.append(Verdict(item, True, good[-1] + 1))
        elif bad and (call := failed[bad[-1]]):
            failure, later = steps[bad[-1]].failure, worked[bad[-1] + 1 :]
            is_warned_of = failure is None or failure.kind in item.kinds
            programs = {other.program for calls in later for other in calls}
            if not is_warned_of and call.program in programs:
                found.append(Verdict(item, False, bad[-1] + 1))
    return found


def _follow(calls: Sequence[Call], advised: Sequence[Call]) -> bool:
    return any(follows(call, own) for call in calls for own in advised)


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

    def is_counted(item: Lesson) -> bool:  # the run made it, or was counted before
        return any(piece.value.partition(":")[0] == run for piece in item.evidence)

    fresh = [
        verdict
        for verdict in verdicts(items, past.steps)
        if (verdict.holds or verdict.item.id in past.told) and not is_counted(verdict.item)
    ]
    if not fresh:
        return
    with store.together():
        for item, holds, step in fresh:
            with suppress(NotFound):  # it was deleted just now
                stored = store.lessons.get(item.scope, item.id)
                piece = Evidence(
                    Kind.CONFIRMED if holds else Kind.WEAKENED, f"{run}: {step}", now.timestamp()
                )
                told = stored._replace(
                    evidence=join_evidence(stored.evidence, (piece,)),
                    met=stored.met + holds,
                    updated_at=now,
                )
                if not holds and retires and stored.author != "person":
                    store.history.note(Change(stored, WITHDRAW, now))
                    told = withdrawn(told, f"step {step} of run {run} followed it and failed", now)
                store.lessons.update(told)


def withdrawn(item: Lesson, why: str, now: datetime) -> Lesson:
    """The item, no longer shown, with the reason."""
    reason = Evidence(Kind.WITHDRAWN, why, now.timestamp())
    return item._replace(
        status=Status.RETIRED, evidence=join_evidence(item.evidence, (reason,)), updated_at=now
    )


LEAST = 3  # steps of a run that is read


def news(
    steps: Sequence[Step],
    items: Sequence[Lesson],
    *,
    prompts: int = 1,
    error: str = "",
    earlier: Collection[str] = (),
) -> str:
    """What is new in a run, in words; "" if nothing is.

    `prompts`: how often the person said something. `error`: what the run ended with.
    `earlier`: the tools, and the parts of programs, that earlier runs called, if they are known.
    """
    if len(steps) < LEAST:
        return ""
    if not items and not earlier:
        return "the first run of this project"
    if prompts > 1:
        return "the person said more"
    if error and not any(step.failed for step in steps):
        return "the run failed, and no step says why"
    known = {kind for item in items for kind in item.kinds}
    for at, step in enumerate(steps):
        failure = step.failure
        if failure is None or not failure.is_telling or failure.kind in known:
            continue
        if is_mistake(step, steps[:at]):
            return f"step {at + 1} failed as no item says"
    first = first_calls(steps, items, earlier)
    return f"step {first[0] + 1} makes a call that no earlier run made" if first else ""


def first_calls(
    steps: Sequence[Step], items: Sequence[Lesson], earlier: Collection[str]
) -> list[int]:
    """The places of the steps that call a tool, or a part of a program, for the first time."""
    known = parts(call for item in items for call in recommended_calls(item.correction))
    known.update(earlier)
    places = list[int]()
    for at, step in enumerate(steps):
        working = working_calls(step)
        called = parts(call for call in acting_calls(step) if call in working)
        places += [at] if called - known else []
        known |= called
    return places
