"""Records one run of an agent, for the adapters of all frameworks."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from hardwon.core.text.clean import as_text, clip_middle

if TYPE_CHECKING:
    from hardwon import Agent, Injection, Job

_OUTPUT_LIMIT = 16_384
_KEPT = 2  # blocks about failures to keep in the context


class Recorder:
    """Records a run step by step, and collects the lessons for the model."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self._task = ""
        self._turn = ""
        self._since: list[str] = []
        self._failure: object = None

    def start(self, task: str) -> str:
        """Begin a run; what its project has taught, and the lessons about its task."""
        self._task, self._since, self._failure = task, [], None
        told = self._agent.start().text, self._agent.before_turn(task).text
        self._turn = "\n\n".join(filter(None, told))
        return self._turn

    @property
    def context(self) -> str:
        """The text to put before the model now: lessons on the task and on recent failures."""
        return "\n\n".join(filter(None, (self._turn, *self._since[-_KEPT:])))

    def before(self, tool: str, args: Any) -> Injection:
        """What is known about exactly this call, and whether it is denied."""
        return self._agent.before_action(tool, _arguments(args))

    def denial(self, tool: str, args: Any) -> str:
        """Why this call is not made: it failed here last, or is forbidden; "" if it may be."""
        injection = self.before(tool, args)
        return injection.text if injection.denied else ""

    def worked(self, tool: str, args: Any, output: object = "") -> str:
        """Record a call that worked; a warning if the run goes in circles."""
        return self._note(self._agent.after_action(tool, _arguments(args), output=_words(output)))

    def failed(self, tool: str, args: Any, error: object) -> str:
        """Record a call that failed; what worked the last time, if it is known."""
        self._failure = error
        return self._note(
            self._agent.after_action(tool, _arguments(args), output=_words(error), failed=True)
        )

    def end(self, attempt: object = "", error: object = None) -> Job | None:
        """End the run; it is queued for a lesson if something failed, or for a model to read."""
        reason = error if error is not None else self._failure
        self._failure = None
        return self._agent.after_run(task=self._task, attempt=_words(attempt), error=reason)

    def _note(self, injection: Injection) -> str:
        if injection:
            self._since.append(injection.text)
        return injection.text


def _arguments(value: Any) -> Any:
    """The arguments as a value; some frameworks pass their JSON as text."""
    if not isinstance(value, str) or not value.startswith("{"):
        return value
    try:
        return json.loads(value)
    except ValueError:
        return value


def _words(value: object) -> str:
    return clip_middle(as_text(value), _OUTPUT_LIMIT)
