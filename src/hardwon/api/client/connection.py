"""One server and one key: the wire, the outbox, and the listener for errors."""

from __future__ import annotations

import logging
import os
from hashlib import blake2b
from typing import TYPE_CHECKING

from hardwon.api.client.outbox import Outbox

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from hardwon.api.client.wire import Wire
    from hardwon.core.settings import Settings


class ServerConnection:
    """The state that all handles of one server share; `name` identifies server and key."""

    def __init__(
        self, wire: Wire, name: str, settings: Settings, clock: Callable[[], datetime]
    ) -> None:
        folder = blake2b(name.encode(), digest_size=8).hexdigest()
        self.wire = wire
        self.settings = settings
        self.clock = clock
        self.trouble: Callable[[BaseException], None] = _warn
        self.outbox = Outbox(os.path.join(settings.home, "outbox", folder), wire, self.tell)

    def tell(self, error: BaseException) -> None:
        """Report an error that was hidden from the agent's turn."""
        try:
            self.trouble(error)
        except Exception:  # noqa: BLE001 - a listener of the program must not end its turn
            return


def _warn(error: BaseException) -> None:
    logging.getLogger("hardwon").warning("no lessons at this door: %s", error)
