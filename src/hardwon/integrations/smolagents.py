"""smolagents: `Lessons(agent).attach(smol_agent)`, then run it as always."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from smolagents.memory import ActionStep, FinalAnswerStep

from hardwon.integrations.recorder import Recorder

if TYPE_CHECKING:
    from hardwon import Agent


class Lessons:
    """Sees every step; what is known goes into the task and into the observations."""

    def __init__(self, agent: Agent) -> None:
        self._run = Recorder(agent)

    def attach(self, agent: Any) -> Any:
        """The same agent, which learns from now on."""
        agent.step_callbacks.register(ActionStep, self.on_step)
        agent.step_callbacks.register(FinalAnswerStep, self.on_end)
        original = agent.run

        def run(task: str, *args: Any, **kwargs: Any) -> Any:
            known = self._run.start(task)
            try:
                return original(f"{known}\n\n{task}" if known else task, *args, **kwargs)
            except BaseException as error:
                self._run.end(error=error)
                raise

        agent.run = run
        return agent

    def on_step(self, step: Any, agent: Any = None) -> None:
        """A step is over; the calls of one that failed stand only in the model's message."""
        failed = step.error is not None
        for tool, args in _calls(step):
            if tool == "final_answer":
                continue
            tell = self._run.failed if failed else self._run.worked
            known = tell(tool, args, str(step.error) if failed else step.observations or "")
            if known:
                step.observations = f"{step.observations or ''}\n{known}".strip()

    def on_end(self, step: Any, agent: Any = None) -> None:
        """The run is over."""
        self._run.end(step.output)


def _calls(step: Any) -> list[tuple[str, Any]]:
    if step.tool_calls:
        return [(call.name, call.arguments) for call in step.tool_calls]
    calls = getattr(step.model_output_message, "tool_calls", None) or []
    return [(call.function.name, call.function.arguments) for call in calls]
