"""OpenAI Agents SDK: hooks, a filter for the model's input, and tools that ask first.

lessons = Lessons(agent)
starting_agent = Agent(..., tools=[lessons.tool(f)])
Runner.run(starting_agent, task, hooks=lessons, run_config=lessons.config())
"""

from __future__ import annotations

from typing import Any

import agents
from agents.run import ModelInputData

from hardwon import Agent
from hardwon.integrations.recorder import Recorder, beside


class Lessons(agents.RunHooks):  # type: ignore[misc, type-arg, unused-ignore]
    """Sees the run through the SDK's hooks; use one instance per concurrent run."""

    def __init__(self, agent: Agent) -> None:
        self._run = Recorder(agent)
        self._is_started = False
        self._settled: set[str] = set()  # calls that failed or were denied
        self._notes: dict[str, str] = {}  # what stands beside the output of a call

    def config(self, **options: Any) -> agents.RunConfig:
        """A RunConfig that puts the start before the model, and notes beside outputs."""
        return agents.RunConfig(call_model_input_filter=self.inform, **options)

    def tool(self, function: Any, **options: Any) -> agents.FunctionTool:
        """A function tool that asks before each call and tells its failures what worked before."""
        guard = agents.ToolInputGuardrail(guardrail_function=self.check_call)
        return agents.function_tool(
            function,
            failure_error_function=self.on_tool_error,
            tool_input_guardrails=[guard],
            **options,
        )

    def check_call(self, data: Any) -> agents.ToolGuardrailFunctionOutput:
        """Answer a call that failed here last, or is forbidden, without making it."""
        denial = self._run.denial(data.context.tool_name, data.context.tool_arguments)
        if not denial:
            return agents.ToolGuardrailFunctionOutput.allow()
        self._settled.add(_identity(data.context))
        return agents.ToolGuardrailFunctionOutput.reject_content(denial)

    async def inform(self, data: Any) -> ModelInputData:
        """The model's input: the start after its instructions, notes behind outputs."""
        original = data.model_data
        if not self._is_started:
            self._is_started = True
            self._run.start(_task(original.input))
        instructions = f"{original.instructions or ''}\n\n{self._run.context}".strip()
        return ModelInputData(input=self._with_notes(original.input), instructions=instructions)

    def on_tool_error(self, ctx: Any, error: Exception) -> str:
        """The text that the model reads instead of the exception, with what worked last time."""
        self._settled.add(_identity(ctx))
        tool, args = getattr(ctx, "tool_name", "tool"), getattr(ctx, "tool_arguments", "")
        note = self._run.failed(tool, args, error)
        return str(beside(str(agents.default_tool_error_function(ctx, error)), note))

    async def on_tool_end(self, context: Any, agent: Any, tool: Any, result: object) -> None:
        """Record a call; a failed one was recorded by `on_tool_error`."""
        identity = _identity(context)
        if identity in self._settled:
            self._settled.remove(identity)
        elif note := self._run.worked(tool.name, getattr(context, "tool_arguments", ""), result):
            self._notes[identity] = note

    async def on_agent_end(self, context: Any, agent: Any, output: Any) -> None:
        """End the run; the next one starts from scratch."""
        self._end(output)

    def on_run_error(self, error: BaseException) -> None:
        """Call this for errors of `Runner.run` (too many turns …): the SDK has no hook for them."""
        self._end(error=error)

    def _end(self, output: object = "", error: object = None) -> None:
        self._is_started = False
        self._settled.clear()
        self._notes.clear()
        self._run.end(output, error)

    def _with_notes(self, items: Any) -> Any:
        if not self._notes or isinstance(items, str):
            return items
        return [
            {**item, "output": beside(item["output"], self._notes.get(item["call_id"], ""))}
            if item.get("type") == "function_call_output"
            else item
            for item in items
        ]


def _identity(context: Any) -> str:
    """What tells this call from others: its id, else its arguments."""
    return str(getattr(context, "tool_call_id", "") or getattr(context, "tool_arguments", ""))


def _task(items: Any) -> str:
    """The latest message of the user."""
    if isinstance(items, str):
        return items
    contents = [item.get("content") for item in items if item.get("role") == "user"]
    return str(contents[-1]) if contents else ""
