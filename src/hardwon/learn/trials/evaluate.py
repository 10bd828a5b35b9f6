"""The evaluator: runs real tools over the work and combines their output in one judgement."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from typing import TYPE_CHECKING, NamedTuple, get_args

from hardwon.core import processes
from hardwon.core.errors import InvalidInput
from hardwon.core.text.clean import clean, clip_middle
from hardwon.learn.trials.tools import (
    Tool,
    ToolReport,
    error,
    main_message,
    read_junit,
    read_report,
    tool_of,
)
from hardwon.learn.trials.values import (
    EvaluatorOutput,
    Status,
    StructuredError,
    VerificationMetrics,
    VerificationResult,
    VerificationType,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hardwon.core.processes import Finished, ProcessLimits
    from hardwon.learn.trials.roles import Reviewer

_STREAM_KEPT = 16 * 1024
_MOST_ERRORS = 100
_SHELL_SIGNS = set("|&;<>()$`\\\"'*?[]#~=%{}\n")
_BUILTINS = {"true", "false", "test", "exit", "cd", ".", ":", "exec", "echo"}
_NOT_STARTED = {126, 127}
_QUESTION = "Is the work right?"
KINDS: dict[str, VerificationType] = {
    "unit": "unit_tests",
    "integration": "integration_tests",
    "types": "type_check",
    "build": "compilation",
    "api": "external_api",
    "manual": "manual_review",
    **{kind: kind for kind in get_args(VerificationType)},
}

WEIGHTS = {"tests": 0.5, "types": 0.3, "lint": 0.2}
_GROUPS = {"type_check": "types", "compilation": "types", "lint": "lint"}


class Verifier(NamedTuple):
    """A command that judges the work, or a question to a person."""

    command: str
    kind: VerificationType | None = None  # None: that of the tool

    @property
    def is_manual(self) -> bool:
        """Whether a person judges."""
        return self.kind == "manual_review"


def verifier(text: str) -> Verifier:
    """The verifier that a text names: `COMMAND`, `KIND:COMMAND` or `manual:QUESTION`."""
    kind, colon, command = text.partition(":")
    if not colon or kind.strip() not in KINDS:
        return Verifier(text)
    check = Verifier(command.strip(), KINDS[kind.strip()])
    return check._replace(command=check.command or _QUESTION) if check.is_manual else check


def check_verifiers(verifiers: Sequence[str], cwd: str) -> None:
    """InvalidInput if a command does not exist, so that no loop starts with it."""
    path = os.pathsep.join([os.environ.get("PATH", os.defpath), cwd])
    for command in [check.command for check in map(verifier, verifiers) if not check.is_manual]:
        if not command.strip():
            raise InvalidInput("a verifier is empty")
        if not _SHELL_SIGNS & set(command):
            program = shlex.split(command)[0]
            if program not in _BUILTINS and not shutil.which(program, path=path):
                raise InvalidInput(f"verifier {program!r} not found; is it installed and on PATH?")


async def verify(
    verifiers: Sequence[str],
    *,
    cwd: str,
    mark: str,
    limits: ProcessLimits,
    reviewer: Reviewer,
    passed_env: Sequence[str] = (),
) -> EvaluatorOutput:
    """Run all tools one after the other, and ask the person; the combined judgement."""
    env = processes.scrub_environment(os.environ, passed=passed_env)
    judged = []
    for check in map(verifier, verifiers):
        if check.is_manual:
            judged.append(await reviewer.review(check.command))
            continue
        ended = await processes.run(check.command, cwd=cwd, env=env, mark=mark, limits=limits)
        judged.append(judge(check, ended, cwd=cwd))
    return combine(judged)


def judge(check: Verifier, ended: Finished, *, cwd: str) -> tuple[VerificationResult, ToolReport]:
    """One tool's verdict with what its output says."""
    output = clean(f"{ended.stdout}\n{ended.stderr}")
    tool = tool_of(check.command, output)
    is_broken = ended.timed_out or ended.exit_code is None or ended.exit_code < 0
    status: Status = "fail"  # a verdict on the work; "error" means that the tool could not judge
    if is_broken or ended.exit_code in _NOT_STARTED:
        status = "error"
    elif ended.exit_code == 0:
        status = "pass"
    report = _written_report(check.command, ended, cwd=cwd) or read_report(output, tool)
    errors = report.errors if status != "pass" else ()  # a passing tool may print the word error
    if status != "pass" and not any(error.severity == "error" for error in errors):
        errors = (*errors, _overall_error(tool, ended, output))
    base = os.path.join(cwd, "")
    errors = tuple(
        error._replace(file=error.file.removeprefix(base)) if error.file else error
        for error in errors
    )
    result = VerificationResult(
        tool=tool.name,
        status=status,
        exit_code=ended.exit_code,
        stdout=clip_middle(clean(ended.stdout), _STREAM_KEPT),
        stderr=clip_middle(clean(ended.stderr), _STREAM_KEPT),
        duration_ms=round(ended.seconds * 1000),
        command=check.command,
        kind=check.kind or tool.kind,
    )
    return result, report._replace(errors=errors)


