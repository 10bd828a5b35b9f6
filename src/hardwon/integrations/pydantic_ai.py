"""Pydantic AI: `Agent(..., capabilities=[Lessons(agent)])`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic_ai.capabilities import AbstractCapability

from hardwon.integrations.recorder import Recorder

if TYPE_CHECKING:
    from hardwon import Agent


class Lessons(AbstractCapability):  # type: ignore[misc, type-arg, unused-ignore]
    """Sees instructions, tools and the end of a run; each run gets its own."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self._run = Recorder(agent)

    async def for_run(self, ctx: Any) -> Lessons:
        """A fresh one, so that concurrent runs do not mix."""
        own = Lessons(self._agent)
        own._run.start(ctx.prompt if isinstance(ctx.prompt, str) else str(ctx.prompt or ""))
        return own

    def get_instructions(self) -> Any:
        """The lessons, asked for again before every request."""

        async def lessons(ctx: Any) -> str:
            return self._run.context

        return lessons

    async def wrap_tool_execute(
        self, ctx: Any, *, call: Any, tool_def: Any, args: Any, handler: Any
    ) -> Any:
        """A call that a guard forbids is answered by its lesson."""
        if denial := self._run.denial(call.tool_name, args):
            return denial
        try:
            result = await handler(args)
        except Exception as error:
            self._run.failed(call.tool_name, args, error)
            raise
        self._run.worked(call.tool_name, args, result)
        return result

    async def after_run(self, ctx: Any, *, result: Any) -> Any:
        """The run is over."""
        self._run.end(result.output)
        return result

    async def on_run_error(self, ctx: Any, *, error: BaseException) -> Any:
        """The run has failed, and goes on failing."""
        self._run.end(error=error)
        raise error
