"""What memory says already."""

from __future__ import annotations

import pytest

from hardwon.learn.transcripts.insight import Related
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


def asked(desk: Desk, *notes: str) -> list[Related]:
    """What memory says about a session in which `docker compose up` fails and is mended."""
    (desk.project / "CLAUDE.md").write_text("# Notes\n\n" + "\n".join(f"- {n}" for n in notes))
    talk = desk.talk().says("Start the database")
    error = "Error: Bind for 0.0.0.0:5432 failed: port is already allocated"
    talk.run("docker compose up db", error, failed=True)
    talk.run("docker compose up --force-recreate db").agent("It runs.").write(desk.home)
    return list(desk.agent.sessions.ask(desk.agent.sessions.choose("")).delta.related)


@pytest.mark.parametrize(
    "note",
    [
        "docker compose wants the VPN to be off",
        "If a port is already allocated, Anna knows which service holds it",
    ],
    ids=["command", "error"],
)
def test_a_persons_own_note_is_found_by_command_and_by_error(desk: Desk, note: str) -> None:
    (related,) = asked(desk, "Say hello to Anna before the release", note)

    assert (related.relation, related.excerpt) == ("complementary", f"- {note}")
    assert related.path == str(desk.project / "CLAUDE.md")


def test_a_note_about_something_else_is_not_found(desk: Desk) -> None:
    assert asked(desk, "docker is installed on the server", "the port of the API is 8080") == []
