"""Who acts and who judges: commands, plain functions, sync or async, or a person."""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import re
import shlex
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from hardwon.core.errors import InvalidInput
from hardwon.core.text.clean import clean, clip, clip_middle, one_line
from hardwon.learn.trials import process
from hardwon.learn.trials.codec import Misfit, from_json
from hardwon.learn.trials.diagnostics import ToolReport, error
from hardwon.learn.trials.evaluate import verify
from hardwon.learn.trials.process import ProcessLimits
from hardwon.learn.trials.steps import prose_of, reported
from hardwon.learn.trials.values import (
    Action,
    ActorOutput,
    EvaluatorOutput,
    Variant,
    VerificationResult,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from hardwon.learn.trials.process import Finished, ProcessLimits
    from hardwon.learn.trials.prompt import Prompt
    from hardwon.learn.trials.state import Options
    from hardwon.learn.trials.values import ActorOutput, EvaluatorOutput

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
_ACCEPTED = {"", "y", "yes", "ok"}
_HOW = "Enter accepts it; otherwise say what is wrong: "
_CHUNK = 4096


class ConfiguredRoles:
    """Acts and judges by the given functions, else by the commands in the options."""

    def __init__(
        self,
        options: Options,
        *,
        mark: str,
        actor: Callable[[Any], Any] | None = None,
        evaluate: Callable[[Any], Any] | None = None,
        threads: bool = False,
    ) -> None:
        self._options = options
        self._mark = mark
        self._actor = actor
        self._evaluate = evaluate
        self._threads = threads
        self._cwd = options.cwd or os.getcwd()
        self._reviewer = Reviewer()

    async def act(self, prompt: Prompt, *, prompt_file: str) -> Attempt:
        """One attempt at the task."""
        if self._actor is not None:
            return await self._call_actor(prompt)
        options = self._options
        actor_run = await act(
            template(options.actor),
            prompt,
            prompt_file=prompt_file,
            cwd=self._cwd,
            mark=self._mark,
            limits=ProcessLimits(options.actor_seconds, options.output_bytes),
            variant=options.variant,
        )
        return Attempt(actor_run.output, actor_run.text, actor_run.output.rationale)

    async def judge(self, attempt: Attempt) -> EvaluatorOutput:
        """The verdict of the function if there is one, else of the tools."""
        if self._evaluate is not None:
            return await self._call_evaluate(attempt.answer)
        options = self._options
        return await verify(
            options.verify,
            cwd=self._cwd,
            mark=self._mark,
            limits=ProcessLimits(options.verify_seconds, options.output_bytes),
            reviewer=self._reviewer,
            passed_env=options.pass_env,
        )

    async def _call_actor(self, prompt: Prompt) -> Attempt:
        assert self._actor is not None
        try:
            answer = await self._call(self._actor, prompt)
        except Exception as raised:  # noqa: BLE001 - the actor is foreign code, its crash is a fact
            crash = f"the actor raised {type(raised).__name__}: {clip(str(raised), 300)}"
            return Attempt(ActorOutput(crash=crash, variant=self._options.variant), crash)
        output = output_of(answer, self._options.variant)
        if output is not None:
            return Attempt(output, output.rationale, answer)
        text = "" if answer is None else str(answer)
        return Attempt(answered(text, self._options.variant), text, answer)

    async def _call_evaluate(self, answer: Any) -> EvaluatorOutput:
        assert self._evaluate is not None
        try:
            return judgement(await self._call(self._evaluate, answer))
        except AssertionError as raised:
            return judgement(str(raised) or "an assertion failed")

    async def _call(self, function: Callable[[Any], Any], argument: Any) -> Any:
        if self._threads and not inspect.iscoroutinefunction(function):
            result = await asyncio.to_thread(function, argument)
        else:
            result = function(argument)
        return await result if inspect.isawaitable(result) else result


def judgement(answer: Any) -> EvaluatorOutput:
    """The judgement that a function's answer means.

    True or 1.0 passes; False, a smaller number, a text (what is wrong) or an exception does not.
    An `EvaluatorOutput` is returned unchanged.
    """
    if isinstance(answer, EvaluatorOutput):
        return answer
    if isinstance(answer, bool):
        return _plain(float(answer), "" if answer else "the evaluation said no")
    if isinstance(answer, int | float):
        if not 0 <= answer <= 1:
            raise InvalidInput(f"a reward is in 0 … 1, not {answer!r}")
        return _plain(float(answer), "" if answer == 1 else f"the reward is {answer:g}, not 1")
    if isinstance(answer, str | BaseException) and str(answer):
        return _plain(0.0, str(answer))
    kind = type(answer).__name__
    raise InvalidInput(
        f"evaluate must return a bool, a reward, a text or an EvaluatorOutput, not {kind}"
    )


def _plain(reward: float, problem: str) -> EvaluatorOutput:
    errors = (error("other", problem, tool="evaluate"),) if problem else ()
    return EvaluatorOutput(not problem, "heuristic", errors=errors, reward_signal=reward)


class Attempt(NamedTuple):
    """What an actor returned: its record, all its text, and the answer itself."""

    output: ActorOutput
    text: str = ""
    answer: Any = None


class Roles(Protocol):
    """Who acts and who judges."""

    async def act(self, prompt: Prompt, *, prompt_file: str) -> Attempt:
        """One attempt at the task."""

    async def judge(self, attempt: Attempt) -> EvaluatorOutput:
        """The judgement on an attempt."""


class ActorRun(NamedTuple):
    """What the actor did, and everything it printed."""

    output: ActorOutput
    text: str


def template(actor: str) -> str:
    """The command of a profile, or the command itself."""
    command = PROFILES.get(actor.strip(), actor)
    if not command.strip():
        raise InvalidInput("the actor is empty: give a command, or one of " + ", ".join(PROFILES))
    return command


async def act(
    command: str,
    prompt: str,
    *,
    prompt_file: str,
    cwd: str,
    mark: str,
    limits: ProcessLimits,
    variant: Variant,
) -> ActorRun:
    """Run the actor on a prompt."""
    placed = "{prompt}" in command or "{prompt_file}" in command
    line = filled(command, prompt, prompt_file)
    stdin = b"" if placed else prompt.encode("utf-8", "replace")
    ended = await process.run(line, cwd=cwd, env=os.environ, mark=mark, limits=limits, stdin=stdin)
    return ActorRun(_output(ended, variant), clean(ended.stdout) + clean(ended.stderr))


def filled(command: str, prompt: str, prompt_file: str) -> str:
    """The command with the prompt, or the file that holds it, in its place."""
    if "{prompt}" in command and len(prompt.encode("utf-8", "replace")) > _ARGUMENT_LIMIT:
        raise InvalidInput("the prompt is too long for an argument; use {prompt_file}")
    filled_in = command.replace("{prompt_file}", shlex.quote(prompt_file))
    return filled_in.replace("{prompt}", shlex.quote(prompt.replace("\0", "")))


def _output(ended: Finished, variant: Variant) -> ActorOutput:
    stream = reported(ended.stdout)
    words = prose_of(stream.words if stream else ended.stdout.strip() or ended.stderr.strip())
    return ActorOutput(
        actions=stream.actions if stream and variant == "react" else (),
        rationale=clip_middle(words, _RATIONALE_KEPT),
        strategy=stated_strategy(words) or (stream.strategy if stream else ""),
        variant=variant,
        exit_code=ended.exit_code,
        duration_ms=round(ended.seconds * 1000),
        crash=crash(ended),
    )


def crash(ended: Finished) -> str:
    """Why this run is a critical error; "" if the actor ended by itself."""
    if ended.timed_out:
        return f"the actor did not end within its time limit ({ended.seconds:.0f} s)"
    if ended.exit_code is None:
        return f"the actor did not start: {ended.problem}"
    if ended.exit_code < 0 or ended.exit_code > 128:
        number = -ended.exit_code if ended.exit_code < 0 else ended.exit_code - 128
        return f"the actor was ended by signal {number}"
    if ended.exit_code in (126, 127):
        return f"the actor did not start: {one_line(ended.stderr, 300)}"
    return ""


def output_of(answer: Any, variant: Variant) -> ActorOutput | None:
    """The record that a function returned, as such or as a mapping; None for other answers."""
    if isinstance(answer, ActorOutput):
        return answer
    if not isinstance(answer, Mapping):
        return None
    if answer.keys() & set(ActorOutput._fields):
        try:
            return from_json(ActorOutput, {"variant": variant, **answer})
        except Misfit as problem:
            raise InvalidInput(f"the actor returned an invalid record: {problem}") from problem
    return answered(json.dumps(dict(answer), default=str), variant)


def answered(text: str, variant: Variant) -> ActorOutput:
    """The answer of a function as an attempt."""
    answer = clip_middle(prose_of(text), _RATIONALE_KEPT)
    action = Action("other", one_line(answer, 200) or "gave an empty answer")
    strategy = stated_strategy(answer)
    return ActorOutput(actions=(action,), rationale=answer, strategy=strategy, variant=variant)


def stated_strategy(text: str) -> str:
    """The line in which an actor names its strategy; "" without one."""
    match = re.search(r"(?im)^[\s#*-]{0,9}(?:strategy|plan|approach)[*]{0,2}: ?(\S.{0,500})$", text)
    return one_line(match[1].strip("* "), 500) if match else ""


class Reviewer:
    """Asks the person at standard input; one line is one answer."""

    def __init__(self) -> None:
        self._unread = b""

    async def review(self, question: str) -> tuple[VerificationResult, ToolReport]:
        """The person's verdict; InvalidInput if nobody is there to answer."""
        print(f"{question}\n{_HOW}", end="", file=sys.stderr, flush=True)
        answer = clean((await self._line()).decode("utf-8", "replace")).strip()
        is_right = answer.lower() in _ACCEPTED
        result = VerificationResult(
            "review", "pass" if is_right else "fail", stdout=answer, command=question,
            kind="manual_review",
        )  # fmt: skip
        return result, ToolReport(() if is_right else (error("other", answer, tool="review"),))

    async def _line(self) -> bytes:
        handle = sys.stdin.fileno()
        while b"\n" not in self._unread:
            await _readable(handle)
            chunk = os.read(handle, _CHUNK)
            if not chunk:
                raise InvalidInput("nobody answered the review; resume the loop at a terminal")
            self._unread += chunk
        line, _, self._unread = self._unread.partition(b"\n")
        return line


async def _readable(handle: int) -> None:
    """Wait until a person has answered; the event loop goes on, so the loop can be aborted."""
    loop, answered = asyncio.get_running_loop(), asyncio.Event()
    try:
        loop.add_reader(handle, answered.set)
    except PermissionError:  # a plain file, which can always be read
        return
    try:
        await answered.wait()
    finally:
        loop.remove_reader(handle)
