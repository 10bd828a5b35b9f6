"""The bytes of one job: `LSN1`, length, CRC, JSON, CRC again. A published format."""

from __future__ import annotations

import json
import struct
import zlib
from datetime import datetime, timedelta
from typing import Any

from hardwon.core.errors import InvalidInput
from hardwon.core.values.job import Job
from hardwon.core.values.lesson import EPOCH
from hardwon.core.values.run import Episode, read_step
from hardwon.core.values.scope import Scope

MAGIC = b"LSN1"
PAYLOAD_LIMIT = 1 << 20  # bytes of a new record
READ_LIMIT = 16 << 20  # bytes of an existing record, written by any program
_VERSION = 1
_HEAD = struct.Struct(">4sII")
_TAIL = struct.Struct(">I")
# Go's encoder escapes these characters, and no others.
_ESCAPES = {char: f"\\u{ord(char):04x}" for char in "<>&\u2028\u2029"}

_UNREADABLE = (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError)


class BadRecord(ValueError):
    """The bytes are not a complete record."""


def encode_new(job: Job) -> bytes:
    """The record of a new job; raises InvalidInput for one that is too large."""
    record = encode(job)
    size = len(record) - _HEAD.size - _TAIL.size
    if size > PAYLOAD_LIMIT:
        raise InvalidInput(f"job of {size} bytes is over the limit of {PAYLOAD_LIMIT}")
    return record


def encode(job: Job) -> bytes:
    """The record of a job of any size: stored jobs must remain changeable."""
    envelope = {"v": _VERSION, "job": _to_fields(job)}
    text = json.dumps(envelope, ensure_ascii=False, separators=(",", ":"))
    for char, escape in _ESCAPES.items():
        if char in text:  # much cheaper than translating every record
            text = text.replace(char, escape)
    payload = text.encode("utf-8", "replace")  # lone surrogates have no bytes
    crc = zlib.crc32(payload)
    return _HEAD.pack(MAGIC, len(payload), crc) + payload + _TAIL.pack(crc)


def decode(record: bytes) -> Job:
    """The job of a record; raises BadRecord if it is damaged or incomplete."""
    payload = _payload(record)
    try:
        envelope = json.loads(payload)
        if envelope["v"] != _VERSION:
            raise BadRecord(f"unsupported record version {envelope['v']!r}")
        return _from_fields(envelope["job"])
    except _UNREADABLE as error:
        raise BadRecord(f"unreadable payload: {error}") from error


def _payload(record: bytes) -> bytes:
    if len(record) < _HEAD.size + _TAIL.size:
        raise BadRecord("torn record")
    magic, length, crc = _HEAD.unpack_from(record)
    if magic != MAGIC or not 0 < length <= READ_LIMIT:
        raise BadRecord("no LSN1 header")
    end = _HEAD.size + length
    if len(record) < end + _TAIL.size:
        raise BadRecord("torn record")
    payload = record[_HEAD.size : end]
    if not crc == zlib.crc32(payload) == _TAIL.unpack_from(record, end)[0]:
        raise BadRecord("CRC mismatch")
    return payload


def _to_fields(job: Job) -> dict[str, Any]:
    """Go's field names first, so that the published program can read it; then hardwon's."""
    episode, came_at = job.episode, _time(job.enqueued_at)
    fields: dict[str, Any] = {
        "ID": job.id,
        "Request": {
            "Task": episode.task,
            "Attempt": episode.attempt,
            "Outcome": job.outcome,
            "Trigger": job.trigger,
        },
        "EnqueuedAt": came_at,
        "NextAttemptAt": came_at if job.due == job.enqueued_at else _time(job.due),
        "Attempts": job.attempts,
        "LastError": job.last_error,
    }
    if job.wait:
        fields["Wait"] = job.wait.total_seconds()
    if episode != Episode(Scope(), episode.task, episode.attempt):
        fields["Episode"] = {
            "scope": episode.scope,
            "error": episode.error,
            "steps": episode.steps,
            "signals": episode.signals,
            "source": episode.source,
        }
    return fields


def _from_fields(fields: dict[str, Any]) -> Job:
    fields = _any_case(fields)
    request = _any_case(fields["request"])
    extra = fields.get("episode") or {}
    episode = Episode(
        scope=Scope(*extra.get("scope", ())),
        task=request.get("task", ""),
        attempt=request.get("attempt", ""),
        error=extra.get("error", ""),
        steps=tuple(read_step(step) for step in extra.get("steps", ())),
        signals=tuple((key, value) for key, value in extra.get("signals", ())),
        source=extra.get("source", "library"),
    )
    job = Job(
        id=fields["id"],
        episode=episode,
        trigger=request.get("trigger", ""),
        outcome=request.get("outcome", ""),
        enqueued_at=_moment(fields.get("enqueuedat", "")),
        due=_moment(fields.get("nextattemptat", "")),
        attempts=fields.get("attempts", 0),
        last_error=fields.get("lasterror", ""),
        wait=timedelta(seconds=fields.get("wait", 0)),
    )
    if not _has_valid_types(job):
        raise BadRecord("values of the wrong type")
    return job


def _has_valid_types(job: Job) -> bool:
    """Whether every value has the right type: a record may come from anywhere."""
    episode = job.episode
    words = [
        *(job.id, job.trigger, job.outcome, job.last_error),
        *(episode.task, episode.attempt, episode.error, episode.source),
        *(episode.scope.tenant, episode.scope.agent, episode.scope.project or ""),
        *(part for pair in episode.signals for part in pair),
        *(part for step in episode.steps for part in step[:3]),
    ]
    return (
        set(map(type, words)) == {str}
        and {type(step.failed) for step in episode.steps} <= {bool}
        and type(job.attempts) is int
        and job.attempts >= 0
    )


def _any_case(fields: dict[str, Any]) -> dict[str, Any]:
    """Fields by lower-case name: Go ignores the case of keys."""
    return {key.lower(): value for key, value in fields.items()}


def _time(moment: datetime) -> str:
    return moment.isoformat().replace("+00:00", "Z")


def _moment(text: str) -> datetime:
    """RFC 3339 with up to nine fractional digits; Go's zero time becomes the epoch."""
    if not text or text.startswith("0001-"):
        return EPOCH
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise BadRecord(f"time without zone {text!r}")
    return moment
