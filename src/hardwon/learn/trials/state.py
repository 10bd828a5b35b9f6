"""The state of a loop, computed from the events in its journal, and when it ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from hardwon.core.values.scope import Scope
from hardwon.learn.trials.codec import from_json
from hardwon.learn.trials.values import (
    ActorOutput,
    Category,
    EvaluatorOutput,
    Outcome,
    PerformanceDelta,
    Policy,
    Quality,
    Variant,
)

if TYPE_CHECKING:
    from collections.abc import Callable

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


def created(event: Event) -> LoopState:
    """The initial state of a loop."""
    return LoopState(
        loop_id=str(event["loop_id"]),
        scope=Scope(*event["scope"]),
        options=from_json(Options, event["options"]),
        created_at=str(event["at"]),
        tree=str(event.get("tree", "")),
    )


def after(state: LoopState, event: Event) -> LoopState:
    """The state after one more event; unknown events are ignored."""
    step = _STEPS.get(str(event.get("event")))
    return step(state, event) if step else state


def replay(events: list[Event]) -> LoopState:
    """The state after all events."""
    state = created(events[0])
    for event in events[1:]:
        state = after(state, event)
    return state


def _began(state: LoopState, event: Event) -> LoopState:
    number, window = int(event["trial"]), tuple(event.get("window", ()))
    started = Open(number, window, int(event.get("lessons", 0)))
    deliveries = dict.fromkeys((*state.deliveries, event.get("delivery") or ""))
    return state._replace(open=started, deliveries=tuple(d for d in deliveries if d))


def _acted(state: LoopState, event: Event) -> LoopState:
    if state.open is None:
        return state
    actor = from_json(ActorOutput, event["actor"])
    return state._replace(open=state.open._replace(actor=actor, tree=str(event.get("tree", ""))))


def _judged(state: LoopState, event: Event) -> LoopState:
    if state.open is None:
        return state
    evaluation = from_json(EvaluatorOutput, event["evaluation"])
    open_ = state.open._replace(evaluation=evaluation)
    return state._replace(open=open_, kind=evaluation.verification_type)


def _finished(state: LoopState, event: Event) -> LoopState:
    trial = from_json(Trial, event["summary"])
    return state._replace(trials=(*state.trials, trial), open=None)


def _ended(state: LoopState, event: Event) -> LoopState:
    return state._replace(
        status=event["status"], reason=str(event["reason"]), ended_at=str(event["at"])
    )


def _resumed(state: LoopState, event: Event) -> LoopState:
    """Continue; for a loop that had ended, early stops count from zero."""
    since = state.since if state.status == "running" else len(state.trials)
    options = from_json(Options, {**state.options._asdict(), **event.get("options", {})})
    return state._replace(status="running", reason="", ended_at="", since=since, options=options)


def _noted(state: LoopState, event: Event) -> LoopState:
    return state._replace(notes=(*state.notes, str(event["text"])))


_STEPS = {
    "began": _began,
    "acted": _acted,
    "judged": _judged,
    "finished": _finished,
    "ended": _ended,
    "resumed": _resumed,
    "noted": _noted,
}


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
