"""Past sessions of coding agents on this machine, for a server that records them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from hardwon.api.client import sync
from hardwon.api.client.handles import RemoteHandle
from hardwon.core.errors import InvalidInput, NotAllowed, OlderServer
from hardwon.core.values.scope import Scope
from hardwon.learn.transcripts.past import PastHandle
from hardwon.learn.transcripts.sending import SentSessions


class RemoteSessions(RemoteHandle, PastHandle):
    """Finds sessions here and sends them; the server records them in a while."""

    def _intake(self, most_telling: int = 0) -> SentSessions:
        connection = self._connection
        if most_telling:
            raise InvalidInput("a model reads runs only where the server runs; leave out --read")
        if not connection.settings.server.url:
            raise InvalidInput("sessions are sent after `hardwon login URL`")

        def push(batch: str, scope: Scope, record: Sequence[object]) -> None:
            try:
                taken = sync.push(connection.wire, batch, [record])
            except OlderServer as error:
                raise OlderServer(
                    f"{connection.settings.server.url} is older than this hardwon and takes no"
                    f" past sessions ({error}); upgrade it, then repeat this"
                ) from error
            if not taken:
                only = connection.wire.call("operations.me", None, {})["agent"]
                is_project = only in {None, scope.agent}
                what = f"project {scope.project!r}" if is_project else f"agent {scope.agent!r}"
                raise NotAllowed(f"the key may not write to the {what}")

        common = connection.settings, self.scope, connection.clock
        return SentSessions(*common, push, account=connection.account)

    def _now(self) -> datetime:
        return self._connection.clock()
