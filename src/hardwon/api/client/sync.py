"""Share lessons with a server: send what hooks noted here, and keep the local copy up to date.

Hooks never wait for the network. They read a copy of the server's lessons, and note in files what
the server must learn. A worker process of this machine exchanges both while agents are at work.
"""

from __future__ import annotations

import base64
import json
import os
import signal
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from glob import escape, glob
from typing import TYPE_CHECKING, Any, NamedTuple

from hardwon.api.codec import decode
from hardwon.core import _files
from hardwon.core.errors import HardwonError, InvalidInput, NotFound, OlderServer, SetupError
from hardwon.core.settings import Settings
from hardwon.core.values.job import Tally
from hardwon.core.values.lesson import Lesson
from hardwon.core.values.scope import Scope
from hardwon.engine import worker
from hardwon.engine.mirror import Copies
from hardwon.engine.notes import JOB, MET, RUN, WANTED
from hardwon.storage.queues import records as job_records
from hardwon.storage.queues.files import FileQueue
from hardwon.storage.sql.journal import Spool, notes_for
from hardwon.storage.stores import run_files, runs

if TYPE_CHECKING:
    from hardwon.api.client.wire import Wire

_PAUSE, _LONGEST = 2.0, 30.0  # seconds between two exchanges; the pause grows while none works
_AT_ONCE = 200  # records or lessons of one request
_LARGEST = 4 << 20  # bytes of one request
_LINGER = timedelta(minutes=10)  # without a note of a hook, after which the process ends


class SyncStatus(NamedTuple):
    """How far this machine and its server agree."""

    url: str
    at: datetime | None = None  # when they last did
    waiting: int = 0  # notes, runs and jobs that wait to be sent
    refused: int = 0  # notes that the server will never take
    error: str = ""  # why the last exchange failed; "" if it did not
    held: int = 0  # notes that a server older than this machine does not know


