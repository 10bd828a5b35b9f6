"""What a loop's actor and judge must provide."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from hardwon.learn.trials.prompt import Prompt
    from hardwon.learn.trials.values import ActorOutput, EvaluatorOutput


class Attempt(NamedTuple):
    """What an actor returned: its record, all its text, and the answer itself."""

    output: ActorOutput
    text: str = ""
    answer: Any = None


class Roles(Protocol):
    """Who acts and who judges."""

    async def act(self, prompt: Prompt, *, prompt_file: str) -> Attempt:
        """One attempt at the task."""

    async def judge(self, attempt: Attempt) -> EvaluatorOutput:
        """The judgement on an attempt."""
