"""LangChain and LangGraph: `create_agent(..., middleware=[Lessons(agent)])`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import SystemMessage, ToolMessage

from hardwon.integrations.recorder import Recorder

if TYPE_CHECKING:
    from hardwon import Agent


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
        """Add the lessons at the end of the system message."""
        return handler(self._informed(request))

    async def awrap_model_call(self, request: Any, handler: Any) -> Any:
        return await handler(self._informed(request))

    def wrap_tool_call(self, request: Any, handler: Any) -> Any:
        """Record the call; a call that a guard forbids is answered by its lesson."""
        if denied := self._denied(request):
            return denied
        try:
            return self._recorded(request, handler(request))
        except Exception as error:
            self._crashed(request, error)
            raise

    async def awrap_tool_call(self, request: Any, handler: Any) -> Any:
        if denied := self._denied(request):
            return denied
        try:
            return self._recorded(request, await handler(request))
        except Exception as error:
            self._crashed(request, error)
            raise

    def after_agent(self, state: Any, runtime: Any) -> None:
        """End the run."""
        self._run.end(_text(state["messages"][-1]))

    async def aafter_agent(self, state: Any, runtime: Any) -> None:
        self.after_agent(state, runtime)

    def _informed(self, request: Any) -> Any:
        context = self._run.context
        if not context:
            return request
        base = _text(request.system_message) if request.system_message else ""
        return request.override(system_message=SystemMessage(f"{base}\n\n{context}".strip()))

    def _denied(self, request: Any) -> Any:
        call = request.tool_call
        reason = self._run.denial(call["name"], call["args"])
        if not reason:
            return None
        return ToolMessage(reason, tool_call_id=call["id"], name=call["name"], status="error")

    def _recorded(self, request: Any, result: Any) -> Any:
        call = request.tool_call
        failed = getattr(result, "status", "") == "error"
        record = self._run.failed if failed else self._run.worked
        record(call["name"], call["args"], _text(result))
        return result

    def _crashed(self, request: Any, error: Exception) -> None:
        """Record the failure and end the run: the exception ends it."""
        self._run.failed(request.tool_call["name"], request.tool_call["args"], error)
        self._run.end(error=error)


def _text(message: Any) -> str:
    content = getattr(message, "content", message)
    return content if isinstance(content, str) else str(content)
