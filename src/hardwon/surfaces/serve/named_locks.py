"""Locks by name, kept only while they are in use."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


class NamedLocks:
    """`async with locks(name):` lets one task at a time into the block of a name."""

    def __init__(self) -> None:
        self._taken: dict[str, tuple[asyncio.Lock, int]] = {}

    @asynccontextmanager
    async def __call__(self, name: str) -> AsyncIterator[None]:
        lock, waiting = self._taken.get(name, (asyncio.Lock(), 0))
        self._taken[name] = lock, waiting + 1
        try:
            async with lock:
                yield
        finally:
            lock, waiting = self._taken.pop(name)
            if waiting > 1:
                self._taken[name] = lock, waiting - 1
