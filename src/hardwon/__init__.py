"""hardwon: an agent makes a mistake once.

hw = hardwon.open()
coder = hw.agent("coder", project="acme/api")
print(coder.before_turn("refactor pkg/auth"))
"""

__version__ = "0.2.0"

# The module of each public name, imported on first use: every hook begins with this file.
_HOMES = {
    "Agent": "api",
    "Delivery": "core.values.delivery",
    "Episode": "core.values.run",
    "Hardwon": "api",
    "HardwonError": "core.errors",
    "Injection": "core.values.delivery",
    "Job": "core.values.job",
    "Lesson": "core.values.lesson",
    "Reflection": "core.values.reflection",
    "Scope": "core.values.scope",
    "Settings": "core.settings",
    "Signature": "knowledge.reading.signature",
    "Step": "core.values.run",
    "Trigger": "core.values.run",
    "aopen": "api.aio",
    "attach": "api",
    "open": "api",
    "wrap": "integrations.clients",
}
__all__ = sorted(_HOMES)


def __getattr__(name):
    if name not in _HOMES:
        raise AttributeError(f"module 'hardwon' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"hardwon.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted((*__all__, "__version__"))
