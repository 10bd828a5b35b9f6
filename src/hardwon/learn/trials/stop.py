"""When a loop ends, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from hardwon.learn.trials.state import LoopState, LoopStatus


class LoopEnd(NamedTuple):
    """How a loop ended."""

    status: LoopStatus
    reason: str


def verdict(state: LoopState) -> LoopEnd | None:
    """Why the loop ends here; None when another trial is due."""
    if not state.trials or state.open is not None:
        return None
    return next((end for rule in RULES if (end := rule(state))), None)


def _passed(state: LoopState) -> LoopEnd | None:
    last = state.trials[-1]
    words = f"all verifications passed in trial {last.number + 1}"
    return LoopEnd("succeeded", words) if last.outcome == "passed" else None


def _critical(state: LoopState) -> LoopEnd | None:
    last = state.trials[-1]
    if last.outcome != "critical" or state.options.on_critical != "stop":
        return None
    # A resumed loop goes on: a critical error from before the resume does not end it.
    return LoopEnd("failed", f"critical error: {last.reason}") if _fresh(state) else None


def _max_trials(state: LoopState) -> LoopEnd | None:
    most = state.options.max_trials
    return LoopEnd("failed", f"max trials reached ({most})") if len(state.trials) >= most else None


def _repeat(state: LoopState) -> LoopEnd | None:
    often, recent = state.options.repeats, _fresh(state)
    stuck = recent[-often:]
    if not often or len(recent) < often or len({trial.signature for trial in stuck}) > 1:
        return None
    if stuck[-1].reward > stuck[0].reward:  # the same failure, but the reward still rises
        return None
    words = recent[-1].failure or "no message"
    return LoopEnd("failed", f"the same failure {often} times in a row: {words}")


def _plateau(state: LoopState) -> LoopEnd | None:
    patience, recent = state.options.patience, [trial.reward for trial in _fresh(state)]
    if not patience or len(recent) <= patience:
        return None
    if max(recent[-patience:]) > max(recent[:-patience]):
        return None
    return LoopEnd("failed", f"plateau: no reward gain in {patience} trials")


def _fresh(state: LoopState) -> list[Trial]:
    return list(state.trials[state.since :])


RULES: tuple[Callable[[LoopState], LoopEnd | None], ...] = (
    _passed,
    _critical,
    _max_trials,
    _repeat,
    _plateau,
)

if TYPE_CHECKING:
    from hardwon.learn.trials.state import Trial
