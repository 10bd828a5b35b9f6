"""OpenAI Agents SDK: hooks, a filter for the model's input, and an error function for tools.

lessons = Lessons(agent)
tool = function_tool(f, failure_error_function=lessons.on_tool_error)
Runner.run(starting_agent, task, hooks=lessons, run_config=lessons.config())
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agents import RunConfig, RunHooks, default_tool_error_function
from agents.run import ModelInputData

from hardwon.integrations.recorder import Recorder

if TYPE_CHECKING:
    from hardwon import Agent


class Lessons(RunHooks):  # type: ignore[misc, type-arg, unused-ignore]
    """Sees the run through the SDK's hooks; use one instance per concurrent run."""

    def __init__(self, agent: Agent) -> None:
        self._run = Recorder(agent)
        self._is_started = False
        self._failed_calls: set[str] = set()

    def config(self, **options: Any) -> RunConfig:
        """A RunConfig that puts the lessons before every model call."""
        return RunConfig(call_model_input_filter=self.inform, **options)

    async def inform(self, data: Any) -> ModelInputData:
        """The model's input with the lessons at the end of its instructions."""
        original = data.model_data
        if not self._is_started:
            self._is_started = True
            self._run.start(_task(original.input))
        instructions = f"{original.instructions or ''}\n\n{self._run.context}".strip()
        return ModelInputData(input=original.input, instructions=instructions)

    def on_tool_error(self, ctx: Any, error: Exception) -> str:
        """The text that the model reads instead of the exception, with what worked last time."""
        self._failed_calls.add(_identity(ctx))
        self._run.failed(
            getattr(ctx, "tool_name", "tool"), getattr(ctx, "tool_arguments", ""), error
        )
        return str(default_tool_error_function(ctx, error))

    async def on_tool_end(self, context: Any, agent: Any, tool: Any, result: object) -> None:
        """Record a call; a failed one was recorded by `on_tool_error`."""
        if _identity(context) in self._failed_calls:
            self._failed_calls.remove(_identity(context))
        else:
            self._run.worked(tool.name, getattr(context, "tool_arguments", ""), result)

    async def on_agent_end(self, context: Any, agent: Any, output: Any) -> None:
        """End the run; the next one starts from scratch."""
        self._is_started = False
        self._failed_calls.clear()
        self._run.end(output)

    def on_run_error(self, error: BaseException) -> None:
        """Call this for errors of `Runner.run` (too many turns …): the SDK has no hook for them."""
        self._is_started = False
        self._run.end(error=error)


def _identity(context: Any) -> str:
    """What tells this call from others: its id, else its arguments."""
    return str(getattr(context, "tool_call_id", "") or getattr(context, "tool_arguments", ""))


def _task(items: Any) -> str:
    """The latest message of the user."""
    if isinstance(items, str):
        return items
    contents = [item.get("content") for item in items if item.get("role") == "user"]
    return (
        contents[-1]
        if contents and isinstance(contents[-1], str)
        else str(contents[-1] if contents else "")
    )
