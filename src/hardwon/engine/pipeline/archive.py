"""Archive: the record of an ended run, small enough to be kept for long."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from hardwon.core.text.clean import clip, clip_middle, one_line
from hardwon.core.values.delivery import DOOR
from hardwon.core.values.run import WITHHELD, EndedRun, RunSoFar, Step, run_id

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hardwon.core.values.scope import Scope

SIZE = 40_000  # bytes of all steps
_TASK = 500  # characters
_KINDS = 50
_SHOWN = 200
# Characters of a call and of a failing call's output: the first pair that fits is used.
_CUTS = ((4_000, 800), (1_000, 500), (300, 300), (120, 120))


def archived(past: RunSoFar, scope: Scope, run: str, *, ended: datetime, outcome: str) -> EndedRun:
    """The record of an ended run: long texts are cut, counts are complete."""
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
        steps=_cut(past.steps),
        shown=tuple(deliveries[-_SHOWN:]),
    )


def _cut(steps: Sequence[Step]) -> tuple[Step, ...]:
    """The steps, cut to fit into `SIZE`; if the shortest cut does not fit, the newest steps."""
    for call, output in _CUTS:
        short = [_short(step, call, output) for step in steps]
        sizes = [len(json.dumps(step).encode()) + 1 for step in short]
        if sum(sizes) <= SIZE:
            return tuple(short)
    while sum(sizes) > SIZE:
        short.pop(0)
        sizes.pop(0)
    return tuple(short)


def _short(step: Step, call: int, output: int) -> Step:
    """A step with its texts cut; the output is kept only if the step failed."""
    failure = step.failure
    if failure is not None:
        failure = failure._replace(text=clip(failure.text, 200), line=clip(failure.line, 200))
    printed = clip_middle(step.output.strip(), output) if step.failed else ""
    return step._replace(args=clip_middle(step.args, call), output=printed, failure=failure)
