"""Where insights are written."""

from __future__ import annotations

from pathlib import Path

from hardwon.engine.trust import project_for
from tests.learn.transcripts.mined import Desk, typical


def test_a_session_in_an_unconfirmed_folder_teaches_apart(desk: Desk, tmp_path: Path) -> None:
    for folder in (tmp_path / "real", desk.project):
        (folder / ".git").mkdir(parents=True)
        config = '[remote "origin"]\n\turl = https://host.example/acme/shop\n'
        (folder / ".git" / "config").write_text(config, encoding="utf-8")
    project_for(str(tmp_path / "real"), desk.hw.settings.home, tenant="default")
    typical(desk).write(desk.home)

    desk.mine()

    own = desk.hw.agent("coder", project="acme/shop")
    assert own.lessons.list() == []
    desk.hw.projects.trust(desk.project)
    assert len(own.lessons.list()) == 2


def test_a_user_level_session_never_touches_a_memory_md(desk: Desk) -> None:
    talk = typical(desk)
    path = desk.home / ".claude" / "sessions" / "user.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text(talk.text(), encoding="utf-8")

    desk.mine("user")

    assert not list(desk.home.rglob("MEMORY.md"))
    assert list((desk.home / ".claude" / ".insights").glob("*.md"))


def test_the_domain_of_an_insight_is_that_of_its_program(desk: Desk) -> None:
    talk = desk.talk().says("Install the packages")
    talk.run("npm install left", "npm error code ERESOLVE could not resolve", failed=True)
    talk.run("npm install --legacy-peer-deps left").agent("Done.").write(desk.home)
    sessions = desk.agent.sessions
    asked = sessions.ask(sessions.choose(""))

    sessions.answer(asked.run, {"Q1": "skip", "Q2": "1", "Q5.1": "B", "Q5b.1": "domain"})

    (written,) = (desk.home / ".claude" / ".insights" / "domain").rglob("*.md")
    assert written.parent.name == "javascript"
