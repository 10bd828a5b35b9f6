"""The state of a loop, computed from the events in its journal, and when it ends."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from hardwon.core.values.scope import Scope
from hardwon.core.values import from_plain
from hardwon.learn.trials.values import (
    ActorOutput,
    Category,
    EvaluatorOutput,
    Outcome,
    PerformanceDelta,
    Policy,
    Quality,
    SelfReflection,
    Variant,
)

IMPORTED = "imported"  # the reason of a loop that was not run here
LoopStatus = Literal["running", "succeeded", "failed", "aborted"]
Lessons = Literal["now", "queue", "off"]
Critical = Literal["stop", "retry"]
Event = dict[str, Any]


class Options(NamedTuple):
    """The options a loop was started with."""

    task: str
    actor: str = ""  # a command; empty when a function acts
    verify: tuple[str, ...] = ()
    cwd: str = ""  # empty when functions act and judge: no files are read
    max_trials: int = 5
    omega: str = ""
    policy: Policy = "fifo"
    window_tokens: int = 1500
    variant: Variant = "react"
    actor_seconds: float = 1800.0
    verify_seconds: float = 600.0
    output_bytes: int = 1 << 20
    patience: int = 3  # stop after this many trials without a gain; 0: never
    repeats: int = 3  # stop after this many trials with the same failure; 0: never
    on_critical: Critical = "stop"
    lessons: Lessons = "now"
    recall: bool = True
    inject: bool = True
    pass_env: tuple[str, ...] = ()


class Trial(NamedTuple):
    """One finished trial, in numbers."""

    number: int
    outcome: Outcome
    reason: str
    reward: float
    errors: int
    seconds: float = 0.0
    signature: str = ""
    failure: str = ""  # the main error, in words
    category: Category | None = None
    confidence: float | None = None
    quality: Quality | None = None
    author: str = ""
    delta: PerformanceDelta | None = None
    tree: str = ""
    window: tuple[int, ...] = ()
    lessons_used: int = 0
    lessons_learned: int = 0
    change: str = ""  # the change, in short
    at: str = ""

    def with_reflection(self, reflection: SelfReflection) -> Trial:
        """The trial with the numbers of its reflection."""
        credit = reflection.credit_assignment
        return self._replace(
            category=credit.failure_category if credit else "other",
            confidence=reflection.confidence,
            quality=reflection.quality,
            author=reflection.author,
            lessons_learned=len(reflection.lessons_learned),
        )


class Open(NamedTuple):
    """The trial that has begun but not finished, as far as it got."""

    number: int
    window: tuple[int, ...] = ()
    lessons_used: int = 0
    actor: ActorOutput | None = None
    tree: str = ""
    evaluation: EvaluatorOutput | None = None


class LoopState(NamedTuple):
    """Everything known about a loop."""

    loop_id: str
    scope: Scope
    options: Options
    created_at: str
    tree: str = ""
    status: LoopStatus = "running"
    reason: str = ""
    ended_at: str = ""
    trials: tuple[Trial, ...] = ()
    open: Open | None = None
    since: int = 0  # early stops count from this trial: the loop was resumed here
    kind: str = ""
    notes: tuple[str, ...] = ()
    deliveries: tuple[str, ...] = ()

    @property
    def task(self) -> str:
        """The task of the loop."""
        return self.options.task

    @property
    def passed(self) -> bool:
        """Whether the work was verified."""
        return self.status == "succeeded"

    @property
    def best(self) -> Trial | None:
        """The trial with the highest reward; among equals fewer errors, then the first."""
        ranked = sorted(self.trials, key=lambda t: (-t.reward, t.errors, t.number))
        return ranked[0] if ranked else None

    @property
    def reward(self) -> float:
        """The reward of the best trial."""
        return self.best.reward if self.best else 0.0

    @property
    def rewards(self) -> list[float]:
        """The reward of every trial."""
        return [trial.reward for trial in self.trials]


def replay(events: Sequence[Event]) -> LoopState:
    """The state after all events; the first one created the loop."""
    first = events[0]
    state = LoopState(
        loop_id=str(first["loop_id"]),
        scope=Scope(*first["scope"]),
        options=from_plain(Options, first["options"]),
        created_at=str(first["at"]),
        tree=str(first.get("tree", "")),
    )
    return functools.reduce(after, events[1:], state)


def after(state: LoopState, event: Event) -> LoopState:
    """The state after one more event; unknown events are ignored."""
    started = state.open
    match event.get("event"):
        case "began":
            window = tuple(event.get("window", ()))
            started = Open(int(event["trial"]), window, int(event.get("lessons", 0)))
            deliveries = dict.fromkeys(filter(None, (*state.deliveries, event.get("delivery"))))
            return state._replace(open=started, deliveries=tuple(deliveries))
        case "acted" if started:
            actor = from_plain(ActorOutput, event["actor"])
            acted = started._replace(actor=actor, tree=str(event.get("tree", "")))
            return state._replace(open=acted)
        case "judged" if started:
            evaluation = from_plain(EvaluatorOutput, event["evaluation"])
            judged = started._replace(evaluation=evaluation)
            return state._replace(open=judged, kind=evaluation.verification_type)
        case "finished":
            trial = from_plain(Trial, event["summary"])
            return state._replace(trials=(*state.trials, trial), open=None)
        case "ended":
            reason, at = str(event["reason"]), str(event["at"])
            return state._replace(status=event["status"], reason=reason, ended_at=at)
        case "resumed":  # for a loop that had ended, early stops count from zero
            since = state.since if state.status == "running" else len(state.trials)
            options = from_plain(Options, {**state.options._asdict(), **event.get("options", {})})
            again = state._replace(status="running", reason="", ended_at="", since=since)
            return again._replace(options=options)
        case "noted":
            return state._replace(notes=(*state.notes, str(event["text"])))
    return state


class LoopEnd(NamedTuple):
    """How a loop ended."""

    status: LoopStatus
    reason: str


def verdict(state: LoopState) -> LoopEnd | None:
    """Why the loop ends here; None when another trial is due."""
    if not state.trials or state.open is not None:
        return None
    options, last = state.options, state.trials[-1]
    fresh = state.trials[state.since :]  # what happened before a resume ends nothing
    if last.outcome == "passed":
        return LoopEnd("succeeded", f"all verifications passed in trial {last.number + 1}")
    if fresh and last.outcome == "critical" and options.on_critical == "stop":
        return LoopEnd("failed", f"critical error: {last.reason}")
    if len(state.trials) >= options.max_trials:
        return LoopEnd("failed", f"max trials reached ({options.max_trials})")
    if _is_stuck(fresh, options.repeats):
        words = last.failure or "no message"
        return LoopEnd("failed", f"the same failure {options.repeats} times in a row: {words}")
    if _is_plateau(fresh, options.patience):
        return LoopEnd("failed", f"plateau: no reward gain in {options.patience} trials")
    return None


def _is_stuck(trials: Sequence[Trial], times: int) -> bool:
    """Whether the last trials all failed the same way, without a rising reward."""
    last = trials[-times:]
    is_same = len({trial.signature for trial in last}) == 1
    return bool(times) and len(last) == times and is_same and last[-1].reward <= last[0].reward


def _is_plateau(trials: Sequence[Trial], patience: int) -> bool:
    rewards = [trial.reward for trial in trials]
    if not patience or len(rewards) <= patience:
        return False
    return max(rewards[-patience:]) <= max(rewards[:-patience])
