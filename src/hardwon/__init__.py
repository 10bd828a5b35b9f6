"""hardwon: an agent makes a mistake once.

hw = hardwon.open()
coder = hw.agent("coder", project="acme/api")
print(coder.before_turn("refactor pkg/auth"))
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hardwon.aio import aopen
    from hardwon.api import Agent, Hardwon, attach
    from hardwon.errors import HardwonError
    from hardwon.failures.signature import Signature
    from hardwon.opening import open
    from hardwon.settings import Settings
    from hardwon.values.delivery import Delivery, Injection
    from hardwon.values.episode import Episode, Trigger
    from hardwon.values.job import Job
    from hardwon.values.lesson import Lesson
    from hardwon.values.reflection import Reflection
    from hardwon.values.scope import Scope
    from hardwon.values.step import Step

__version__ = "0.2.0"

# The module of each public name; it is imported on first use.
_HOMES = {
    "Agent": "api",
    "Delivery": "values.delivery",
    "Episode": "values.episode",
    "Hardwon": "api",
    "HardwonError": "errors",
    "Injection": "values.delivery",
    "Job": "values.job",
    "Lesson": "values.lesson",
    "Reflection": "values.reflection",
    "Scope": "values.scope",
    "Settings": "settings",
    "Signature": "failures.signature",
    "Step": "values.episode",
    "Trigger": "values.episode",
    "aopen": "aio",
    "attach": "api",
    "open": "opening",
}
__all__ = [
    "Agent",
    "Delivery",
    "Episode",
    "Hardwon",
    "HardwonError",
    "Injection",
    "Job",
    "Lesson",
    "Reflection",
    "Scope",
    "Settings",
    "Signature",
    "Step",
    "Trigger",
    "aopen",
    "attach",
    "open",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'hardwon' has no attribute {name!r}")
    from hardwon._cold.lazy import import_module

    value = getattr(import_module(f"hardwon.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted((*__all__, "__version__"))