def _written_report(command: str, ended: Finished, *, cwd: str) -> ToolReport | None:
    """The report in the JUnit file that the command wrote, if any."""
    option = re.search(r"--junit-?xml[= ](\S+)", command)
    if not option or ended.exit_code is None:
        return None
    try:
        with open(os.path.join(cwd, option[1].strip("'\"")), "rb") as file:
            report = read_junit(file.read(8 << 20).decode("utf-8", "replace"))
    except OSError:
        return None
    return report if report.metrics.tests_total else None


def _overall_error(tool: Tool, ended: Finished, output: str) -> StructuredError:
    """The error for a failure that the output does not place."""
    name, trace = tool.name, output[-2000:]
    if ended.timed_out:
        words = f"{name} did not end within its time limit ({ended.seconds:.0f} s)"
        return error("timeout", words, tool=name, trace=trace)
    if ended.exit_code is None:
        return error("other", ended.problem or f"{name} did not start", tool=name)
    if ended.exit_code < 0:
        words = f"{name} was ended by signal {-ended.exit_code}"
        return error("runtime_error", words, tool=name, trace=trace)
    words = f"{name} ended with exit code {ended.exit_code}"
    return main_message(output, tool) or error("other", words, tool=name)


def combine(judged: Sequence[tuple[VerificationResult, ToolReport]]) -> EvaluatorOutput:
    """The judgements of several tools as one."""
    results = tuple(result for result, _ in judged)
    errors = [error for _, report in judged for error in report.errors]
    errors.sort(key=lambda error: error.severity != "error")
    kinds = {result.kind for result in results}
    return EvaluatorOutput(
        passed=bool(results) and all(result.status == "pass" for result in results),
        verification_type=kinds.pop() if len(kinds) == 1 else "combined" if kinds else "heuristic",
        results=results,
        errors=tuple(errors[:_MOST_ERRORS]),
        reward_signal=reward(judged),
        metrics=_sum_counts([report.metrics for _, report in judged]),
    )


def _sum_counts(metrics: Sequence[VerificationMetrics]) -> VerificationMetrics:
    """The sums of several tools' counts; of several coverages the last."""
    sums = VerificationMetrics()
    for counts in metrics:
        for name in counts._fields:
            new, old = getattr(counts, name), getattr(sums, name)
            if new is not None:
                total = new if old is None or name == "coverage_percentage" else old + new
                sums = sums._replace(**{name: total})
    return sums


def reward(judged: Sequence[tuple[VerificationResult, ToolReport]]) -> float:
    """The reward in 0 … 1; 1 exactly when everything passed."""
    groups: dict[str, list[tuple[VerificationResult, ToolReport]]] = {}
    for result, report in judged:
        groups.setdefault(_GROUPS.get(result.kind, "tests"), []).append((result, report))
    earned = 0.0
    for name, group in groups.items():
        share = float(all(result.status == "pass" for result, _ in group))
        if name == "tests":
            passed, ran = map(sum, zip(*(_tests(*pair) for pair in group), strict=True))
            share = passed / ran
        earned += WEIGHTS[name] * share
    return round(earned / sum(WEIGHTS[name] for name in groups), 6) if groups else 0.0


def _tests(result: VerificationResult, report: ToolReport) -> tuple[int, int]:
    """Tests passed and run; a tool without counts is one test; a failing one is never perfect."""
    good, ran = report.metrics.tests_passed, report.metrics.tests_total
    if result.status == "pass":
        return (good, ran) if ran and good == ran else (1, 1)
    if not ran or good is None:
        return 0, 1
    return (good, ran) if good < ran else (good, ran + 1)
