"""Settle: determine the outcome of each delivery of a run from the steps after it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardwon.core.values.delivery import Door, Outcome, family_of_name

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from hardwon.core.values.run import RunSoFar, Shown, Step
    from hardwon.core.values.scope import Scope
    from hardwon.storage.ports import Store


def settle(past: RunSoFar, run: str, scope: Scope, store: Store) -> None:
    """Note the outcome of every delivery and every unit of a run that has ended."""
    of_deliveries: list[tuple[str, str]] = []
    for name, outcome in settled(past):
        if family := family_of_name(name):
            store.units.settle(scope, run, family, outcome)
        else:
            of_deliveries.append((name, outcome))
    store.deliveries.settle(scope, of_deliveries)


def settled(past: RunSoFar) -> Iterator[tuple[str, str]]:
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
