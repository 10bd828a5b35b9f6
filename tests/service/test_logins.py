"""Logins of browsers: how long they last, how many there are, and who shares them."""

from __future__ import annotations

import time
from datetime import UTC, datetime

import pytest

from hardwon.storage.service import IDLE, LINK, LONGEST, MOST, KeyRing, Logins, ServiceDatabase


class Clock:
    def __init__(self) -> None:
        self.now = time.time()

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def logins(first: ServiceDatabase, clock: Clock) -> Logins:
    return Logins(first, clock)


@pytest.fixture
def ring(first: ServiceDatabase, clock: Clock) -> KeyRing:
    return KeyRing(first, lambda: datetime.fromtimestamp(clock(), UTC))


def test_a_link_works_once_and_not_after_its_time(logins: Logins, clock: Clock) -> None:
    code, late = logins.link("acme"), logins.link("acme")

    cookie = logins.follow(code)

    assert cookie
    assert logins.find(cookie) == ("acme", None)
    assert logins.follow(code) is None
    clock.now += LINK
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
        clock.now += LONGEST / 3 - 1
        assert logins.find(cookie)

    clock.now = begun + LONGEST

    assert logins.find(cookie) is None


def test_who_does_not_ask_is_logged_out(logins: Logins, clock: Clock) -> None:
    cookie = logins.begin("acme")

    clock.now += IDLE

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
        clock.now += 1
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
    elsewhere = Logins(second, clock)

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
