"""Verbs that only work on the machine with the data."""

from __future__ import annotations

from typing import Any

from hardwon.core.errors import InvalidInput


class _LocalOnly:
    """Replaces the engine of a handle: every verb that is not sent to the server raises."""

    def __getattr__(self, name: str) -> Any:
        raise InvalidInput("this can only be done where the server runs, not through a client")


LOCAL_ONLY: Any = _LocalOnly()
