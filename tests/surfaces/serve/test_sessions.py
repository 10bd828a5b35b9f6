"""Logins of browsers: how long they last, and what a form has to show."""

from __future__ import annotations

import pytest

from hardwon.surfaces.serve.principal import Principal
from hardwon.surfaces.serve.sessions import LINK_LASTS, LOGIN_LASTS, BrowserSessions, is_same

WHO = Principal("acme", "viewer")


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def sessions(clock: Clock) -> BrowserSessions:
    return BrowserSessions(clock)


def test_a_link_works_once_and_not_after_its_time(sessions: BrowserSessions, clock: Clock) -> None:
    code, late = sessions.link(WHO), sessions.link(WHO)

    assert sessions.follow(code)
    assert sessions.follow(code) is None
    clock.now += LINK_LASTS
    assert sessions.follow(late) is None


def test_who_asks_now_and_then_stays_logged_in(sessions: BrowserSessions, clock: Clock) -> None:
    cookie = sessions.begin(WHO)
    for _ in range(3):
        clock.now += LOGIN_LASTS - 1
        assert sessions.find(cookie)

    clock.now += LOGIN_LASTS

    assert sessions.find(cookie) is None
    assert sessions.find("another") is None


def test_who_logs_out_is_out(sessions: BrowserSessions) -> None:
    cookie = sessions.begin(WHO)

    sessions.end(cookie)

    assert sessions.find(cookie) is None


@pytest.mark.parametrize(("shown", "is_right"), [("a1", True), ("a2", False), ("", False)])
def test_a_form_shows_the_token_of_its_session(shown: str, is_right: bool) -> None:
    assert is_same(shown, "a1") is is_right


def test_a_session_without_a_token_accepts_none() -> None:
    assert not is_same("", "")
