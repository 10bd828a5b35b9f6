"""CrewAI: `with watching(agent): crew.kickoff()`. Its hooks are global, so one crew at a time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from crewai import hooks
from crewai.events import ToolUsageErrorEvent, crewai_event_bus

from hardwon import Agent
from hardwon.integrations.recorder import Recorder, beside

_PATIENCE = 2.0  # seconds for the handlers of the latest tool call; they run in threads


@contextmanager
def watching(agent: Agent, task: str = "") -> Iterator[Recorder]:
    """Learn from the crew that runs in the block; `task` is the query for lessons."""
    crew = _Crew(Recorder(agent))
    crew.run.start(task)
    with ExitStack() as stack:
        stack.callback(crewai_event_bus.flush, _PATIENCE)
        stack.enter_context(crewai_event_bus.scoped_handlers())
        crewai_event_bus.on(ToolUsageErrorEvent)(crew.note_error)
        hooks.register_before_llm_call_hook(crew.inform)
        stack.callback(hooks.unregister_before_llm_call_hook, crew.inform)
        hooks.register_before_tool_call_hook(crew.check_call)
        stack.callback(hooks.unregister_before_tool_call_hook, crew.check_call)
        hooks.register_after_tool_call_hook(crew.record)
        stack.callback(hooks.unregister_after_tool_call_hook, crew.record)
        try:
            yield crew.run
        except BaseException as error:
            crew.run.end(error=error)
            raise
    crew.run.end()


class _Crew:
    """What the hooks of CrewAI call."""

    def __init__(self, run: Recorder) -> None:
        self.run = run
        self._denial = ""
        self._errors: list[object] = []

    def inform(self, context: Any) -> None:
        """Put the start of the run behind the first message."""
        start = self.run.context
        if start and context.messages and start not in context.messages[0]["content"]:
            first = context.messages[0]
            first["content"] = f"{first['content']}\n\n{start}"

    def check_call(self, context: Any) -> bool | None:
        """False stops a call that failed here last, or is forbidden; `record` answers it."""
        self._denial = self.run.denial(context.tool_name, context.tool_input)
        return False if self._denial else None

    def note_error(self, source: object, event: Any) -> None:
        """Keep the error of a call until its result is recorded."""
        self._errors.append(event.error)

    def record(self, context: Any) -> str | None:
        """Record the call; the result with what is known about it."""
        if self._denial:
            return self._denial
        crewai_event_bus.flush(_PATIENCE)
        errors, self._errors = self._errors, []
        record = self.run.failed if errors else self.run.worked
        output = errors[-1] if errors else context.tool_result
        note = record(context.tool_name, context.tool_input, output)
        return str(beside(str(context.tool_result), note)) if note else None
