"""The same methods for asyncio, by one generic wrapper."""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from typing import Any

from hardwon import api

_AT_ONCE = {"agent", "tenant"}  # these return a handle and need no thread


class Async:
    """Wraps a handle: its calls run in a thread and are awaited."""

    def __init__(self, handle: Any) -> None:
        self._handle = handle

    def __getattr__(self, name: str) -> Any:
        async_method = getattr(self._handle, f"_{name}_async", None)
        if async_method is not None:  # foreign code must run on the caller's event loop
            return async_method
        value = getattr(self._handle, name)
        if not callable(value):
            return _wrap(value)
        if name in _AT_ONCE:
            return lambda *args, **kwargs: _wrap(value(*args, **kwargs))

        async def call(*args: Any, **kwargs: Any) -> Any:
            return _wrap(await asyncio.to_thread(value, *args, **kwargs))

        return call

    async def __aenter__(self) -> Async:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


def aopen(*args: Any, **kwargs: Any) -> Opening:
    """`hardwon.open` for asyncio, with the same arguments: `hw = await hardwon.aopen()`."""
    return Opening(args, kwargs)


class Opening:
    """Await it to get the handle, or use it in `async with`, which also closes the handle."""

    def __init__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self._arguments = args, kwargs

    def __await__(self) -> Generator[Any, None, Async]:
        return self._open().__await__()

    async def __aenter__(self) -> Async:
        self._opened = await self._open()
        return self._opened

    async def __aexit__(self, *_: object) -> None:
        await self._opened.close()

    async def _open(self) -> Async:
        args, kwargs = self._arguments
        return Async(await asyncio.to_thread(api.open, *args, **kwargs))


def _wrap(value: Any) -> Any:
    """A handle of an engine, or of a connection to a server, is wrapped; results are values."""
    is_handle = hasattr(value, "_engine") or hasattr(value, "_connection")
    return Async(value) if is_handle else value
