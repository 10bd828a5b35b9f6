"""Traces become runs: spans are kept on disk until their run has ended, then recorded.

A run is a trace; it has ended when its root span has, or after a pause. Spans may come late, in
any order and more than once: what was recorded is noted in the same commit, by span.
"""

from __future__ import annotations

import gzip
import json
import logging
import os
import time
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from hashlib import blake2b
from typing import NamedTuple

from hardwon.core import _files
from hardwon.core.errors import InvalidInput, Unavailable, storage_error
from hardwon.core.values.scope import Scope
from hardwon.engine.runtime import Runtime
from hardwon.learn.traces.conventions import Row, Span, read_request, row_of, spans_in_json
from hardwon.learn.traces.exports import spans_in_export
from hardwon.learn.transcripts import transcript
from hardwon.learn.transcripts.past import TRACE, Learnt, PastSessions
from hardwon.learn.transcripts.sending import bytes_in
from hardwon.storage.stores.run_files import LOCK

GRACE = 3.0  # seconds in which the last spans of a run may arrive after its root
PAUSE = 600.0  # seconds without a span after which a run without a root has ended
_WAITING = 64 * 1024 * 1024  # bytes of spans that wait; beyond that no run is waited for
_MOST = 8 * _WAITING  # beyond that no more are taken
_FILES = 100  # of waiting spans; more are written into one a scope
_BODY = 32 * 1024 * 1024  # bytes of an unpacked request
_SUFFIX = ".jsonl"
_HEAD = 256  # bytes that tell a list from lines
_OTLP = {"resourceSpans", "resourceLogs"}

Key = tuple[Scope, str]  # a scope and the name of a run in it
Arrived = tuple[float, Row]


class Taken(NamedTuple):
    """How many spans came, and how many of them say something about a run that can be read."""

    spans: int
    kept: int


class Traces:
    """Takes traces of an agent in."""

    def __init__(self, engine: Runtime, scope: Scope) -> None:
        self._engine = engine
        self._scope = scope

    def take(
        self,
        body: bytes,
        *,
        is_json: bool = False,
        is_packed: bool = False,
        is_logs: bool = False,
    ) -> Taken:
        """Keep the spans or log records of an OTLP request; they are durable when this returns.

        A worker records the runs that have ended, as `hw.drain()` does.
        """
        if is_packed:
            try:
                stream = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
                body = stream.decompress(body, _BODY)
            except (zlib.error, gzip.BadGzipFile) as error:
                raise InvalidInput("the body is not packed by gzip") from error
            if stream.unconsumed_tail or not stream.eof:
                most = f"at most {_BODY:,} bytes, and must end"
                raise InvalidInput(f"an unpacked request may have {most}")
        spans = read_request(body, is_json=is_json, is_logs=is_logs)
        rows = list(_rows_of(spans, Counter()))
        kept = [(time.time(), row) for row in rows if row]
        if kept and self._engine.on_disk:
            _put(self._engine, self._scope, kept)
        elif kept:  # nothing can wait: what came together is recorded together
            for key, arrived in _by_run(self._scope, kept).items():
                list(record_run(self._engine, key, arrived))
        return Taken(len(rows), len(kept))

    def collect(self, now: Callable[[], float] = time.time) -> list[Learnt]:
        """Record the runs that have ended, of all agents; a worker does it by itself."""
        return list(collect(self._engine, now))

    def import_file(self, path: str, skipped: Counter[str]) -> Iterator[Learnt]:
        """Record the traces in a file: OTLP's JSON, or an export; all count as ended."""
        waiting: dict[Key, list[Arrived]] = defaultdict(list)
        size = 0
        for row in _rows_in(path, skipped):
            waiting[self._scope, row.run].append((0.0, row))
            size += _size(row)
            if size > _WAITING:
                ended = [key for key, rows in waiting.items() if _has_root(rows)] or list(waiting)
                for key in _in_order(ended, waiting):
                    rows = waiting.pop(key)
                    size -= sum(_size(row) for _, row in rows)
                    yield from record_run(self._engine, key, rows)
        for key in _in_order(waiting, waiting):
            yield from record_run(self._engine, key, waiting[key])


