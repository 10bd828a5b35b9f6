"""CrewAI: `with watching(agent): crew.kickoff()`. Its hooks are global, so one crew at a time."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from crewai.events import ToolUsageErrorEvent, ToolUsageFinishedEvent, crewai_event_bus
from crewai.hooks import register_before_llm_call_hook, unregister_before_llm_call_hook

from hardwon.integrations.recorder import Recorder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hardwon import Agent

_MARK = "[hardwon]"
_PATIENCE = 2.0  # seconds for the handlers of the latest tool call; they run in threads


@contextmanager
def watching(agent: Agent, task: str = "") -> Iterator[Recorder]:
    """Learn from the crew that runs in the block; `task` is the query for lessons."""
    run = Recorder(agent)
    run.start(task)

    def inform(context: Any) -> None:
        crewai_event_bus.flush(_PATIENCE)
        if context.messages and (lessons := run.context):
            first = context.messages[0]
            first["content"] = f"{first['content'].split(_MARK)[0].rstrip()}\n\n{_MARK}\n{lessons}"

    with crewai_event_bus.scoped_handlers():
        crewai_event_bus.on(ToolUsageErrorEvent)(
            lambda source, event: run.failed(event.tool_name, event.tool_args, event.error)
        )
        crewai_event_bus.on(ToolUsageFinishedEvent)(
            lambda source, event: run.worked(event.tool_name, event.tool_args, event.output)
        )
        register_before_llm_call_hook(inform)
        try:
            yield run
        except BaseException as error:
            run.end(error=error)
            raise
        finally:
            unregister_before_llm_call_hook(inform)
            crewai_event_bus.flush(_PATIENCE)
    run.end()
