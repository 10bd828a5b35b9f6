"""Who acts and who judges: commands, plain functions, sync or async, or a person.

The judgements of several tools are combined in one, with a reward.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import re
import select
import shlex
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, get_args

from hardwon.core import processes
from hardwon.core.errors import InvalidInput
from hardwon.core.processes import Finished
from hardwon.core.text.clean import clean, clip, clip_middle, one_line
from hardwon.core.values import DecodeError, from_plain
from hardwon.learn.trials import tools, values
from hardwon.learn.trials.steps import prose_of, read_steps
from hardwon.learn.trials.tools import error

_RATIONALE_KEPT = 8000
_ARGUMENT_LIMIT = 120_000  # Linux takes 128 KiB in one argument
# Without a place for the prompt, it comes on standard input.
PROFILES = {
    "claude": "claude -p --output-format stream-json --verbose --permission-mode acceptEdits",
    "codex": "codex exec --json --sandbox workspace-write --skip-git-repo-check -",
    "gemini": "gemini --approval-mode auto_edit -p {prompt}",
    "copilot": "copilot --allow-tool write -p {prompt}",
    "opencode": "opencode run {prompt}",
}
_LOOK = 0.1  # seconds between two looks for an answer
_ACCEPTED = {"", "y", "yes", "ok"}
_HOW = "Enter accepts it; otherwise say what is wrong: "


class Attempt(NamedTuple):
    """What an actor returned: its record, all its text, and the answer itself."""

    output: values.ActorOutput
    text: str = ""
    answer: Any = None


class Functions(NamedTuple):
    """The functions of a loop that is run from Python, and its progress callback."""

    actor: Callable[[Any], Any] | None = None
    evaluate: Callable[[Any], Any] | None = None
    threads: bool = False
    say: Callable[[str, values.LoopState], None] = lambda event, state: None


class Roles:
    """Acts and judges by the given functions, else by the commands in the options."""

    def __init__(self, options: values.Options, functions: Functions, *, mark: str) -> None:
        self._options = options
        self._functions = functions
        self._mark = mark
        self._cwd = options.cwd or os.getcwd()

    async def act(self, prompt: str, *, prompt_file: str) -> Attempt:
        """One attempt at the task."""
        if self._functions.actor is not None:
            return await self._call_actor(self._functions.actor, prompt)
        options = self._options
        command = PROFILES.get(options.actor.strip(), options.actor)
        is_placed = "{prompt}" in command or "{prompt_file}" in command
        ended = await processes.run(
            fill_in(command, prompt, prompt_file),
            cwd=self._cwd,
            env=os.environ,
            mark=self._mark,
            limits=processes.ProcessLimits(options.actor_seconds, options.output_bytes),
            stdin=b"" if is_placed else prompt.encode("utf-8", "replace"),
        )
        output = _output_of_program(ended, options.variant)
        return Attempt(output, clean(ended.stdout) + clean(ended.stderr), output.rationale)

    async def judge(self, attempt: Attempt) -> values.EvaluatorOutput:
        """The verdict of the function if there is one, else of the tools."""
        if self._functions.evaluate is not None:
            try:
                return judgement(await self._call(self._functions.evaluate, attempt.answer))
            except AssertionError as raised:
                return judgement(str(raised) or "an assertion failed")
        options, cwd, judged = self._options, self._cwd, []
        env = processes.scrub_environment(os.environ, passed=options.pass_env)
        limits = processes.ProcessLimits(options.verify_seconds, options.output_bytes)
        mark = f"{self._mark}/verifier"  # its own: what the actor left running stays
        for check in map(verifier, options.verify):
            if check.is_manual:
                judged.append(await review(check.command))
                continue
            ended = await processes.run(check.command, cwd=cwd, env=env, mark=mark, limits=limits)
            processes.end_marked(mark)
            judged.append(judge(check, ended, cwd=cwd))
        return combine(judged)

    async def _call_actor(self, actor: Callable[[Any], Any], prompt: str) -> Attempt:
        variant = self._options.variant
        try:
            answer = await self._call(actor, prompt)
        except Exception as raised:  # noqa: BLE001 - the actor is foreign code, its crash is a fact
            crash = f"the actor raised {type(raised).__name__}: {clip(str(raised), 300)}"
            return Attempt(values.ActorOutput(crash=crash, variant=variant), crash)
        output = _output_of_record(answer, variant)
        if output is not None:
            return Attempt(output, output.rationale, answer)
        text = "" if answer is None else str(answer)
        return Attempt(_output_of_text(text, variant), text, answer)

    async def _call(self, function: Callable[[Any], Any], argument: Any) -> Any:
        if self._functions.threads and not inspect.iscoroutinefunction(function):
            result = await asyncio.to_thread(function, argument)
        else:
            result = function(argument)
        return await result if inspect.isawaitable(result) else result


def judgement(answer: Any) -> values.EvaluatorOutput:
    """The judgement that a function's answer means.

    True or 1.0 passes; False, a smaller number, a text (what is wrong) or an exception does not.
    An `EvaluatorOutput` is returned unchanged.
    """
    if isinstance(answer, values.EvaluatorOutput):
        return answer
    if isinstance(answer, bool):
        return _by_reward(float(answer), "" if answer else "the evaluation said no")
    if isinstance(answer, int | float):
        if not 0 <= answer <= 1:
            raise InvalidInput(f"a reward is in 0 … 1, not {answer!r}")
        return _by_reward(float(answer), "" if answer == 1 else f"the reward is {answer:g}, not 1")
    if isinstance(answer, str | BaseException) and str(answer):
        return _by_reward(0.0, str(answer))
    kind = type(answer).__name__
    raise InvalidInput(
        f"evaluate must return a bool, a reward, a text or an EvaluatorOutput, not {kind}"
    )


def _by_reward(reward: float, problem: str) -> values.EvaluatorOutput:
    errors = (error("other", problem, tool="evaluate"),) if problem else ()
    return values.EvaluatorOutput(not problem, "heuristic", errors=errors, reward_signal=reward)


def fill_in(command: str, prompt: str, prompt_file: str) -> str:
    """The command with the prompt, or the file that holds it, in its place."""
    if "{prompt}" in command and len(prompt.encode("utf-8", "replace")) > _ARGUMENT_LIMIT:
        raise InvalidInput("the prompt is too long for an argument; use {prompt_file}")
    with_file = command.replace("{prompt_file}", shlex.quote(prompt_file))
    return with_file.replace("{prompt}", shlex.quote(prompt.replace("\0", "")))


def _output_of_program(ended: Finished, variant: values.Variant) -> values.ActorOutput:
    stream = read_steps(ended.stdout)
    words = prose_of(stream.words if stream else ended.stdout.strip() or ended.stderr.strip())
    crash, number = _breakdown("the actor", ended), (ended.exit_code or 0) - 128
    if not crash and ended.exit_code in _NOT_STARTED:
        crash = f"the actor did not start: {one_line(ended.stderr, 300)}"
    elif not crash and number > 0:  # as a shell reports a signal
        crash = f"the actor was ended by signal {number}"
    return values.ActorOutput(
        actions=stream.actions if stream and variant == "react" else (),
        rationale=clip_middle(words, _RATIONALE_KEPT),
        strategy=_strategy(words) or (stream.strategy if stream else ""),
        variant=variant,
        exit_code=ended.exit_code,
        duration_ms=round(ended.seconds * 1000),
        crash=crash,
    )


def _breakdown(name: str, ended: Finished) -> str:
    """Why a program did not end by itself; "" if it did."""
    if ended.timed_out:
        return f"{name} did not end within its time limit ({ended.seconds:.0f} s)"
    if ended.exit_code is None:
        return f"{name} did not start: {ended.problem}"
    return f"{name} was ended by signal {-ended.exit_code}" if ended.exit_code < 0 else ""


def _output_of_record(answer: Any, variant: values.Variant) -> values.ActorOutput | None:
    """The record that a function returned, as such or as a mapping; None for other answers."""
    if isinstance(answer, values.ActorOutput):
        return answer
    if not isinstance(answer, Mapping):
        return None
    if answer.keys() & set(values.ActorOutput._fields):
        try:
            return from_plain(values.ActorOutput, {"variant": variant, **answer})
        except DecodeError as problem:
            raise InvalidInput(f"the actor returned an invalid record: {problem}") from problem
    return _output_of_text(json.dumps(dict(answer), default=str), variant)


def _output_of_text(text: str, variant: values.Variant) -> values.ActorOutput:
    answer = clip_middle(prose_of(text), _RATIONALE_KEPT)
    action = values.Action("other", one_line(answer, 200) or "gave an empty answer")
    return values.ActorOutput((action,), answer, strategy=_strategy(answer), variant=variant)


def _strategy(text: str) -> str:
    """The line in which an actor names its strategy; "" without one."""
    match = re.search(r"(?im)^[\s#*-]{0,9}(?:strategy|plan|approach)[*]{0,2}: ?(\S.{0,500})$", text)
    return one_line(match[1].strip("* "), 500) if match else ""


async def review(question: str) -> tuple[values.VerificationResult, tools.ToolReport]:
    """The verdict of the person at standard input; InvalidInput if nobody is there to answer."""
    print(f"{question}\n{_HOW}", end="", file=sys.stderr, flush=True)
    handle, line = sys.stdin.fileno(), b""
    while not line.endswith(b"\n"):
        while not select.select([handle], [], [], 0)[0]:
            await asyncio.sleep(_LOOK)  # meanwhile the loop can be aborted
        byte = os.read(handle, 1)  # and nothing behind the line, which answers the next question
        if not byte:
            raise InvalidInput("nobody answered the review; resume the loop at a terminal")
        line += byte
    answer = clean(line.decode("utf-8", "replace")).strip()
    is_right = answer.lower() in _ACCEPTED
    status: values.Status = "pass" if is_right else "fail"
    result = values.VerificationResult(
        "review", status, stdout=answer, command=question, kind="manual_review"
    )
    return result, tools.ToolReport(() if is_right else (error("other", answer, tool="review"),))


_STREAM_KEPT = 16 * 1024
_MOST_ERRORS = 100
_SHELL_SIGNS = set("|&;<>()$`\\\"'*?[]#~=%{}\n")
_BUILTINS = {"true", "false", "test", "exit", "cd", ".", ":", "exec", "echo"}
_NOT_STARTED = {126, 127}
_QUESTION = "Is the work right?"
KINDS: dict[str, values.VerificationType] = {
    "unit": "unit_tests",
    "integration": "integration_tests",
    "types": "type_check",
    "build": "compilation",
    "api": "external_api",
    "manual": "manual_review",
    **{kind: kind for kind in get_args(values.VerificationType)},
}

WEIGHTS = {"tests": 0.5, "types": 0.3, "lint": 0.2}
_GROUPS = {"type_check": "types", "compilation": "types", "lint": "lint"}


class Verifier(NamedTuple):
    """A command that judges the work, or a question to a person."""

    command: str
    kind: values.VerificationType | None = None  # None: that of the tool

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


def judge(
    check: Verifier, ended: Finished, *, cwd: str
) -> tuple[values.VerificationResult, tools.ToolReport]:
    """One tool's verdict with what its output says."""
    output, base = clean(f"{ended.stdout}\n{ended.stderr}"), os.path.join(cwd, "")
    tool = tools.tool_of(check.command, output)
    status: values.Status = "fail" if ended.exit_code else "pass"
    if _breakdown("", ended) or ended.exit_code in _NOT_STARTED:
        status = "error"  # the tool could not judge
    report = _written_report(check.command, ended, cwd=cwd) or tools.read_report(output, tool)
    errors = report.errors if status != "pass" else ()  # a passing tool may print the word error
    if status != "pass" and not any(error.severity == "error" for error in errors):
        words = f"{tool.name} ended with exit code {ended.exit_code}"
        placeless = tools.main_message(output, tool) or error("other", words, tool=tool.name)
        if words := _breakdown(tool.name, ended):
            kind: values.ErrorType = "timeout" if ended.timed_out else "runtime_error"
            placeless = error(kind, words, tool=tool.name, trace=output[-2000:])
        errors = (*errors, placeless)
    result = values.VerificationResult(
        tool=tool.name,
        status=status,
        exit_code=ended.exit_code,
        stdout=clip_middle(clean(ended.stdout), _STREAM_KEPT),
        stderr=clip_middle(clean(ended.stderr), _STREAM_KEPT),
        duration_ms=round(ended.seconds * 1000),
        command=check.command,
        kind=check.kind or tool.kind,
    )
    own = (one._replace(file=one.file and one.file.removeprefix(base)) for one in errors)
    return result, report._replace(errors=tuple(own))


