"""What becomes of an ended run: a record that is kept, and the outcome of each delivery."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from hardwon.core.text.clean import clip, clip_middle, one_line
from hardwon.core.values.delivery import DOOR, Door, Outcome, family_of_name
from hardwon.core.values.run import WITHHELD, Author, EndedRun, RunSoFar, Step, run_id
from hardwon.knowledge.evidence.cures import telling_parts

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from hardwon.core.values.run import RunSoFar, Shown, Step
    from hardwon.core.values.scope import Scope
    from hardwon.storage.ports import Store

SIZE = 40_000  # bytes of all steps
_TASK = 500  # characters
_KINDS = 50
_SHOWN = 200
_WORDS = 24_000  # characters of all that was shown; the words of what came first stay
# Characters of a call and of a failing call's output: the first pair that fits is used.
_CUTS = ((4_000, 800), (1_000, 500), (300, 300), (120, 120))


def archive_run(
    past: RunSoFar,
    scope: Scope,
    run: str,
    *,
    ended: datetime,
    outcome: str,
    by: Author = Author(),
) -> EndedRun:
    """The record of an ended run: long texts are cut, counts are complete.

    `by` had it made, unless the run itself names somebody.
    """
    person, machine = past.by or by
    failures = [step.failure for step in past.steps if step.failure]
    begun = datetime.fromtimestamp(past.begun, UTC) if past.begun else ended
    # Units of the hold-out are no deliveries: each has one beside it.
    deliveries = [delivery for delivery in past.shown if delivery.door != DOOR]
    return EndedRun(
        id=run_id(run, begun),
        scope=scope,
        run=run,
        task=one_line(past.task, _TASK),
        begun=min(begun, ended),
        ended=ended,
        outcome=outcome,
        made=max(past.made, len(past.steps)),
        failed=sum(step.failed for step in past.steps),
        told=sum(delivery.door != WITHHELD for delivery in deliveries),
        kinds=tuple(dict.fromkeys(failure.text for failure in failures))[:_KINDS],
        steps=_cut(past.steps, past.task),
        shown=_cut_words(deliveries[-_SHOWN:]),
        person=person,
        machine=machine,
    )


def _cut_words(shown: Sequence[Shown]) -> tuple[Shown, ...]:
    """The deliveries, with the words of those that fit into `_WORDS`."""
    short, room = [], _WORDS
    for delivery in shown:
        text = delivery.text if len(delivery.text) <= room else ""
        room -= len(text)
        short.append(delivery._replace(text=text))
    return tuple(short)


def _cut(steps: Sequence[Step], task: str) -> tuple[Step, ...]:
    """The steps, cut to fit into `SIZE`; if the shortest cut does not fit, the newest steps.

    The output of a step that worked is kept only as far as later steps use what it printed.
    """
    printed = [
        step.output.strip() if step.failed else part
        for step, part in zip(steps, telling_parts(steps, task), strict=True)
    ]
    for call, output in _CUTS:
        short = [
            _short(step, call)._replace(output=clip_middle(text, output))
            for step, text in zip(steps, printed, strict=True)
        ]
        sizes = [len(json.dumps(step).encode()) + 1 for step in short]
        if sum(sizes) <= SIZE:
            return tuple(short)
    while sum(sizes) > SIZE:
        short.pop(0)
        sizes.pop(0)
    return tuple(short)


def _short(step: Step, call: int) -> Step:
    """A step with its call and failure cut."""
    failure = step.failure
    if failure is not None:
        failure = failure._replace(text=clip(failure.text, 200), line=clip(failure.line, 200))
    return step._replace(args=clip_middle(step.args, call), failure=failure)


def settle(past: RunSoFar, run: str, scope: Scope, store: Store) -> None:
    """Note the outcome of every delivery and every unit of a run that has ended."""
    of_deliveries: list[tuple[str, str]] = []
    for name, outcome in outcomes(past):
        if family := family_of_name(name):
            store.units.settle(scope, run, family, outcome)
        else:
            of_deliveries.append((name, outcome))
    store.deliveries.settle(scope, of_deliveries)


def outcomes(past: RunSoFar) -> Iterator[tuple[str, str]]:
    """Every delivery of a run that has ended, with its outcome."""
    for shown in past.shown:
        yield shown.delivery, _outcome(shown, past.steps)


def _outcome(shown: Shown, steps: Sequence[Step]) -> str:
    """The outcome of a delivery, from the steps after it."""
    first = len(steps) - shown.after
    followed = steps[max(0, first) :]
    if shown.door == Door.ACTION:
        return _of_call(shown, followed[0]) if followed and first >= 0 else Outcome.UNKNOWN
    if shown.door == Door.ERROR:
        return _of_error(shown, steps[first - 1] if first > 0 else None, followed)
    if not shown.kinds:
        return Outcome.UNKNOWN
    if _is_among(shown.kinds, followed):
        return Outcome.REPEATED
    return Outcome.NOT_MET if first >= 0 else Outcome.UNKNOWN  # some steps are no longer kept


def _of_call(shown: Shown, call: Step) -> str:
    if not call.failed:
        return Outcome.WORKED
    return Outcome.SAME if _is_among(shown.kinds, [call]) else Outcome.OTHERWISE


def _of_error(shown: Shown, failed: Step | None, followed: Sequence[Step]) -> str:
    if failed is None:  # no longer kept, so a repeat cannot be recognised
        return Outcome.UNKNOWN
    own_kind = (failed.failure.kind,) if failed.failure else ()
    if _is_among((*shown.kinds, *own_kind), followed):
        return Outcome.REPEATED
    has_worked = any(step.tool == failed.tool and not step.failed for step in followed)
    return Outcome.OVERCOME if has_worked else Outcome.LEFT


def _is_among(kinds: Collection[str], steps: Sequence[Step]) -> bool:
    """Whether one of the steps failed with one of these kinds or exact digests."""
    failures = (step.failure for step in steps if step.failed)
    return any(
        failure and (failure.kind in kinds or failure.exact in kinds) for failure in failures
    )
