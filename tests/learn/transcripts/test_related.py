"""What memory says already."""

from __future__ import annotations

from tests.learn.transcripts.mined import Desk, two_fixes, typical


def test_the_same_insight_of_another_session_is_not_written_twice(desk: Desk) -> None:
    typical(desk).write(desk.home)
    desk.mine()
    before = desk.memory.read_text(encoding="utf-8")
    typical(desk).write(desk.home, session="another")

    desk.mine("another")

    assert desk.memory.read_text(encoding="utf-8") == before


def test_another_fix_of_the_same_failure_is_another_insight(desk: Desk) -> None:
    (related,) = two_fixes(desk).delta.related

    assert related.relation == "complementary"
    assert related.path == str(desk.insights / "mkdir.md")
