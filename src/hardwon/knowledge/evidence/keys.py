"""Keys by which the same call is recognised in another run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardwon.knowledge.evidence.calls import calls_of, only_call
from hardwon.knowledge.evidence.folding import fold_numbers
from hardwon.knowledge.evidence.inner import failing_call
from hardwon.knowledge.reading.call_keys import CallKey

if TYPE_CHECKING:
    from hardwon.core.values.run import Step
    from hardwon.knowledge.evidence.calls import Call

SAME = "&"  # the grain of keys for the same call, with values of the task folded


def key_text(call: Call, task: str) -> str:
    """A call with blanks, quotes and numbers of the task folded; of a tool every value counts."""
    if call.is_tool:
        return f"{call.program} {call.text}"
    return " ".join(fold_numbers(call.text, task).replace("'", '"').split())


def same_key(call: Call, task: str) -> CallKey:
    """The key of exactly this call."""
    return CallKey.of(SAME, key_text(call, task))


def failed_key(step: Step, task: str) -> tuple[CallKey, ...]:
    """The key of the one call of a step, if that failed."""
    call = only_call(step) if step.failed else None
    return (same_key(call, task),) if call is not None and call == failing_call(step) else ()


def worked_keys(step: Step, task: str) -> tuple[CallKey, ...]:
    """The keys of the calls that a working step made."""
    return tuple(same_key(call, task) for call in calls_of(step) if not call.has_script)
