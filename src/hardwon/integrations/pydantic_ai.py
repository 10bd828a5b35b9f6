"""Pydantic AI: `Agent(..., capabilities=[Lessons(agent)])`."""

from __future__ import annotations

from typing import Any

from pydantic_ai import ModelRetry
from pydantic_ai.capabilities import AbstractCapability

from hardwon import Agent
from hardwon.integrations.recorder import Recorder, beside


class Lessons(AbstractCapability):  # type: ignore[misc, type-arg, unused-ignore]
    """Adds the start to the instructions and records calls; each run gets its own instance."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self._run = Recorder(agent)

    async def for_run(self, ctx: Any) -> Lessons:
        """A new instance, so that concurrent runs do not mix."""
        instance = Lessons(self._agent)
        instance._run.start(ctx.prompt if isinstance(ctx.prompt, str) else str(ctx.prompt or ""))
        return instance

    def get_instructions(self) -> Any:
        """What the project has taught."""

        async def lessons(ctx: Any) -> str:
            return self._run.context

        return lessons

    async def wrap_tool_execute(
        self, ctx: Any, *, call: Any, tool_def: Any, args: Any, handler: Any
    ) -> Any:
        """Record the call; one that failed here last, or is forbidden, is answered instead."""
        if denial := self._run.denial(call.tool_name, args):
            return denial
        try:
            result = await handler(args)
        except Exception as error:
            note = self._run.failed(call.tool_name, args, error)
            if note and isinstance(error, ModelRetry):
                raise ModelRetry(beside(error.message, note)) from error
            raise
        return beside(result, self._run.worked(call.tool_name, args, result))

    async def after_run(self, ctx: Any, *, result: Any) -> Any:
        """End the run."""
        self._run.end(result.output)
        return result

    async def on_run_error(self, ctx: Any, *, error: BaseException) -> Any:
        """End the run with its error, and raise the error again."""
        self._run.end(error=error)
        raise error
