"""smolagents: `Lessons(agent).attach(smol_agent)`, then run it as always."""

from __future__ import annotations

from typing import Any

from smolagents.memory import ActionStep, FinalAnswerStep

from hardwon import Agent
from hardwon.integrations.recorder import Recorder, beside, with_note


class Lessons:
    """Sees every call; lessons go into the task and beside the results of calls."""

    def __init__(self, agent: Agent) -> None:
        self._run = Recorder(agent)

    def attach(self, agent: Any) -> Any:
        """The same agent, which now records its runs and asks before each call of a tool."""
        agent.step_callbacks.register(FinalAnswerStep, self.on_end)
        if hasattr(agent, "execute_tool_call"):
            agent.execute_tool_call = self._watch(agent.execute_tool_call)
        else:  # an agent that writes code: its steps are calls of the interpreter
            agent.step_callbacks.register(ActionStep, self.on_step)
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

    def _watch(self, execute: Any) -> Any:
        def call(tool: str, arguments: Any) -> Any:
            if tool == "final_answer":
                return execute(tool, arguments)
            if denial := self._run.denial(tool, arguments):
                return denial
            try:
                result = execute(tool, arguments)
            except Exception as error:
                with_note(error, self._run.failed(tool, arguments, error))
                raise
            return beside(result, self._run.worked(tool, arguments, result))

        return call

    def on_step(self, step: Any, agent: Any = None) -> None:
        """Record the code that a step ran; the code of a failed one is in the model's message."""
        code = step.code_action or step.model_output or ""
        if step.error is None:
            note = self._run.worked("python_interpreter", code, step.observations or "")
        else:
            note = self._run.failed("python_interpreter", code, str(step.error))
        if note:
            step.observations = f"{step.observations or ''}\n{note}".strip()

    def on_end(self, step: Any, agent: Any = None) -> None:
        """End the run."""
        self._run.end(step.output)
