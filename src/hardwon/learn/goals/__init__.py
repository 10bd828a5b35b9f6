"""Goals: reflect when one ends, and recall that when the same or a similar goal comes."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hardwon.learn.goals.goal import ended, process
    from hardwon.learn.goals.orchestrators import Attachment, attach
    from hardwon.learn.goals.recall import context, kept

__all__ = ["Attachment", "attach", "context", "ended", "kept", "process"]

# On first use: an agent that asks for context must not wait for the modules that end goals.
_MODULES = {
    **dict.fromkeys(("context", "kept"), "recall"),
    **dict.fromkeys(("ended", "process"), "goal"),
    **dict.fromkeys(("attach", "Attachment"), "orchestrators"),
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(name)
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