def collect(engine: Runtime, now: Callable[[], float] = time.time) -> Iterator[Learnt]:
    """Record the runs whose spans have all come; the spans of others stay."""
    folder = _folder(engine)
    if not (engine.on_disk and os.path.isdir(folder)):
        return
    lock = _files.Lock(os.path.join(folder, LOCK))
    if not lock.acquire(wait=False):
        return
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(_SUFFIX))
        files = {name: _read(os.path.join(folder, name)) for name in names}
        waiting = _join(files.values())
        is_full = bytes_in(folder, _SUFFIX) > _WAITING
        over = {key for key, rows in waiting.items() if is_full or _is_over(rows, now())}
        for key in _in_order(over, waiting):
            yield from record_run(engine, key, waiting[key])
        is_split = len(files) > _FILES
        rewritten = {name: part for name, part in files.items() if is_split or over & part.keys()}
        open_runs: dict[Scope, list[Arrived]] = defaultdict(list)  # into one file a scope
        for key, rows in _join(rewritten.values()).items():
            if key not in over:
                open_runs[key[0]] += rows
        for scope, rows in open_runs.items():
            _put(engine, scope, rows)
        for name in rewritten:
            _files.unlink(os.path.join(folder, name))
    finally:
        lock.release()


def record_run(engine: Runtime, key: Key, arrived: Iterable[Arrived]) -> Iterator[Learnt]:
    """Record the spans of a run that were not recorded before, in one commit."""
    scope, name = key
    by_span: dict[str, Row] = {}
    for _, row in arrived:
        by_span.setdefault(row.span, row)
    owner = scope._replace(project=None)
    note = blake2b(f"trace\0{scope.project or ''}\0{name}".encode(), digest_size=12).hexdigest()
    with engine.store.together():
        noted = engine.store.ended_runs.past(owner, [note])
        known: list[str] = json.loads(noted[note]) if note in noted else []
        unknown = [by_span[span] for span in by_span.keys() - set(known)]
        now = int(engine.clock().timestamp() * 1e9)  # the clock of the agent may be ahead
        fresh = [
            row._replace(begun=max(0, min(row.begun, now)), ended=max(0, min(row.ended, now)))
            for row in sorted(unknown, key=lambda row: (row.begun, row.ended, row.span))
        ]
        if not fresh:
            return
        ended = max(row.ended for row in fresh) / 1e9
        place = transcript.SessionPlace(
            TRACE, name if not known else f"{name} {len(known)}", "", changed=ended
        )

        def read() -> transcript.Reading:
            return transcript.Reading(_Parser(name, fresh).take, enumerate(fresh, 1), Counter())

        learnt = PastSessions(engine, scope).record(place, read, is_over=True)
        spans = [*known, *(row.span for row in fresh)]
        engine.store.ended_runs.note_past(owner, note, json.dumps(spans))
    yield learnt


class _Parser:
    """Calls of tool spans; where a run has none, those in the messages of its model."""

    def __init__(self, name: str, rows: list[Row]) -> None:
        self._name = name
        self._has_steps = any(row.step for row in rows)
        self._said = ""

    def take(self, row: Row, line: int) -> list[transcript.Event]:
        events: list[transcript.Event] = [
            transcript.SessionInfo(self._name, row.project, _iso(row.begun))
        ]
        if row.said and row.said != self._said:
            self._said = row.said
            events.append(transcript.Message(line, transcript.USER, row.said))
        if row.step:
            tool, args, output, failed = row.step
            events += [
                transcript.ToolCall(line, row.span, tool, args),
                transcript.SessionInfo(at=_iso(row.ended)),
            ]
            events.append(transcript.Result(line, row.span, output, failed))
        elif not self._has_steps:
            events += [transcript.Result(line, key, output, None) for key, output in row.results]
            events += [transcript.ToolCall(line, *call) for call in row.calls]
        return events


