"""What was mined is remembered."""

from __future__ import annotations

from datetime import timedelta

from tests.learn.transcripts.mined import Desk, typical


def test_mining_the_same_session_twice_adds_nothing(desk: Desk) -> None:
    typical(desk).write(desk.home)
    desk.mine()
    before, lessons = desk.files(), desk.lessons()

    again = desk.mine()

    assert not again.report.id
    assert desk.files() == before
    assert desk.lessons() == lessons


def test_a_history_is_mined_once_and_goes_on_where_it_stopped(desk: Desk) -> None:
    for name in ("one", "two", "three"):
        typical(desk).write(desk.home, session=name)
    sessions = desk.agent.sessions
    places = sessions.find(since=timedelta(days=7))

    first = next(sessions.mine_all(places))
    rest = [result.place.id for result in sessions.mine_all(places)]

    assert len(rest) == 2
    assert first.place.id not in rest
    assert not list(sessions.mine_all(places))


def test_a_session_that_grew_is_mined_again(desk: Desk) -> None:
    talk = typical(desk)
    talk.write(desk.home)
    sessions = desk.agent.sessions
    list(sessions.mine_all(sessions.find()))
    talk.says("Never push to the main branch.").write(desk.home)

    results = list(sessions.mine_all(sessions.find()))

    assert [len(result.report.lessons) for result in results] == [1]
