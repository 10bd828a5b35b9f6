"""Past sessions for a server: sent from the machine where they lie, recorded by the server.

A session is screened, and sent as a whole, or in a few parts if it is very long. The server keeps
each part in a file until its worker has recorded it. A part that comes twice is recorded once.
"""

from __future__ import annotations

import json
import logging
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from hashlib import blake2b
from typing import Any

from hardwon.core import _files
from hardwon.core.errors import Unavailable, storage_error
from hardwon.core.settings import Settings
from hardwon.core.text.clean import one_line
from hardwon.core.text.secrets import screen_excerpt
from hardwon.core.values.report import Place
from hardwon.core.values.run import Author
from hardwon.core.values.scope import Scope
from hardwon.engine.notes import WANTED
from hardwon.engine.pipeline.screen import screen_step
from hardwon.engine.runtime import Runtime
from hardwon.learn.transcripts import past, transcript
from hardwon.learn.transcripts.ahead import TASK, Dated
from hardwon.storage.sql.journal import server_spool
from hardwon.storage.stores.run_files import LOCK, at_work, put_aside

SESSION = "session"  # the kind of a record that holds a part of a session
_PART = 2 << 20  # bytes of a part; a slow line must carry it in ten seconds
_MOST = 512 << 20  # bytes that may wait for a worker
_MOST_DAMAGED = 8  # files that are kept for a person to look at
_LATEST = 253_370_764_800.0  # the year 9999: no time of a session is later
_SUFFIX, _DAMAGED = ".json", ".json.damaged"


class SentSessions(past.PastHandle):
    """Sends past sessions to the server that this machine shares lessons with."""

    def __init__(
        self, settings: Settings, scope: Scope, clock: Callable[[], datetime], *, account: str
    ) -> None:
        """`account` tells the server and the key apart: with another one all is sent again."""
        super().__init__(settings, scope, clock, on_disk=True)
        whose = json.dumps([account, scope.tenant, scope.agent])
        name = f"sent-{blake2b(whose.encode(), digest_size=8).hexdigest()}"
        self._notes = os.path.join(settings.home, "sessions", name)

    def _push(self, batch: str, scope: Scope, record: Sequence[object]) -> None:
        """Send a record in a batch of this name."""
        raise NotImplementedError

    def _take(self, session: past.Session, *, is_look: bool) -> past.Learnt:
        """Send a session; how much of it is new only the server knows."""
        place, scope, source = session[:3]
        steps = failed = 0
        parts = _split(session.moments())
        rows = next(parts)
        for number in range(1, 1 << 20):
            following = next(parts, None)
            for row in rows:
                steps += len(row) > _SAID
                failed += row[-1] is True
            if not is_look:
                name = screen_excerpt(place.id, 200) + (f" part {number}" if number > 1 else "")
                is_over = session.is_over or bool(following)
                head = [place.agent, name, place.changed, source.run, source.since, is_over]
                content = json.dumps([scope, head, rows]).encode()
                digest = blake2b(content, digest_size=16).hexdigest()
                self._push(f"{SESSION}-{digest}", scope, [SESSION, scope, head, rows])
                spool = server_spool(self._settings.home, self._settings.server.url)
                spool.append([WANTED, scope])  # the lessons come back into the copy of this machine
            if following is None:
                break
            rows = following
        return past.Learnt(place, past.SENT, scope.project or "", (), steps, failed)

    def _states(self, versions: Sequence[str]) -> Mapping[str, str]:
        try:
            with open(self._notes, encoding="utf-8") as file:
                noted = (line.rstrip("\n").partition(" ") for line in file)
                return {version: state for version, _, state in noted}
        except FileNotFoundError:
            return {}

    def _note_state(self, version: str, state: str) -> None:
        _files.append(self._notes, f"{version} {state}\n".encode())

    def _recorded_live(self) -> dict[str, float]:
        """The runs that the server cannot know yet; it recognises the others by their names."""
        home, place = self._settings.home, Place(self.scope.tenant, self.scope.agent)
        runs = [(name, so_far.begun) for name, _, so_far in at_work(home, place)]
        runs += [(run.name, run.past.begun) for run in put_aside(home)]
        begun = dict[str, float]()
        for name, at in runs:
            begun[name] = min(at, begun.get(name, at))
        return begun


_SAID = 3  # fields of a message: when, after which call, the text
_CALLED = 6  # fields of a call: when, its digest, tool, arguments, output, whether it failed


