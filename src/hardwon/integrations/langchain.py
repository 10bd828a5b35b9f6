"""LangChain and LangGraph: `create_agent(..., middleware=[Lessons(agent)])`."""

from __future__ import annotations

from typing import Any

from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import SystemMessage, ToolMessage

from hardwon import Agent
from hardwon.integrations.recorder import Recorder, beside


class Lessons(AgentMiddleware):  # type: ignore[misc, type-arg, unused-ignore]
    """Sees every model and tool call, sync and async. Use one instance per concurrent run."""

    def __init__(self, agent: Agent) -> None:
        super().__init__()
        self._run = Recorder(agent)

    def before_agent(self, state: Any, runtime: Any) -> None:
        """Start the run; the latest message is its task."""
        self._run.start(_text(state["messages"][-1]))

    async def abefore_agent(self, state: Any, runtime: Any) -> None:
        self.before_agent(state, runtime)

    def wrap_model_call(self, request: Any, handler: Any) -> Any:
        """Add the start of the run at the end of the system message."""
        return handler(self._with_start(request))

    async def awrap_model_call(self, request: Any, handler: Any) -> Any:
        return await handler(self._with_start(request))

    def wrap_tool_call(self, request: Any, handler: Any) -> Any:
        """Record the call; one that failed here last, or is forbidden, is answered instead."""
        if denial := self._denial(request):
            return denial
        try:
            return self._record(request, handler(request))
        except Exception as error:
            self._crash(request, error)
            raise

    async def awrap_tool_call(self, request: Any, handler: Any) -> Any:
        if denial := self._denial(request):
            return denial
        try:
            return self._record(request, await handler(request))
        except Exception as error:
            self._crash(request, error)
            raise

    def after_agent(self, state: Any, runtime: Any) -> None:
        """End the run."""
        self._run.end(_text(state["messages"][-1]))

    async def aafter_agent(self, state: Any, runtime: Any) -> None:
        self.after_agent(state, runtime)

    def _with_start(self, request: Any) -> Any:
        if not self._run.context:
            return request
        base = _text(request.system_message) if request.system_message else ""
        text = f"{base}\n\n{self._run.context}".strip()
        return request.override(system_message=SystemMessage(text))

    def _denial(self, request: Any) -> Any:
        call = request.tool_call
        reason = self._run.denial(call["name"], call["args"])
        return reason and ToolMessage(
            reason, tool_call_id=call["id"], name=call["name"], status="error"
        )

    def _record(self, request: Any, result: Any) -> Any:
        call = request.tool_call
        failed = getattr(result, "status", "") == "error"
        record = self._run.failed if failed else self._run.worked
        note = record(call["name"], call["args"], _text(result))
        if note and isinstance(result, ToolMessage):
            return result.model_copy(update={"content": beside(result.content, note)})
        return result

    def _crash(self, request: Any, error: Exception) -> None:
        """Record the failure and end the run: the exception ends it."""
        self._run.failed(request.tool_call["name"], request.tool_call["args"], error)
        self._run.end(error=error)


def _text(message: Any) -> str:
    content = getattr(message, "content", message)
    return content if isinstance(content, str) else str(content)
