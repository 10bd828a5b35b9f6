"""The bytes of a record: published, so they are held exactly."""

from __future__ import annotations

import hashlib
import json
import struct
import zlib
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon import Episode, Job, Scope
from hardwon.core.values.job import job_id
from hardwon.storage.queues.records import BadRecord, decode, encode
from tests.samples import job

THEN = datetime(2026, 4, 22, 10, tzinfo=UTC)
TEXT = st.text(st.characters(codec="utf-8"), max_size=40)


def published() -> Job:
    words = "Edit main.go", "error", "used full rewrite", "ERROR: file too large"
    task, trigger, attempt, outcome = words
    return Job(job_id(*words), Episode(Scope(), task, attempt), trigger, outcome, THEN, THEN)


def framed(payload: bytes) -> bytes:
    crc = zlib.crc32(payload)
    return struct.pack(">4sII", b"LSN1", len(payload), crc) + payload + struct.pack(">I", crc)


def by_the_published_program(**changes: object) -> bytes:
    fields = {
        "ID": "bba86ebf380b9dbc",
        "Request": {"Task": "t", "Attempt": "a", "Outcome": "o", "Trigger": "error"},
        "EnqueuedAt": "2026-04-22T07:00:00.123456789-03:00",
        "NextAttemptAt": "2026-04-22T07:00:01-03:00",
        "Attempts": 2,
        "LastError": "503",
    }
    return framed(json.dumps({"v": 1, "job": fields | changes}).encode())


def test_the_published_record_has_the_published_bytes() -> None:
    record = encode(published())

    digest = hashlib.sha256(record).hexdigest()
    assert len(record) == 274
    assert record[4:12] == struct.pack(">II", 258, 0x35387659)
    assert (digest[:8], digest[-5:]) == ("695daf73", "c7f27")


def test_markup_is_escaped_as_the_published_program_does() -> None:
    record = encode(published()._replace(outcome="<a> & \u2028 ü"))

    assert rb"\u003ca\u003e \u0026 \u2028" in record
    assert "ü".encode() in record


def test_a_record_of_the_published_program_is_read() -> None:
    read = decode(by_the_published_program())

    assert (read.id, read.attempts, read.last_error) == ("bba86ebf380b9dbc", 2, "503")
    assert read.enqueued_at == datetime(2026, 4, 22, 10, 0, 0, 123456, tzinfo=UTC)


def test_keys_of_another_case_and_bytes_behind_the_record_are_read_over() -> None:
    payload = by_the_published_program()[12:-4].replace(b'"Attempts"', b'"attempts"')

    assert decode(framed(payload) + b"tail").attempts == 2


def test_a_zero_time_is_the_epoch() -> None:
    read = decode(by_the_published_program(EnqueuedAt="0001-01-01T00:00:00Z"))

    assert read.enqueued_at.year == 1970


@pytest.mark.parametrize("size", [0, 1, 4079, 4084, 4085, 4097, 65535, 65537, 1 << 19])
def test_every_size_comes_back_exactly(size: int) -> None:
    assert decode(encode(job("x" * size))) == job("x" * size)


@pytest.mark.parametrize(
    "payload",
    [b"[]", b"null", b'{"v":2,"job":{}}', b'{"v":1}', b'{"v":1,"job":[]}', b"{", b"\xff"],
)
def test_whole_frames_without_a_job_are_refused(payload: bytes) -> None:
    with pytest.raises(BadRecord):
        decode(framed(payload))


@pytest.mark.parametrize(
    "changes",
    [
        {"ID": 7},
        {"Attempts": "two"},
        {"Attempts": -1},
        {"LastError": 7},
        {"EnqueuedAt": "yesterday"},
        {"EnqueuedAt": 7},
        {"EnqueuedAt": "2026-04-22T07:00:00"},
        {"Request": []},
        {"Request": {"Task": 7}},
        {"Request": {"Task": None}},
        {"Episode": {"scope": [1, 2, 3]}},
        {"Episode": {"steps": [["bash"]]}},
        {"Episode": {"steps": [[1, 2, 3, 4]]}},
        {"Episode": {"signals": [[1]]}},
        {"Episode": 7},
    ],
)
def test_a_whole_frame_with_values_of_the_wrong_kind_is_refused(changes: dict) -> None:
    with pytest.raises(BadRecord):
        decode(by_the_published_program(**changes))


def test_no_truncation_is_taken_for_a_record() -> None:
    record = encode(job())

    for length in range(len(record)):
        with pytest.raises(BadRecord):
            decode(record[:length])


@given(st.data())
def test_no_flipped_bit_is_taken_for_another_job(data: st.DataObject) -> None:
    record = bytearray(encode(job()))
    at = data.draw(st.integers(0, len(record) - 1))
    record[at] ^= 1 << data.draw(st.integers(0, 7))

    with pytest.raises(BadRecord):
        decode(bytes(record))


@given(st.binary(max_size=300))
def test_any_bytes_are_a_job_or_are_refused(content: bytes) -> None:
    for candidate in (content, framed(content)):
        with pytest.raises(BadRecord):
            decode(candidate)


@given(TEXT, TEXT, TEXT, st.integers(0, 9))
def test_every_job_comes_back_exactly(task: str, attempt: str, error: str, attempts: int) -> None:
    made = job(task)._replace(last_error=error, attempts=attempts)
    made = made._replace(episode=made.episode._replace(attempt=attempt))

    assert decode(encode(made)) == made
