"""smolagents: `Lessons(agent).attach(smol_agent)`, then run it as always."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from smolagents.memory import ActionStep, FinalAnswerStep

from hardwon.integrations.recorder import Recorder

if TYPE_CHECKING:
    from hardwon import Agent

    Call = tuple[str, Any]  # the tool and its arguments


class Lessons:
    """Sees every step; lessons go into the task and into the observations."""

    def __init__(self, agent: Agent) -> None:
        self._run = Recorder(agent)

    def attach(self, agent: Any) -> Any:
        """The same agent, which now records its runs."""
        agent.step_callbacks.register(ActionStep, self.on_step)
        agent.step_callbacks.register(FinalAnswerStep, self.on_end)
        original = agent.run

        def run(task: str, *args: Any, **kwargs: Any) -> Any:
            lessons = self._run.start(task)
            try:
                return original(f"{lessons}\n\n{task}" if lessons else task, *args, **kwargs)
            except BaseException as error:
                self._run.end(error=error)
                raise

        agent.run = run
        return agent

    def on_step(self, step: Any, agent: Any = None) -> None:
        """Record a step; the calls of a failed one are only in the model's message."""
        error = "" if step.error is None else str(step.error)
        calls = _calls(step) if step.error is None else _failing(_calls(step), error)
        for tool, args in calls:
            if tool == "final_answer":
                continue
            record = self._run.worked if step.error is None else self._run.failed
            lessons = record(tool, args, error or step.observations or "")
            if lessons:
                step.observations = f"{step.observations or ''}\n{lessons}".strip()

    def on_end(self, step: Any, agent: Any = None) -> None:
        """End the run."""
        self._run.end(step.output)


def _failing(calls: list[Call], error: str) -> list[Call]:
    """The call that the error names; nothing is known of the others made beside it."""
    if len(calls) == 1:
        return calls
    exact = [call for call in calls if f"'{call[0]}' with arguments {call[1]}" in error]
    named = [call for call in calls if f"'{call[0]}'" in error or f"tool {call[0]}," in error]
    return exact[:1] or (named if len(named) == 1 else [])


def _calls(step: Any) -> list[Call]:
    if step.tool_calls:
        return [(call.name, call.arguments) for call in step.tool_calls]
    calls = getattr(step.model_output_message, "tool_calls", None) or []
    return [(call.function.name, call.function.arguments) for call in calls]
