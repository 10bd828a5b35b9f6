"""Actors: any command that takes a prompt, with ready profiles for known agents."""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from hardwon.errors import InvalidInput
from hardwon.learn.trials import process
from hardwon.learn.trials.codec import Misfit, from_json
from hardwon.learn.trials.prose import prose_of
from hardwon.learn.trials.steps import reported
from hardwon.learn.trials.values import Action, ActorOutput, Variant
from hardwon.text.clean import clean, clip_middle, one_line

if TYPE_CHECKING:
    from hardwon.learn.trials.process import Finished, ProcessLimits

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