def _split(moments: Iterable[Dated]) -> Iterator[list[list[Any]]]:
    """The screened moments as rows, in parts; where one ends depends only on what comes before."""
    part, size = list[list[Any]](), 0
    for at, digest, moment, *_ in moments:
        row: list[Any] = [at.isoformat(), digest]
        if isinstance(moment, transcript.FinishedCall):
            row += screen_step(moment.step)[:4]
        elif moment.who == transcript.USER:
            row.append(screen_excerpt(moment.text, TASK))
        else:
            continue
        length = len(json.dumps(row))
        if part and size + length > _PART:
            yield part
            part, size = [], 0
        part.append(row)
        size += length
    yield part


def take_in(engine: Runtime, records: Iterable[Sequence[Any]]) -> None:
    """Keep sessions that another machine sent; they are durable when this returns."""
    folder = _folder(engine)
    for record in records:
        sent = _parse(record)  # a damaged one is refused
        if not engine.on_disk:
            _record(engine, *sent)
            continue
        text = json.dumps(record).encode()
        name = blake2b(text, digest_size=16).hexdigest() + _SUFFIX  # the same record, the same file
        try:
            _files.make_folder(folder)
            if bytes_in(folder, _SUFFIX) > _MOST:
                raise Unavailable("too many sessions wait for a worker; start `hardwon work`")
            _files.replace(os.path.join(folder, name), text, durable=True)
        except OSError as error:
            raise storage_error(error, folder) from error


def collect(engine: Runtime) -> Iterator[past.Learnt]:
    """Record the sessions that other machines have sent."""
    folder = _folder(engine)
    lock = _files.Lock(os.path.join(folder, LOCK))
    if not lock.acquire(wait=False):
        return
    try:
        entries = [entry for entry in os.scandir(folder) if entry.name.endswith(_SUFFIX)]
        for entry in sorted(entries, key=lambda entry: entry.stat().st_mtime_ns):
            try:
                with open(entry.path, encoding="utf-8") as file:
                    learnt = _record(engine, *_parse(json.load(file)))
            except (ValueError, TypeError, OverflowError, AttributeError, LookupError) as error:
                told = "%s is damaged and set aside: %s"
                logging.getLogger("hardwon").warning(told, entry.path, error)
                os.replace(entry.path, entry.path.removesuffix(_SUFFIX) + _DAMAGED)
                aside = [one for one in os.scandir(folder) if one.name.endswith(_DAMAGED)]
                aside.sort(key=lambda one: one.stat().st_mtime_ns)
                for oldest in aside[:-_MOST_DAMAGED]:
                    _files.unlink(oldest.path)
                continue
            _files.unlink(entry.path)
            yield learnt
    finally:
        lock.release()


def _folder(engine: Runtime) -> str:
    return os.path.join(engine.settings.home, "sessions", "sent")


def bytes_in(folder: str, suffix: str) -> int:
    """The bytes of the files in a folder whose names end so; those that go meanwhile count 0."""
    size = 0
    with os.scandir(folder) as entries:
        for entry in (entry for entry in entries if entry.name.endswith(suffix)):
            with suppress(FileNotFoundError):
                size += entry.stat().st_size
    return size


def _parse(
    record: Sequence[Any],
) -> tuple[Scope, transcript.SessionPlace, past.Source, bool, list[Any]]:
    """A record of a session; ValueError or TypeError if it is none."""
    scope, (agent, name, changed, run, since, is_over), rows, by = record
    for seconds in (changed, since):
        if not 0 <= seconds <= _LATEST:
            raise ValueError(f"not a time: {seconds!r}")
    for row in rows:
        is_row = isinstance(row, list) and len(row) in {_SAID, _CALLED}
        if not is_row or not all(isinstance(text, str) for text in row[: _CALLED - 1]):
            raise ValueError(f"neither a message nor a call: {one_line(repr(row), 200)}")
    place = transcript.SessionPlace(str(agent), str(name), "", changed=float(changed))
    source = past.Source(str(run), float(since), Author(*map(str, by)))
    return Scope(*scope), place, source, bool(is_over), list(rows)


def _record(
    engine: Runtime,
    scope: Scope,
    place: transcript.SessionPlace,
    source: past.Source,
    is_over: bool,
    rows: list[Any],
) -> past.Learnt:
    """Record a part of a session as a session of its own."""

    def make() -> transcript.Reading:
        return transcript.Reading(_events_of, enumerate(rows, 1), Counter())

    return past.PastSessions(engine, scope).record(place, make, is_over=is_over, source=source)


def _events_of(row: list[Any], line: int) -> list[transcript.Event]:
    """What a row of `_split` says."""
    at, digest, *said = row
    if len(row) == _SAID:
        return [transcript.SessionInfo(at=at), transcript.Message(line, transcript.USER, said[0])]
    tool, args, output, failed = said
    called = transcript.ToolCall(line, digest, tool, args)
    return [
        transcript.SessionInfo(at=at),
        called,
        transcript.Result(line, digest, output, failed is True),
    ]
