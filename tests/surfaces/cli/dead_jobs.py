"""Jobs that were given up."""

from __future__ import annotations

from hardwon.core.errors import PermanentError
from hardwon.storage.ports import Reply, Request


class Refusing:
    """A model that never answers."""

    name = "refusing"

    async def complete(self, request: Request) -> Reply:
        raise PermanentError("no recognized blocks")