class HttpShelves:
    """The lessons of a server, as a copy reads them."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire

    def salt(self) -> str:
        return str(self._wire.call("sync.state", None, {})["salt"])

    def states(self, scopes: Sequence[Scope]) -> dict[Scope, int]:
        return {scope: self._ask("sync.state", scope)["version"] for scope in scopes}

    def marks(self, scope: Scope) -> dict[int, int]:
        return {int(key): mark for key, mark in self._ask("sync.marks", scope)["marks"].items()}

    def lessons(self, scope: Scope, numbers: Sequence[int]) -> list[Lesson]:
        found: list[Lesson] = []
        for start in range(0, len(numbers), _AT_ONCE):
            chosen = ",".join(map(str, numbers[start : start + _AT_ONCE]))
            items = self._ask("sync.lessons", scope, numbers=chosen)["items"]
            found += [decode(Lesson, item, scope.tenant) for item in items]
        return found

    def vectors(
        self, scope: Scope, *, after: int, lessons: Sequence[int]
    ) -> list[tuple[int, int, str, bytes]]:
        return []  # each machine embeds what it reads

    def share(self, tenant: str) -> float | None:
        share: float | None = self._wire.call("sync.state", None, {})["share"]
        return share

    def _ask(self, name: str, scope: Scope, **arguments: object) -> Any:
        place = {"agent": scope.agent, "project": scope.project}
        return self._wire.call(name, None, {**place, **arguments})


class Sync:
    """The exchange between this machine and its server."""

    def __init__(self, wire: Wire, settings: Settings) -> None:
        self._wire = wire
        self._settings = settings
        self._files = SyncFiles(settings)
        self._queue = FileQueue(worker.base_of(settings))
        self._copies = Copies(HttpShelves(wire), settings.home, settings.server.url, send=self.send)
        self._unknown: set[str] = set()  # kinds of records that the server did not know lately

    def run(self, mode: str = "forever", *, idle: timedelta | None = None) -> Tally:
        """Exchange until SIGTERM, until hooks were idle, or once; how much was sent.

        Only one process of a home does so; another one waits for its turn.
        """
        stop = threading.Event()
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGTERM, signal.SIGINT):
                signal.signal(number, lambda *_: stop.set())
        linger = timedelta.max if idle is None else max(idle, _LINGER)
        pause, sent = _PAUSE, 0
        try:
            while not stop.is_set() and not self._queue.hold():
                stop.wait(_PAUSE)
            while not stop.is_set():
                before = self.waiting()
                pause = _PAUSE if self.exchange() else min(2 * pause, _LONGEST)
                sent += max(0, before - self.waiting())
                until = self._files.last_change() + linger.total_seconds()
                if mode != worker.FOREVER or (until < time.time() and not self.waiting()):
                    break
                stop.wait(pause)
        finally:
            self.close()
        return Tally(done=sent)

    def exchange(self) -> bool:
        """Send what waits and update the copy; False if the server did not answer as it should."""
        try:
            for _ in self._copies.refresh():
                continue
        except HardwonError as error:
            self._files.note(str(error))
            return False
        self._files.note("")
        return True

    def send(self) -> bool:
        """Send notes, ended runs and jobs, oldest first; whether the server learnt from all."""
        self._unknown.clear()
        with self._files.held.take() as (_, held):  # the server may have been upgraded since
            self._push_each(held)
        with self._files.notes.take() as (batch, records):
            wanted = [record[1:] for record in records if record[0] == WANTED]
            if wanted:
                self._copies.want(wanted)
            self._push(batch, [record for record in records if record[0] != WANTED])
        for aside in run_files.put_aside(self._settings.home):
            name = os.path.basename(aside.path).partition("-")[2].removesuffix(".jsonl")
            lines = run_files.lines_of_aside(aside)
            self._push(f"run-{name}", [[RUN, aside.scope, name, lines]])
            run_files.remove_aside(aside)
        for job in self._queue.records():
            text = base64.b64encode(job_records.encode(job)).decode()
            name = f"job-{job.id}-{job.enqueued_at.timestamp()}"
            self._push(name, [[JOB, job.episode.scope, text]])
            self._queue.forget(job)
        return self._files.notes.size() == 0 and MET not in self._unknown

    def waiting(self) -> int:
        """How many notes, runs and jobs wait to be sent."""
        return self._files.waiting() + len(list(self._queue.records()))

    def close(self) -> None:
        """Release files."""
        self._copies.close()
        self._queue.close()

    def _push(self, batch: str, records: list[Any]) -> None:
        """Send records in requests of a moderate size, in order; each is taken in once."""
        self._push_each(self._push_parts(batch, records))

    def _push_parts(self, batch: str, records: list[Any]) -> Iterator[tuple[str, Any]]:
        """Send parts of the records; yields, by name, those that must be sent one by one."""
        for number, part in enumerate(_parts(records)):
            name = f"{batch}-{number}"
            if len(part) == 1:
                yield name, part[0]
                continue
            try:
                push(self._wire, name, part)
            except (InvalidInput, OlderServer):
                yield from ((f"{name}.{at}", record) for at, record in enumerate(part))

    def _push_each(self, records: Iterable[tuple[str, Any]]) -> None:
        """Send named records one by one; one that is not taken does not block others.

        It is set aside when all were sent: after a failure all come again.
        """
        held, refused = list[Any](), list[Any]()
        for name, record in records:
            try:
                if record[0] not in self._unknown:
                    push(self._wire, name, [record])
                    continue
            except InvalidInput as error:
                refused.append([str(error), record])
                continue
            except OlderServer:
                self._unknown.add(record[0])
            held.append([name, record])
        self._files.refused.append(*refused)
        self._files.held.append(*held)


def push(wire: Wire, batch: str, records: Sequence[Any]) -> int:
    """Send records, which the server takes once; how many it took. OlderServer: none."""
    try:
        taken: int = wire.call("sync.push", None, {"batch": batch, "records": records})["taken"]
    except NotFound as error:
        raise OlderServer(f"it takes no records at all: {error}") from error
    return taken


class SyncFiles:
    """The files of an exchange: what waits, what was refused, and how the last one ended."""

    def __init__(self, settings: Settings) -> None:
        self._notes = notes_for(settings.home, settings.server.url)
        self._runs = os.path.join(settings.home, "runs")
        self._ended = os.path.join(self._runs, runs.ASIDE)
        self._status = f"{self._notes}.status"
        self.refused = Spool(f"{self._notes}.refused")
        self.held = Spool(f"{self._notes}.held")
        self.notes = Spool(self._notes)

    def waiting(self) -> int:
        """How many notes and ended runs wait to be sent."""
        ended = len(os.listdir(self._ended)) if os.path.isdir(self._ended) else 0
        return _lines(self._notes) + _lines(f"{self._notes}.taken") + ended

    def count_refused(self) -> int:
        """How many notes the server will never take."""
        return _lines(f"{self._notes}.refused")

    def count_held(self) -> int:
        """How many notes wait until the server is upgraded."""
        return _lines(f"{self._notes}.held") + _lines(f"{self._notes}.held.taken")

    def last_change(self) -> float:
        """When a hook last noted something."""
        paths = (path for path in (self._notes, self._runs, self._ended) if os.path.exists(path))
        return max((os.stat(path).st_mtime for path in paths), default=0.0)

    def read(self) -> dict[str, str]:
        """When an exchange last worked (`at`), and why the last one failed (`error`)."""
        try:
            with open(self._status, encoding="utf-8") as file:
                known: dict[str, str] = json.load(file)
                return known
        except (OSError, ValueError):
            return {}

    def note(self, error: str) -> None:
        """Note how an exchange ended; "" if it worked."""
        at = self.read().get("at", "") if error else datetime.now(UTC).isoformat()
        _files.replace(self._status, json.dumps({"at": at, "error": error}).encode())


def status(settings: Settings) -> SyncStatus:
    """How far this machine and its server agree; nothing is sent."""
    files, waiting = SyncFiles(settings), 0
    runs = glob(os.path.join(escape(settings.home), "outbox", "*"))  # of programs, by account
    for folder in (worker.base_of(settings), *runs):
        queue = FileQueue(folder)
        waiting += len(list(queue.records()))
        queue.close()
    waiting += files.waiting()
    known = files.read()
    at = datetime.fromisoformat(known["at"]) if known.get("at") else None
    return SyncStatus(
        *(settings.server.url, at, waiting, files.count_refused(), known.get("error", "")),
        held=files.count_held(),
    )


def key_of(settings: Settings) -> str:
    """The key of the server: HARDWON_KEY, or what the key file holds."""
    if key := os.environ.get("HARDWON_KEY", "").strip():
        return key
    try:
        with open(settings.key_file, encoding="utf-8") as file:
            return file.read().strip()
    except (OSError, ValueError):
        raise SetupError(
            f"no key for {settings.server.url}: `hardwon login {settings.server.url}` asks for one"
        ) from None


def _lines(path: str) -> int:
    try:
        with open(path, "rb") as file:
            return sum(1 for _ in file)
    except OSError:
        return 0


def _parts(records: list[Any]) -> Iterator[list[Any]]:
    """The records in parts that fit into a request."""
    part: list[Any] = []
    size = 0
    for record in records:
        length = len(json.dumps(record))
        if part and (len(part) == _AT_ONCE or size + length > _LARGEST):
            yield part
            part, size = [], 0
        part.append(record)
        size += length
    if part:
        yield part
