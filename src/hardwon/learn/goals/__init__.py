"""Goals: reflect when one ends, and recall that when the same or a similar goal comes."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hardwon.learn.goals.goal import Attachment, attach, process, queue_reflection
    from hardwon.learn.goals.recall import context, stored_reflections

__all__ = ["Attachment", "attach", "context", "process", "queue_reflection", "stored_reflections"]

# On first use: an agent that asks for context must not wait for the modules that end goals.
_MODULES = {
    **dict.fromkeys(("context", "stored_reflections"), "recall"),
    **dict.fromkeys(("queue_reflection", "process", "attach", "Attachment"), "goal"),
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(name)
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
