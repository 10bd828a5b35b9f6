"""Past sessions of coding agents on this machine, for a server that records them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hardwon.api.client import sync
from hardwon.api.client.handles import RemoteHandle
from hardwon.api.client.outbox import ServerConnection
from hardwon.core.errors import InvalidInput, NotAllowed, OlderServer
from hardwon.core.values.scope import Scope
from hardwon.learn.transcripts.sending import SentSessions


class RemoteSessions(SentSessions):
    """Finds sessions here and sends them; the server records them in a while."""

    def __init__(self, connection: ServerConnection, scope: Scope) -> None:
        account = connection.account
        super().__init__(connection.settings, scope, connection.clock, account=account)
        self._connection = connection

    if not TYPE_CHECKING:  # what can only be done where the server runs says so
        __getattr__ = RemoteHandle.__getattr__

    def _check(self) -> None:
        if self._most_telling:
            raise InvalidInput("a model reads runs only where the server runs; leave out --read")
        if not self._settings.server.url:
            raise InvalidInput("sessions are sent after `hardwon login URL`")

    def _push(self, batch: str, scope: Scope, record: Sequence[object]) -> None:
        try:
            taken = sync.push(self._connection.wire, batch, [record])
        except OlderServer as error:
            raise OlderServer(
                f"{self._settings.server.url} is older than this hardwon and takes no"
                f" past sessions ({error}); upgrade it, then repeat this"
            ) from error
        if not taken:
            only = self._connection.wire.call("operations.me", None, {})["agent"]
            is_project = only in {None, scope.agent}
            what = f"project {scope.project!r}" if is_project else f"agent {scope.agent!r}"
            raise NotAllowed(f"the key may not write to the {what}")
