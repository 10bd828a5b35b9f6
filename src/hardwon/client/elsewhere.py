"""What can only be done on the machine where the data is."""

from __future__ import annotations

from typing import Any

from hardwon.errors import InvalidInput


class _Elsewhere:
    """Stands where a handle has its engine: a verb that is not sent to the server says so."""

    def __getattr__(self, name: str) -> Any:
        raise InvalidInput("this can only be done where the server runs, not through a client")


ELSEWHERE: Any = _Elsewhere()
