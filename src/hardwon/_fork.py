"""Make forks safe: a child must not share held locks, connections and locked files.

Only the forking thread exists in the child. A lock that another thread held stays locked forever
there, and a SQLite connection must not be used on both sides of a fork.
"""

from __future__ import annotations

import os
from _thread import RLock, get_ident
from _weakref import ref
from time import sleep

from hardwon._cold import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    class Forked(Protocol):
        """Is called before and after every fork of its process."""

        def before_fork(self) -> None:
            """Reach a safe point; other threads wait meanwhile."""

        def after_fork(self, *, is_child: bool) -> None:
            """Continue; in a child, with new locks."""


_PATIENCE = 20.0  # seconds that a fork waits for a lock; longer than a write waits for another
_PAUSE = 0.001
OUTER, MIDDLE, INNER = range(3)  # the order in which a thread takes several locks
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

    def __enter__(self) -> None:
        self.acquire()

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
    """Makes a fork wait for a lazy import that is under way."""

    rank = INNER

    def before_fork(self) -> None:
        self._is_held = lazy.importing.acquire(timeout=_PATIENCE)

    def after_fork(self, *, is_child: bool) -> None:
        if is_child:
            lazy.importing = RLock()
        elif self._is_held:
            lazy.importing.release()


def _living() -> list[Forked]:
    return [watcher for reference in list(_alive) if (watcher := reference()) is not None]


def _before() -> None:
    for watcher in sorted(_living(), key=lambda watcher: getattr(watcher, "rank", INNER)):
        watcher.before_fork()


def _in_parent() -> None:
    for watcher in _living():
        watcher.after_fork(is_child=False)


def _in_child() -> None:
    for watcher in _living():
        watcher.after_fork(is_child=True)


_imports = Imports()
watch(_imports)
os.register_at_fork(before=_before, after_in_parent=_in_parent, after_in_child=_in_child)
