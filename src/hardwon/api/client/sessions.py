"""Past sessions of coding agents on this machine, for a server that records them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import timedelta

from hardwon.api.client import sync
from hardwon.api.client.handles import RemoteHandle
from hardwon.core.errors import InvalidInput, NotAllowed, OlderServer
from hardwon.core.values.scope import Scope
from hardwon.learn.transcripts import catalog
from hardwon.learn.transcripts.past import Learnt
from hardwon.learn.transcripts.sending import SentSessions
from hardwon.learn.transcripts.transcript import SessionPlace, count_lines


class RemoteSessions(RemoteHandle):
    """Finds sessions here and sends them; `telling` has none, as a model reads on the server."""

    telling = ()

    def find(
        self, *, agents: Iterable[str] = (), cwd: str = "", since: timedelta | None = None
    ) -> list[SessionPlace]:
        """Sessions, those of the directory first, newest first."""
        start = None if since is None else self._connection.clock() - since
        return catalog.find(agents, cwd, since=start)

    def unrecorded(
        self, *, agents: Iterable[str] = (), since: timedelta | None = None
    ) -> list[SessionPlace]:
        """Past sessions that are new or have grown since they were sent, oldest first."""
        return self._sent().find(agents=agents, since=since)

    def learn(
        self,
        *,
        agents: Iterable[str] = (),
        since: timedelta | None = None,
        is_look: bool = False,
        most_telling: int = 0,
        tell: Callable[[int, int], None] = lambda done, of: None,
    ) -> list[Learnt]:
        """Send every past session that is new or has grown; the server records them in a while."""
        if most_telling:
            raise InvalidInput("a model reads runs only where the server runs; leave out --read")
        return self._sent().learn_all(agents=agents, since=since, is_look=is_look, tell=tell)

    def count_runs(self, paths: Iterable[str]) -> int:
        """How many rows the files have, unreadable ones included."""
        return sum(map(count_lines, paths))

    def import_runs(self, path: str, skipped: Counter[str]) -> Iterator[Learnt]:
        """Send the runs in a file of the neutral format."""
        return self._sent().learn_rows(path, skipped)

    def _sent(self) -> SentSessions:
        connection = self._connection
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
