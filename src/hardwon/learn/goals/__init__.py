"""Goals: reflect when one ends, and recall that when the same or a similar goal comes."""

from typing import TYPE_CHECKING, Any

from hardwon._cold.lazy import lazy

if TYPE_CHECKING:
    from hardwon.learn.goals.goal import ended, process
    from hardwon.learn.goals.orchestrators import Attachment, attach
    from hardwon.learn.goals.recall import context, kept

__all__ = ["Attachment", "attach", "context", "ended", "kept", "process"]

# On first use: an agent that asks for context must not wait for the modules that end goals.
_reading, _ending = lazy("hardwon.learn.goals.recall"), lazy("hardwon.learn.goals.goal")
_attaching = lazy("hardwon.learn.goals.orchestrators")
_MODULES = {
    **dict.fromkeys(("context", "kept"), _reading),
    **dict.fromkeys(("ended", "process"), _ending),
    **dict.fromkeys(("attach", "Attachment"), _attaching),
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(name)
    return getattr(_MODULES[name], name)
