"""Screened ports: remove secrets from everything that is written to a port or sent to a model.

Stages screen what they store; this is the second line of defence. Every writing method of a port
gets values in which each text is `Screened`, in every field and at every depth. Names of tenants,
agents and projects are checked where a scope is made.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, TypeVar, cast

from hardwon.core.text.secrets import Screened, any_may_hold_secret, without_secrets
from hardwon.core.values.scope import Scope
from hardwon.storage.ports import Model, Reply, Request, Run, Store, WorkedQueue

T = TypeVar("T")


# The methods that write, by the part of a store that has them; all others only read.
_STORE_WRITES = {
    "lessons": frozenset(("add", "update")),
    "reflections": frozenset(("save",)),
    "runs": frozenset(("save",)),
    "deliveries": frozenset(("log", "report", "settle")),
    "failures": frozenset(("count",)),
    "units": frozenset(("log", "settle", "exclude")),
    "ended_runs": frozenset(("keep", "note_past")),
    "history": frozenset(("note",)),
    "dreams": frozenset(("save", "note")),
}
_QUEUE_WRITES = frozenset(("put", "retry", "bury"))
_RUN_WRITES = frozenset(("begin", "record", "note_marks"))
_ROWS = (tuple, list)
_WITHOUT_TEXT = frozenset((Screened, Scope, int, float, bool, type(None)))  # passed over, for speed
_HEXADECIMAL = "0123456789abcdef"
_OF_FAILURE = "mined:"  # stands before the digest in the job of a mined lesson


def screen_value(value: T) -> T:
    """The value with every text in it screened; the same object if nothing was removed."""
    if isinstance(value, str):
        return _text(value)  # type: ignore[return-value]
    if isinstance(value, Scope) or _is_clean(value):
        return value
    if isinstance(value, tuple):
        parts = tuple(map(screen_value, value))
        return type(value)(*parts) if hasattr(value, "_fields") else parts  # type: ignore[return-value]
    if isinstance(value, list):
        return [screen_value(item) for item in value]  # type: ignore[return-value]
    if isinstance(value, dict):
        return {screen_value(key): screen_value(item) for key, item in value.items()}  # type: ignore[return-value]
    return value


def _is_clean(value: object) -> bool:
    """Whether no text in a value holds a secret."""
    texts: list[str] = []
    pending: list[object] = [value]
    for item in pending:  # grows meanwhile
        if type(item) in _WITHOUT_TEXT:
            continue
        if isinstance(item, str):
            if not _is_own_name(item):
                texts.append(item)
        elif isinstance(item, _ROWS):
            pending.extend(item)
        elif isinstance(item, dict):
            pending.extend((*item, *item.values()))
    return not any_may_hold_secret(texts) or all(_text(text) is text for text in texts)


def _is_own_name(text: str) -> bool:
    """Whether a text is one of hardwon's own digests; a digest is no secret."""
    return not text.removeprefix(_OF_FAILURE).strip(_HEXADECIMAL)


def _text(value: str) -> str:
    """The text without secrets; the same object if it holds none."""
    if isinstance(value, Screened) or _is_own_name(value):
        return value
    clean = without_secrets(value)
    return value if clean == value else clean


class _ScreenedPort:
    """A port whose writing methods only get screened values; or one whose parts are such ports."""

    def __init__(self, port: object, writes: Collection[str]) -> None:
        self._port = port
        self._writes = writes

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._port, name)
        if name not in self._writes:
            return found
        if isinstance(self._writes, dict):
            part = self.__dict__[name] = _ScreenedPort(found, self._writes[name])
            return part

        def write(*values: Any, **keywords: Any) -> Any:
            screened = {key: screen_value(value) for key, value in keywords.items()}
            return found(*map(screen_value, values), **screened)

        return write


def screened_store(store: Store) -> Store:
    """The store, with everything screened that is written to it."""
    return cast("Store", _ScreenedPort(store, _STORE_WRITES))


def screened_queue(queue: WorkedQueue) -> WorkedQueue:
    """The queue, with everything screened that is written to it."""
    return _ScreenedPort(queue, _QUEUE_WRITES)


def screened_run(run: Run) -> Run:
    """The run, with everything screened that is written to it."""
    return _ScreenedPort(run, _RUN_WRITES)


class ScreenedModel:
    """A model whose requests are screened."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self.name = model.name

    async def complete(self, request: Request) -> Reply:
        return await self._model.complete(screen_value(request))
