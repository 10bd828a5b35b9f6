"""Keys: shown once, kept as digests, gone when they are revoked."""

from __future__ import annotations

import gc
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from hardwon.errors import InvalidInput, NotFound, StorageError
from hardwon.service.database import ServiceDatabase, forget
from hardwon.service.keys import KeyRing

NOW = datetime(2026, 3, 1, tzinfo=UTC)


class Clock:
    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def ring(tmp_path: Path, clock: Clock) -> KeyRing:
    return KeyRing(ServiceDatabase(str(tmp_path)), clock)


def test_a_key_is_found_by_its_text_only(ring: KeyRing) -> None:
    key, text = ring.create(tenant="acme", role="curator", agent="coder", project="api", note="ci")

    assert text.startswith(f"hw_{key.id}_")
    assert ring.holder(text) == key
    assert ring.list() == [key]
    assert ring.holder(f"hw_{key.id}_") is None
    assert ring.holder(text.removeprefix("hw_")) is None
    assert ring.holder("sk" + text.removeprefix("hw")) is None
    assert ring.holder(text + "x") is None


def test_no_file_holds_the_secret(ring: KeyRing, tmp_path: Path) -> None:
    secret = ring.create()[1].split("_", 2)[2].encode()

    for file in tmp_path.iterdir():
        assert secret not in file.read_bytes()
        assert os.stat(file).st_mode & 0o077 == 0


def test_another_process_sees_a_revocation_at_once(ring: KeyRing, tmp_path: Path) -> None:
    key, text = ring.create()
    other = KeyRing(ServiceDatabase(str(tmp_path)))
    assert other.holder(text)

    other.revoke(key.id)

    assert ring.holder(text) is None
    assert not ring.is_valid(key.id)


def test_a_key_that_is_revoked_twice_keeps_the_first_time(ring: KeyRing, clock: Clock) -> None:
    key, _ = ring.create()
    ring.revoke(key.id)
    clock.now += timedelta(hours=1)

    assert ring.revoke(key.id).revoked_at == NOW
    assert ring.list()[0].revoked_at == NOW


def test_a_note_is_one_short_line_without_control_characters(ring: KeyRing) -> None:
    key, _ = ring.create(note="for\n\x1b[31mthe build " + "x" * 300)

    assert key.note.isprintable()
    assert len(key.note) <= 200
    assert ring.list() == [key]


def test_a_key_expires(ring: KeyRing, clock: Clock) -> None:
    _, text = ring.create(lasts=timedelta(days=1))
    assert ring.holder(text)

    clock.now += timedelta(days=1)

    assert ring.holder(text) is None


def test_the_last_use_is_known_to_the_minute(ring: KeyRing, clock: Clock) -> None:
    _, text = ring.create()
    for seconds in (1, 30, 45):
        clock.now = NOW + timedelta(seconds=seconds)
        held = ring.holder(text)
        assert held
        ring.used(held)
    assert ring.list()[0].used_at == NOW + timedelta(seconds=1)

    clock.now = NOW + timedelta(seconds=61)
    ring.used(ring.list()[0])

    assert ring.list()[0].used_at == clock.now


def test_keys_belong_to_tenants(ring: KeyRing, tmp_path: Path) -> None:
    mine, _ = ring.create(tenant="mine")
    yours, text = ring.create(tenant="yours")

    assert ring.list("mine") == [mine]
    with pytest.raises(NotFound):
        ring.revoke(yours.id, tenant="mine")
    assert ring.holder(text)
    forget(str(tmp_path), "yours")
    assert ring.holder(text) is None


@pytest.mark.parametrize("wrong", [{"role": "root"}, {"tenant": ""}, {"agent": "a\nb"}])
def test_a_key_that_means_nothing_is_not_made(ring: KeyRing, wrong: dict[str, str]) -> None:
    with pytest.raises(InvalidInput):
        ring.create(**wrong)  # type: ignore[arg-type]
    assert ring.list() == []


def test_a_link_in_the_place_of_the_file_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "serve.db").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(StorageError, match=r"serve\.db"):
        ServiceDatabase(str(tmp_path))

    assert not (tmp_path / "elsewhere").exists()


def test_a_file_that_is_no_database_is_named_and_let_go(tmp_path: Path) -> None:
    (tmp_path / "serve.db").write_bytes(b"not a database, and long enough to be looked at" * 50)

    with pytest.raises(StorageError, match=r"serve\.db"):
        ServiceDatabase(str(tmp_path))

    gc.collect()  # from Python 3.13 on, a connection that was left open warns here
