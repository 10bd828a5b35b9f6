"""Keys and logins of a server, in each database that it may have: made, shared, and ended."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from hardwon.core.errors import InvalidInput, NotFound, StorageError
from hardwon.core.settings import Settings, load
from hardwon.storage.service import (
    IDLE,
    LINK,
    LONGEST,
    MOST,
    FileDatabase,
    KeyRing,
    Limit,
    Logins,
    ServiceDatabase,
    forget,
    move,
    open_database,
)


@pytest.fixture(params=["sqlite", "postgres"])
def settings(request: pytest.FixtureRequest, tmp_path: Path) -> Settings:
    """The settings of a home with its own file, and of one that shares a database."""
    own = load(str(tmp_path))
    if request.param == "sqlite":
        return own
    return own.on_database(request.getfixturevalue("database").url)


@pytest.fixture
def first(settings: Settings) -> Iterator[ServiceDatabase]:
    database = open_database(settings)
    yield database
    database.close()


@pytest.fixture
def second(settings: Settings) -> Iterator[ServiceDatabase]:
    """What another server opens at the same time."""
    database = open_database(settings)
    yield database
    database.close()


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
def ring(first: ServiceDatabase, clock: Clock) -> KeyRing:
    return KeyRing(first, clock)


def test_a_key_is_found_by_its_text_only(ring: KeyRing) -> None:
    key, text = ring.create(tenant="acme", role="curator", agent="coder", project="api", note="ci")

    assert text.startswith(f"hw_{key.id}_")
    assert ring.holder(text) == key
    assert ring.list() == [key]
    assert ring.holder(f"hw_{key.id}_") is None
    assert ring.holder(text.removeprefix("hw_")) is None
    assert ring.holder("sk" + text.removeprefix("hw")) is None
    assert ring.holder(text + "x") is None


def test_no_file_holds_the_secret(tmp_path: Path) -> None:
    secret = KeyRing(FileDatabase(str(tmp_path))).create()[1].split("_", 2)[2].encode()

    for file in tmp_path.iterdir():
        assert secret not in file.read_bytes()
        assert os.stat(file).st_mode & 0o077 == 0


def test_another_server_sees_a_revocation_at_once(ring: KeyRing, second: ServiceDatabase) -> None:
    key, text = ring.create()
    other = KeyRing(second)
    assert other.list() == [key]

    other.revoke(key.id)

    assert ring.holder(text) is None


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
        assert ring.is_noted(held) is (seconds > 1)
        if not ring.is_noted(held):
            ring.used(held)
    assert ring.list()[0].used_at == NOW + timedelta(seconds=1)

    clock.now = NOW + timedelta(seconds=61)
    assert not ring.is_noted(ring.list()[0])
    ring.used(ring.list()[0])

    assert ring.list()[0].used_at == clock.now


def test_keys_belong_to_tenants(ring: KeyRing, settings: Settings) -> None:
    mine, _ = ring.create(tenant="mine")
    yours, text = ring.create(tenant="yours")

    assert ring.list(Limit("mine")) == [mine]
    with pytest.raises(NotFound):
        ring.revoke(yours.id, limit=Limit("mine"))
    assert ring.holder(text)
    forget(settings, "yours")
    assert ring.holder(text) is None


LIMITED = Limit("acme", "coder", "api", NOW + timedelta(days=1))


def test_a_limit_covers_only_keys_that_are_limited_as_well(ring: KeyRing) -> None:
    places = [(None, None), ("coder", None), (None, "api"), ("coder", "api"), ("coder", "web")]
    keys = [
        ring.create(tenant="acme", agent=agent, project=project)[0] for agent, project in places
    ]
    ring.create(tenant="other", agent="coder", project="api")

    assert ring.list(LIMITED) == [keys[3]]
    for key in (keys[0], keys[1], keys[2], keys[4]):
        with pytest.raises(NotFound):
            ring.revoke(key.id, limit=LIMITED)
    assert ring.revoke(keys[3].id, limit=LIMITED).revoked_at == NOW


def test_a_key_made_within_a_limit_has_it(ring: KeyRing) -> None:
    key, _ = ring.create(role="admin", limit=LIMITED)
    longer, _ = ring.create(lasts=timedelta(days=9), limit=LIMITED)
    shorter, _ = ring.create(lasts=timedelta(hours=1), limit=LIMITED)

    assert Limit(key.tenant, key.agent, key.project, key.expires_at) == LIMITED
    assert longer.expires_at == LIMITED.expires_at
    assert shorter.expires_at == NOW + timedelta(hours=1)


@pytest.mark.parametrize("wider", [{"tenant": "x"}, {"agent": "x"}, {"project": "x"}])
def test_no_key_is_made_beyond_a_limit(ring: KeyRing, wider: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match="only"):
        ring.create(limit=LIMITED, **wider)


def test_a_key_cannot_last_longer_than_time(ring: KeyRing) -> None:
    with pytest.raises(InvalidInput, match="that long"):
        ring.create(lasts=timedelta(days=999_999_999))


@pytest.mark.parametrize("wrong", [{"role": "root"}, {"tenant": ""}, {"agent": "a\nb"}])
def test_a_key_that_means_nothing_is_not_made(ring: KeyRing, wrong: dict[str, str]) -> None:
    with pytest.raises(InvalidInput):
        ring.create(**wrong)  # type: ignore[arg-type]
    assert ring.list() == []


def test_keys_move_to_another_database_and_open_the_same(
    first: ServiceDatabase, tmp_path: Path
) -> None:
    file = FileDatabase(str(tmp_path / "file"))
    before = KeyRing(file)
    texts = [before.create(agent="coder", lasts=timedelta(days=9))[1] for _ in range(2)]
    before.revoke(before.list()[0].id)
    held = [before.holder(text) for text in texts]

    assert move(file, first) == 2
    assert before.list() == []

    assert [KeyRing(first).holder(text) for text in texts] == held
    assert move(file, first) == 0


def test_a_link_in_the_place_of_the_file_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "serve.db").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(StorageError, match=r"serve\.db"):
        FileDatabase(str(tmp_path))

    assert not (tmp_path / "elsewhere").exists()


def test_a_file_that_is_no_database_is_named_and_let_go(tmp_path: Path) -> None:
    (tmp_path / "serve.db").write_bytes(b"not a database, and long enough to be looked at" * 50)

    with pytest.raises(StorageError, match=r"serve\.db"):
        FileDatabase(str(tmp_path))

    gc.collect()  # from Python 3.13 on, a connection that was left open warns here


@pytest.fixture
def logins(first: ServiceDatabase, clock: Clock) -> Logins:
    return Logins(first, lambda: clock().timestamp())


def test_a_link_works_once_and_not_after_its_time(logins: Logins, clock: Clock) -> None:
    code, late = logins.link("acme"), logins.link("acme")

    cookie = logins.follow(code)

    assert cookie
    assert logins.find(cookie) == ("acme", None)
    assert logins.follow(code) is None
    clock.now += timedelta(seconds=LINK)
    assert logins.follow(late) is None


def test_a_link_is_no_cookie_and_a_cookie_no_link(logins: Logins) -> None:
    code, cookie = logins.link("acme"), logins.begin("acme")

    assert logins.find(code) is None
    assert logins.follow(cookie) is None


def test_who_asks_now_and_then_stays_logged_in_until_the_last_moment(
    logins: Logins, clock: Clock
) -> None:
    cookie, begun = logins.begin("acme"), clock.now
    for _ in range(3):
        clock.now += timedelta(seconds=LONGEST / 3 - 1)
        assert logins.find(cookie)

    clock.now = begun + timedelta(seconds=LONGEST)

    assert logins.find(cookie) is None


def test_who_does_not_ask_is_logged_out(logins: Logins, clock: Clock) -> None:
    cookie = logins.begin("acme")

    clock.now += timedelta(seconds=IDLE)

    assert logins.find(cookie) is None
    assert logins.find("another") is None


def test_who_logs_out_is_out(logins: Logins) -> None:
    cookie, other = logins.begin("acme"), logins.begin("acme")

    logins.end(cookie)

    assert logins.find(cookie) is None
    assert logins.find(other)


def test_a_login_ends_with_its_key(logins: Logins, ring: KeyRing) -> None:
    key, _ = ring.create(tenant="acme")
    cookie = logins.begin("acme", key.id)
    assert logins.find(cookie) == ("acme", key)

    ring.revoke(key.id)

    assert logins.find(cookie) is None


def test_many_logins_with_one_key_end_only_its_own(
    logins: Logins, ring: KeyRing, clock: Clock
) -> None:
    own, other = ring.create()[0], ring.create(tenant="other")[0]
    owner, cookie = logins.begin("default"), logins.begin("default", own.id)

    many = []
    for _ in range(MOST + 10):
        clock.now += timedelta(seconds=1)
        many.append(logins.begin("other", other.id))

    assert logins.find(owner)
    assert logins.find(cookie)
    assert [bool(logins.find(one)) for one in many] == [False] * 10 + [True] * MOST


def test_only_the_owner_of_the_home_chooses_a_tenant(logins: Logins, ring: KeyRing) -> None:
    key, _ = ring.create(tenant="acme")
    owner, other = logins.begin("default"), logins.begin("acme", key.id)

    logins.choose(owner, "yours")
    logins.choose(other, "yours")

    assert logins.find(owner) == ("yours", None)
    assert logins.find(other) == ("acme", key)


def test_two_servers_share_logins_and_links(
    logins: Logins, second: ServiceDatabase, clock: Clock
) -> None:
    elsewhere = Logins(second, lambda: clock().timestamp())

    cookie = elsewhere.follow(logins.link("acme"))

    assert cookie
    assert logins.find(cookie)
    logins.end(cookie)
    assert elsewhere.find(cookie) is None


def test_no_row_holds_a_cookie(first: ServiceDatabase, logins: Logins) -> None:
    shown = {logins.begin("acme"), logins.link("acme")}

    rows = first("SELECT * FROM service.logins")

    assert len(rows) == 2
    assert not any(text in str(row) for row in rows for text in shown)
