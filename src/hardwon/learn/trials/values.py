"""The values of a loop, named as in the published reflection format.

Their JSON is described by `schema.json`; `codec` turns one into the other.
"""

from typing import Literal, NamedTuple

ActionType = Literal[
    "code_modification",
    "file_creation",
    "file_deletion",
    "test_execution",
    "command_execution",
    "api_call",
    "other",
]
VerificationType = Literal[
    "unit_tests",
    "integration_tests",
    "type_check",
    "lint",
    "compilation",
    "heuristic",
    "external_api",
    "manual_review",
    "combined",
]
ErrorType = Literal[
    "syntax_error",
    "type_error",
    "test_failure",
    "lint_error",
    "runtime_error",
    "logic_error",
    "timeout",
    "other",
]
Category = Literal[
    "hallucination",
    "inefficient_planning",
    "incorrect_assumption",
    "incomplete_implementation",
    "edge_case_miss",
    "integration_error",
    "configuration_error",
    "logic_error",
    "other",
]
Status = Literal["pass", "fail", "error", "skip"]
Severity = Literal["error", "warning", "info"]
Policy = Literal["fifo", "recency", "relevance_weighted"]
Variant = Literal["cot", "react"]
Outcome = Literal["passed", "failed", "final", "critical"]
Quality = Literal["good", "low"]


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
