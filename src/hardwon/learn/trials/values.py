"""The values of a loop.

Those of a reflection are named as in the published format; `schema.json` describes their JSON. The
state of a loop is computed from the events in its journal.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from hardwon.core.values import from_plain
from hardwon.core.values.scope import Scope

ActionType = Literal["code_modification", "file_creation", "file_deletion", "test_execution",
                     "command_execution", "api_call", "other"]  # fmt: skip
VerificationType = Literal["unit_tests", "integration_tests", "type_check", "lint", "compilation",
                           "heuristic", "external_api", "manual_review", "combined"]  # fmt: skip
ErrorType = Literal["syntax_error", "type_error", "test_failure", "lint_error", "runtime_error",
                    "logic_error", "timeout", "other"]  # fmt: skip
Category = Literal["hallucination", "inefficient_planning", "incorrect_assumption",
                   "incomplete_implementation", "edge_case_miss", "integration_error",
                   "configuration_error", "logic_error", "other"]  # fmt: skip
Status = Literal["pass", "fail", "error", "skip"]
Severity = Literal["error", "warning", "info"]
Policy = Literal["fifo", "recency", "relevance_weighted"]
Variant = Literal["cot", "react"]
Outcome = Literal["passed", "failed", "final", "critical"]
Quality = Literal["good", "low"]
IMPORTED = "imported"  # the reason of a loop that was not run here
LoopStatus = Literal["running", "succeeded", "failed", "aborted"]
Lessons = Literal["now", "queue", "off"]
Critical = Literal["stop", "retry"]
Event = dict[str, Any]


class Changes(NamedTuple):
    """The changes of one action to one file."""

    additions: int = 0
    deletions: int = 0
    diff: str = ""


class Action(NamedTuple):
    """One action of the actor."""

    type: ActionType
    description: str
    file_path: str | None = None
    changes: Changes | None = None
    command: str | None = None
    timestamp: str | None = None
    output: str | None = None
    failed: bool = False
    thought: str | None = None  # the actor's thought before it


class ChangeStats(NamedTuple):
    """All changes of a trial in three numbers."""

    files_changed: int = 0
    lines_added: int = 0
    lines_deleted: int = 0


class ActorOutput(NamedTuple):
    """What the actor did in one trial, and why, in its own words."""

    actions: tuple[Action, ...] = ()
    rationale: str = ""
    strategy: str = ""
    files_modified: tuple[str, ...] = ()
    total_changes: ChangeStats = ChangeStats()
    variant: Variant = "react"
    exit_code: int | None = None
    duration_ms: int = 0
    crash: str = ""  # why the trial is a critical error; "" if the actor ended by itself


class VerificationResult(NamedTuple):
    """One tool's verdict."""

    tool: str
    status: Status
    exit_code: int | None = None
    stdout: str = ""
    stderr: str = ""
    duration_ms: int = 0
    command: str = ""
    kind: VerificationType = "heuristic"


class StructuredError(NamedTuple):
    """One complaint of a tool."""

    type: ErrorType
    message: str
    file: str | None = None
    line: int | None = None
    column: int | None = None
    stack_trace: str | None = None
    severity: Severity = "error"
    rule: str | None = None
    tool: str | None = None
    test: str | None = None


class VerificationMetrics(NamedTuple):
    """Counts; a count that no tool gave is absent."""

    tests_passed: int | None = None
    tests_failed: int | None = None
    tests_total: int | None = None
    coverage_percentage: float | None = None
    lint_errors: int | None = None
    lint_warnings: int | None = None
    type_errors: int | None = None


class EvaluatorOutput(NamedTuple):
    """The combined verdict of all tools on a trial."""

    passed: bool
    verification_type: VerificationType
    results: tuple[VerificationResult, ...] = ()
    errors: tuple[StructuredError, ...] = ()
    reward_signal: float = 0.0
    metrics: VerificationMetrics = VerificationMetrics()


class CreditAssignment(NamedTuple):
    """The failed actions, and the category of the failure."""

    failing_action_indices: tuple[int, ...] = ()
    root_cause: str = ""
    failure_category: Category = "other"


class SelfReflection(NamedTuple):
    """The first-person analysis of one failed trial."""

    reflection_text: str
    credit_assignment: CreditAssignment | None = None
    causal_reasoning: str = ""
    actionable_insights: tuple[str, ...] = ()
    lessons_learned: tuple[str, ...] = ()
    confidence: float = 0.5
    related_reflections: tuple[int, ...] = ()
    author: str = ""
    quality: Quality = "good"
    quality_problems: tuple[str, ...] = ()


class MemoryMetadata(NamedTuple):
    """The window the reflection was written in."""

    omega_capacity: int = 3
    current_memory_size: int = 0
    reflections_in_context: tuple[int, ...] = ()
    window_policy: Policy = "fifo"
    total_reflections_generated: int = 0


class PerformanceDelta(NamedTuple):
    """How a trial compares with the one before."""

    reward_change: float = 0.0
    error_count_change: int = 0
    is_improvement: bool = False


class Record(NamedTuple):
    """One `NNN.json`: a failed trial with its reflection."""

    loop_id: str
    iteration: int
    timestamp: str
    actor_output: ActorOutput
    evaluator_output: EvaluatorOutput
    self_reflection: SelfReflection
    memory_metadata: MemoryMetadata
    task_description: str = ""
    context_injected: bool = False
    previous_reflections_used: tuple[int, ...] = ()
    performance_delta: PerformanceDelta | None = None
    outcome: Outcome = "failed"
    reason: str = ""
    signature: str = ""
    notes: str = ""

    @property
    def category(self) -> Category:
        """The kind of the failure."""
        credit = self.self_reflection.credit_assignment
        return credit.failure_category if credit else "other"


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
    same = fresh[-options.repeats :]  # the last trials, if all failed the same way
    is_stuck = len({trial.signature for trial in same}) == 1 and len(same) == options.repeats
    if is_stuck and same[-1].reward <= same[0].reward:
        words = last.failure or "no message"
        return LoopEnd("failed", f"the same failure {options.repeats} times in a row: {words}")
    rewards = [trial.reward for trial in fresh]
    is_long = 0 < options.patience < len(rewards)
    if is_long and max(rewards[-options.patience :]) <= max(rewards[: -options.patience]):
        return LoopEnd("failed", f"plateau: no reward gain in {options.patience} trials")
    return None