def _written_report(command: str, ended: Finished, *, cwd: str) -> tools.ToolReport | None:
    """The report in the JUnit file that the command wrote, if any."""
    option = re.search(r"--junit-?xml[= ](\S+)", command)
    if not option or ended.exit_code is None:
        return None
    try:
        with open(os.path.join(cwd, option[1].strip("'\"")), "rb") as file:
            report = tools.read_junit(file.read(8 << 20).decode("utf-8", "replace"))
    except OSError:
        return None
    return report if report.metrics.tests_total else None


def combine(
    judged: Sequence[tuple[values.VerificationResult, tools.ToolReport]],
) -> values.EvaluatorOutput:
    """The judgements of several tools as one."""
    results = tuple(result for result, _ in judged)
    errors = [error for _, report in judged for error in report.errors]
    errors.sort(key=lambda error: error.severity != "error")
    kinds = {result.kind for result in results}
    counts: dict[str, Any] = {}  # sums; of several coverages the last
    for _, report in judged:
        for name, count in report.metrics._asdict().items():
            if count is not None:
                is_share = name == "coverage_percentage"
                counts[name] = count if is_share else counts.get(name, 0) + count
    return values.EvaluatorOutput(
        passed=bool(results) and all(result.status == "pass" for result in results),
        verification_type=kinds.pop() if len(kinds) == 1 else "combined" if kinds else "heuristic",
        results=results,
        errors=tuple(errors[:_MOST_ERRORS]),
        reward_signal=reward(judged),
        metrics=values.VerificationMetrics(**counts),
    )


def reward(judged: Sequence[tuple[values.VerificationResult, tools.ToolReport]]) -> float:
    """The reward in 0 … 1; 1 exactly when everything passed, a failing tool is never perfect."""
    groups: dict[str, list[tuple[values.VerificationResult, tools.ToolReport]]] = {}
    for result, report in judged:
        groups.setdefault(_GROUPS.get(result.kind, "tests"), []).append((result, report))
    earned = 0.0
    for name, group in groups.items():
        share = float(all(result.status == "pass" for result, _ in group))
        if name == "tests":
            passed = ran = 0
            for result, report in group:
                good, of = report.metrics.tests_passed or 0, report.metrics.tests_total
                has_passed = result.status == "pass"
                if not of or (has_passed and good != of):  # a tool without counts is one test
                    good, of = int(has_passed), 1
                passed, ran = passed + good, ran + of + (not has_passed and good >= of)
            share = passed / ran
        earned += WEIGHTS[name] * share
    return round(earned / sum(WEIGHTS[name] for name in groups), 6) if groups else 0.0
