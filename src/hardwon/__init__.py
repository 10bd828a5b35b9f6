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
    from hardwon.domain.delivery import Delivery, Injection
    from hardwon.domain.episode import Episode, Step, Trigger
    from hardwon.domain.job import Job
    from hardwon.domain.lesson import Lesson
    from hardwon.domain.reflection import Reflection
    from hardwon.domain.scope import Scope
    from hardwon.domain.signature import Signature
    from hardwon.errors import HardwonError
    from hardwon.face import Agent, Hardwon, attach, open
    from hardwon.settings import Settings

__version__ = "0.1.0"

# Where each public name lives; it is imported when it is first asked for.
_HOMES = {
    "Agent": "face",
    "Delivery": "domain.delivery",
    "Episode": "domain.episode",
    "Hardwon": "face",
    "HardwonError": "errors",
    "Injection": "domain.delivery",
    "Job": "domain.job",
    "Lesson": "domain.lesson",
    "Reflection": "domain.reflection",
    "Scope": "domain.scope",
    "Settings": "settings",
    "Signature": "domain.signature",
    "Step": "domain.episode",
    "Trigger": "domain.episode",
    "aopen": "aio",
    "attach": "face",
    "open": "face",
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
    from hardwon._lazy import import_module

    value = getattr(import_module(f"hardwon.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted((*__all__, "__version__"))
