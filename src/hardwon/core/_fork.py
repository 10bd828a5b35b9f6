"""Make forks safe: a child must not share held locks, connections and locked files.

Only the forking thread exists in the child. A lock that another thread held stays locked forever
there, and a SQLite connection must not be used on both sides of a fork.
"""

from __future__ import annotations

import _imp
import importlib
import os
import sys
from collections.abc import Callable
from threading import RLock, get_ident
from time import monotonic, sleep
from typing import TYPE_CHECKING, Protocol
from weakref import ref

if TYPE_CHECKING or sys.version_info >= (3, 12):
    from functools import cached_property as cached_property
else:

    class cached_property:  # noqa: N801 - it replaces the one of functools
        """As in functools from Python 3.12 on; the lock of 3.11 stays locked in a child."""

        def __init__(self, compute):
            self._compute = compute
            self.__doc__ = compute.__doc__

        def __set_name__(self, owner, name):
            self._name = name

        def __get__(self, instance, owner=None):
            if instance is None:
                return self
            return instance.__dict__.setdefault(self._name, self._compute(instance))


class Forked(Protocol):
    """Is called before and after every fork of its process."""

    def before_fork(self) -> None:
        """Reach a safe point; other threads wait meanwhile."""

    def after_fork(self, *, is_child: bool) -> None:
        """Continue; in a child, with new locks."""


_PATIENCE = 20.0  # seconds that a fork waits for a lock; longer than a write waits for another
_PAUSE = 0.001
OUTER, MIDDLE, INNER, LAST = range(4)  # the order in which a thread takes several locks
_alive: list[ref[Forked]] = []


def watch(watcher: Forked) -> None:
    """Call the object at every fork, as long as it exists."""
    _alive[:] = [reference for reference in _alive if reference() is not None]
    _alive.append(ref(watcher))


class ForkLock:
    """A lock between threads that a fork waits for and that is free in the child.

    A fork takes all of them in the order of their `rank`, as threads that need two must. `rest` is
    called before a fork, while the lock is held; `renew` is called in the child.
    """

    def __init__(
        self,
        rest: Callable[[], None] | None = None,
        renew: Callable[[], None] | None = None,
        *,
        rank: int = INNER,
    ) -> None:
        self.rank = rank
        self._lock = RLock()
        self._rest, self._renew = rest, renew
        self._forking: set[int] = set()  # threads that are about to fork
        self._holding = 0  # the forking thread that has the lock
        watch(self)

    def acquire(self) -> None:
        """Take the lock; a thread that is about to fork goes first."""
        while self._forking and not self._lock._is_owned():  # type: ignore[attr-defined]
            sleep(_PAUSE)
        self._lock.acquire()

    def release(self) -> None:
        """Release the lock."""
        self._lock.release()

    __enter__ = acquire

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def before_fork(self) -> None:
        self._forking.add(get_ident())
        if self._lock.acquire(timeout=_PATIENCE):
            self._holding = get_ident()
            if self._rest is not None:
                self._rest()

    def after_fork(self, *, is_child: bool) -> None:
        if is_child:
            self._lock, self._forking = RLock(), set()
            if self._renew is not None:
                self._renew()
        else:
            self._forking.discard(get_ident())
            if self._holding == get_ident():
                self._holding = 0
                self._lock.release()


class Imports:
    """Makes a fork wait while another thread imports: in the child, Python never frees its lock."""

    rank = LAST

    def before_fork(self) -> None:
        end = monotonic() + _PATIENCE
        _imp.acquire_lock()  # nobody begins to import a module until it is released
        while _is_importing_elsewhere() and monotonic() < end:
            _imp.release_lock()
            sleep(_PAUSE)
            _imp.acquire_lock()

    def after_fork(self, *, is_child: bool) -> None:
        _imp.release_lock()


def _is_importing_elsewhere() -> bool:
    """Whether another thread holds the lock of a module."""
    bootstrap = importlib._bootstrap
    locks = [reference() for reference in list(getattr(bootstrap, "_module_locks", {}).values())]
    return any(getattr(lock, "owner", None) not in {None, get_ident()} for lock in locks)


def _living() -> list[Forked]:
    return [watcher for reference in list(_alive) if (watcher := reference()) is not None]


def _before() -> None:
    for watcher in sorted(_living(), key=lambda watcher: getattr(watcher, "rank", INNER)):
        watcher.before_fork()


def _after(*, is_child: bool) -> None:
    for watcher in _living():
        watcher.after_fork(is_child=is_child)


_imports = Imports()
watch(_imports)
os.register_at_fork(
    before=_before,
    after_in_parent=lambda: _after(is_child=False),
    after_in_child=lambda: _after(is_child=True),
)
