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
from typing import TYPE_CHECKING, Any, NamedTuple

from hardwon.core import processes
from hardwon.core.errors import InvalidInput
from hardwon.core.text.clean import clean, clip, clip_middle, one_line
from hardwon.core.values import DecodeError, from_plain
from hardwon.learn.trials.evaluate import verify
from hardwon.learn.trials.steps import prose_of, read_steps
from hardwon.learn.trials.tools import ToolReport, error
from hardwon.learn.trials.values import (
    Action,
    ActorOutput,
    EvaluatorOutput,
    Variant,
    VerificationResult,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from hardwon.core.processes import Finished
    from hardwon.learn.trials.prompt import Prompt
    from hardwon.learn.trials.values import LoopState, Options

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


class Attempt(NamedTuple):
    """What an actor returned: its record, all its text, and the answer itself."""

    output: ActorOutput
    text: str = ""
    answer: Any = None


class Functions:
    """The functions of a loop that is run from Python, and its progress callback."""

    def __init__(
        self,
        actor: Callable[[Any], Any] | None = None,
        evaluate: Callable[[Any], Any] | None = None,
        *,
        threads: bool = False,
        say: Callable[[str, LoopState], None] = lambda event, state: None,
    ) -> None:
        self.actor = actor
        self.evaluate = evaluate
        self.threads = threads
        self.say = say


class Roles:
    """Acts and judges by the given functions, else by the commands in the options."""

    def __init__(self, options: Options, functions: Functions, *, mark: str) -> None:
        self._options = options
        self._functions = functions
        self._mark = mark
        self._cwd = options.cwd or os.getcwd()
        self._reviewer = Reviewer()

    async def act(self, prompt: Prompt, *, prompt_file: str) -> Attempt:
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

    async def judge(self, attempt: Attempt) -> EvaluatorOutput:
        """The verdict of the function if there is one, else of the tools."""
        if self._functions.evaluate is not None:
            try:
                return judgement(await self._call(self._functions.evaluate, attempt.answer))
            except AssertionError as raised:
                return judgement(str(raised) or "an assertion failed")
        options = self._options
        return await verify(
            options.verify,
            cwd=self._cwd,
            mark=self._mark,
            limits=processes.ProcessLimits(options.verify_seconds, options.output_bytes),
            reviewer=self._reviewer,
            passed_env=options.pass_env,
        )

    async def _call_actor(self, actor: Callable[[Any], Any], prompt: Prompt) -> Attempt:
        variant = self._options.variant
        try:
            answer = await self._call(actor, prompt)
        except Exception as raised:  # noqa: BLE001 - the actor is foreign code, its crash is a fact
            crash = f"the actor raised {type(raised).__name__}: {clip(str(raised), 300)}"
            return Attempt(ActorOutput(crash=crash, variant=variant), crash)
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


def judgement(answer: Any) -> EvaluatorOutput:
    """The judgement that a function's answer means.

    True or 1.0 passes; False, a smaller number, a text (what is wrong) or an exception does not.
    An `EvaluatorOutput` is returned unchanged.
    """
    if isinstance(answer, EvaluatorOutput):
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


def _by_reward(reward: float, problem: str) -> EvaluatorOutput:
    errors = (error("other", problem, tool="evaluate"),) if problem else ()
    return EvaluatorOutput(not problem, "heuristic", errors=errors, reward_signal=reward)


def fill_in(command: str, prompt: str, prompt_file: str) -> str:
    """The command with the prompt, or the file that holds it, in its place."""
    if "{prompt}" in command and len(prompt.encode("utf-8", "replace")) > _ARGUMENT_LIMIT:
        raise InvalidInput("the prompt is too long for an argument; use {prompt_file}")
    with_file = command.replace("{prompt_file}", shlex.quote(prompt_file))
    return with_file.replace("{prompt}", shlex.quote(prompt.replace("\0", "")))


def _output_of_program(ended: Finished, variant: Variant) -> ActorOutput:
    stream = read_steps(ended.stdout)
    words = prose_of(stream.words if stream else ended.stdout.strip() or ended.stderr.strip())
    return ActorOutput(
        actions=stream.actions if stream and variant == "react" else (),
        rationale=clip_middle(words, _RATIONALE_KEPT),
        strategy=_strategy(words) or (stream.strategy if stream else ""),
        variant=variant,
        exit_code=ended.exit_code,
        duration_ms=round(ended.seconds * 1000),
        crash=_crash(ended),
    )


def _crash(ended: Finished) -> str:
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


def _output_of_record(answer: Any, variant: Variant) -> ActorOutput | None:
    """The record that a function returned, as such or as a mapping; None for other answers."""
    if isinstance(answer, ActorOutput):
        return answer
    if not isinstance(answer, Mapping):
        return None
    if answer.keys() & set(ActorOutput._fields):
        try:
            return from_plain(ActorOutput, {"variant": variant, **answer})
        except DecodeError as problem:
            raise InvalidInput(f"the actor returned an invalid record: {problem}") from problem
    return _output_of_text(json.dumps(dict(answer), default=str), variant)


def _output_of_text(text: str, variant: Variant) -> ActorOutput:
    answer = clip_middle(prose_of(text), _RATIONALE_KEPT)
    action = Action("other", one_line(answer, 200) or "gave an empty answer")
    return ActorOutput((action,), answer, strategy=_strategy(answer), variant=variant)


def _strategy(text: str) -> str:
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
