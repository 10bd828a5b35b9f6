"""One slow call for all threads that need it at the same time."""

from __future__ import annotations

import errno
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class Together:
    """Makes one slow call serve all threads that asked for it before it began."""

    def __init__(self, call: Callable[[], None]) -> None:
        self._call = call
        self._turn = threading.Condition()
        self._forming = _Party()
        self._is_busy = False

    def __call__(self) -> None:
        party, leads = self._join()
        if leads:
            self._lead(party)
        if party.error is not None:
            raise OSError(party.error.errno, party.error.strerror) from party.error

    def _join(self) -> tuple[_Party, bool]:
        with self._turn:
            party = self._forming
            if party.has_leader:
                self._turn.wait_for(lambda: party.is_over)
                return party, False
            party.has_leader = True
            self._turn.wait_for(lambda: not self._is_busy)
            self._is_busy, self._forming = True, _Party()
            return party, True

    def _lead(self, party: _Party) -> None:
        try:
            self._call()  # no lock is held here
            party.error = None
        except OSError as error:
            party.error = error
        finally:
            with self._turn:
                party.is_over, self._is_busy = True, False
                self._turn.notify_all()


class _Party:
    """Threads that share one call."""

    has_leader = False
    is_over = False
    # Until it succeeded: a leader that is interrupted must not let the others believe it did.
    error: OSError | None = OSError(errno.EINTR, "interrupted")
