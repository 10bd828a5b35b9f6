"""Who acts and who judges: commands, or plain functions, sync or async."""

from __future__ import annotations

import asyncio
import inspect
import os
from typing import TYPE_CHECKING, Any

from hardwon.errors import InvalidInput
from hardwon.learn.trials import actors
from hardwon.learn.trials.attempt import Attempt
from hardwon.learn.trials.diagnostics import error
from hardwon.learn.trials.evaluate import verify
from hardwon.learn.trials.process import ProcessLimits
from hardwon.learn.trials.review import Reviewer
from hardwon.learn.trials.values import ActorOutput, EvaluatorOutput
from hardwon.text.clean import clip

if TYPE_CHECKING:
    from collections.abc import Callable

    from hardwon.learn.trials.prompt import Prompt
    from hardwon.learn.trials.state import Options


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
        actor_run = await actors.act(
            actors.template(options.actor),
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
        output = actors.output_of(answer, self._options.variant)
        if output is not None:
            return Attempt(output, output.rationale, answer)
        text = "" if answer is None else str(answer)
        return Attempt(actors.answered(text, self._options.variant), text, answer)

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
