"""Records one run of an agent, for the adapters of all frameworks."""

from __future__ import annotations

import json
from typing import Any

from hardwon import Agent, Injection, Job
from hardwon.core.text.clean import as_text, clip_middle

_OUTPUT_LIMIT = 16_384


class Recorder:
    """Records a run step by step. What it returns belongs beside the result of that call."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self._task = ""
        self._failure: object = None
        self.context = ""  # the text for the start of the run: what its project has taught

    def start(self, task: str) -> str:
        """Begin a run; what its project has taught, and the lessons about its task."""
        self._task, self._failure = task, None
        blocks = self._agent.start().text, self._agent.before_turn(task).text
        self.context = "\n\n".join(filter(None, blocks))
        return self.context

    def before(self, tool: str, args: Any) -> Injection:
        """What is known about exactly this call, and whether it is denied."""
        return self._agent.before_action(tool, _arguments(args))

    def denial(self, tool: str, args: Any) -> str:
        """The result to give instead of the call: it failed here last, or is forbidden; else ""."""
        known = self.before(tool, args)
        return known.text if known.denied else ""

    def worked(self, tool: str, args: Any, output: object = "") -> str:
        """Record a call that returned; the output says whether it worked."""
        return self._record(tool, args, output, failed=None)

    def failed(self, tool: str, args: Any, error: object) -> str:
        """Record a call that failed; what worked the last time, if it is known."""
        self._failure = error
        return self._record(tool, args, error, failed=True)

    def end(self, attempt: object = "", error: object = None) -> Job | None:
        """End the run; it is queued for a lesson if something failed, or for a model to read."""
        reason = error if error is not None else self._failure
        self._failure = None
        return self._agent.after_run(task=self._task, attempt=_text(attempt), error=reason)

    def _record(self, tool: str, args: Any, output: object, *, failed: bool | None) -> str:
        return self._agent.after_action(
            tool, _arguments(args), output=_text(output), failed=failed
        ).text


def beside(result: Any, note: str) -> Any:
    """The result of a call with a note behind it; a result that is no text stays as it is."""
    return f"{result}\n\n{note}".strip() if note and isinstance(result, str) else result


def with_note(error: Exception, note: str) -> Exception:
    """The error with a note at the end of its message, which is what a model reads."""
    if note:
        error.args = (f"{error}\n\n{note}", *error.args[1:])
    return error


def _arguments(value: Any) -> Any:
    """The arguments as a value; some frameworks pass their JSON as text."""
    if not isinstance(value, str) or not value.startswith("{"):
        return value
    try:
        return json.loads(value)
    except ValueError:
        return value


def _text(value: object) -> str:
    return clip_middle(as_text(value), _OUTPUT_LIMIT)
