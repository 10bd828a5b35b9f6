"""Mining through the public face, on real files."""

from __future__ import annotations

from tests.learn.transcripts.mined import Desk, typical
from tests.learn.transcripts.transcripts import SESSION, Claude


def test_a_session_that_fails_does_not_stop_the_others(desk: Desk) -> None:
    typical(desk).write(desk.home)
    elsewhere = Claude(cwd=str(desk.project / "gone")).agent("x").says("Never use npm, use pnpm.")
    path = elsewhere.write(desk.home, session="odd")
    locked = path.parent / "memory"
    locked.mkdir()
    (locked / "MEMORY.md").write_bytes(b"\xff")

    sessions = desk.agent.sessions
    results = {one.place.id: one.problem for one in sessions.mine_all(sessions.find())}

    assert results[SESSION] == ""
    assert "not UTF-8" in results["odd"]
