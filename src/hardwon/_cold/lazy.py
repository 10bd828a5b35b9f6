"""Modules that are imported on first use: a hook only pays for what it calls.

if TYPE_CHECKING:
    from hardwon.pipeline import capture
else:
    capture = lazy("hardwon.pipeline.capture")
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # `typing` costs a cold process a tenth of its time
if TYPE_CHECKING:
    from typing import Any


def import_module(name: str) -> Any:
    """The module of this full name; `importlib` would also import `warnings`."""
    __import__(name)
    return sys.modules[name]


class lazy:  # noqa: N801 - reads like a statement where it is used
    """Stands for a module, which is imported when one of its names is used."""

    def __init__(self, module: str) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        value = getattr(import_module(self._module), name)
        setattr(self, name, value)
        return value