def _iso(nanoseconds: int) -> str:
    """The time as text; "" for none."""
    return datetime.fromtimestamp(nanoseconds / 1e9, UTC).isoformat() if nanoseconds else ""


def _by_run(scope: Scope, arrived: Iterable[Arrived]) -> dict[Key, list[Arrived]]:
    waiting: dict[Key, list[Arrived]] = defaultdict(list)
    for at, row in arrived:
        waiting[scope, row.run].append((at, row))
    return waiting


def _in_order(keys: Iterable[Key], waiting: Mapping[Key, list[Arrived]]) -> list[Key]:
    """The runs by their begin: what worked last counts."""
    return sorted(keys, key=lambda key: min(row.begun for _, row in waiting[key]))


def _has_root(rows: Iterable[Arrived]) -> bool:
    return any(row.is_root and row.step is None for _, row in rows)


def _is_over(rows: list[Arrived], now: float) -> bool:
    latest = max(at for at, _ in rows)
    return now - latest > (GRACE if _has_root(rows) else PAUSE)


def _size(row: Row) -> int:
    return 200 + len(row.said) + sum(map(len, row.step[:3] if row.step else ()))


def _rows_in(path: str, skipped: Counter[str]) -> Iterator[Row]:
    """What the spans in a file say; records that cannot be read are counted."""
    with transcript.open_transcript(path) as file:
        is_list = file.readline(_HEAD).lstrip().startswith(b"[")
    lines = (document for _, document in transcript.json_lines(path, skipped))
    for document in (transcript.json_document(path, skipped) or ()) if is_list else lines:
        is_otlp = isinstance(document, dict) and (not document or bool(_OTLP & document.keys()))
        read = spans_in_json if is_otlp else spans_in_export
        try:
            yield from filter(None, _rows_of(read(document), skipped))
        except InvalidInput:
            skipped["odd"] += 1


def _rows_of(spans: Iterable[Span], skipped: Counter[str]) -> Iterator[Row | None]:
    """What each span says; None if nothing, or if it cannot be read, which is counted."""
    for span in spans:
        try:
            row = row_of(span)
        except InvalidInput:
            row = None
            skipped["odd"] += 1
        yield row


def _folder(engine: Runtime) -> str:
    return os.path.join(engine.settings.home, "traces")


def _put(engine: Runtime, scope: Scope, rows: Iterable[Arrived]) -> None:
    """Write rows to a file of their own, durably."""
    folder = _folder(engine)
    content = [json.dumps(scope), *(json.dumps(row, ensure_ascii=True) for row in rows)]
    name = f"{time.time_ns():020d}-{os.urandom(4).hex()}{_SUFFIX}"
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        if bytes_in(folder, _SUFFIX) > _MOST:
            raise Unavailable("too many spans wait for a worker; start `hardwon work`")
        _files.replace(os.path.join(folder, name), "\n".join(content).encode(), durable=True)
    except OSError as error:
        raise storage_error(error, folder) from error


def _join(parts: Iterable[dict[Key, list[Arrived]]]) -> dict[Key, list[Arrived]]:
    """The rows of all parts, by scope and run."""
    waiting: dict[Key, list[Arrived]] = defaultdict(list)
    for part in parts:
        for key, rows in part.items():
            waiting[key] += rows
    return waiting


def _read(path: str) -> dict[Key, list[Arrived]]:
    """The rows in a file, by scope and run; one that is damaged is set aside."""
    try:
        with open(path, encoding="utf-8") as file:
            scope, rows = Scope(*json.loads(file.readline())), list[Arrived]()
            for at, (*head, step, calls, results) in map(json.loads, file):  # JSON has no tuples
                pairs = [tuple(map(tuple, many)) for many in (calls, results)]
                rows.append((float(at), Row._make([*head, step and tuple(step), *pairs])))
            return _by_run(scope, rows)
    except (ValueError, TypeError) as error:
        logging.getLogger("hardwon").warning("%s is damaged and set aside: %s", path, error)
        os.replace(path, f"{path}.damaged")
        return {}
