"""What is written about an insight, and what it is worth."""

from __future__ import annotations

from hardwon.learn.transcripts.questions import Question
from tests.learn.transcripts.mined import Desk, failing, typical
from tests.learn.transcripts.transcripts import SESSION


def test_a_mined_fix_comes_back_at_the_error_door(desk: Desk) -> None:
    typical(desk).write(desk.home)

    desk.mine()
    coder = desk.hw.agent("coder", project=str(desk.project))
    output = "Exit code 1\nmkdir: cannot create directory 'out/weekly'"
    found = coder.after_action("Bash", {"command": "mkdir out/weekly"}, output=output, failed=True)

    assert "What worked: `mkdir -p out/nightly`." in found.text


def test_a_mined_fix_is_told_before_the_same_call(desk: Desk) -> None:
    talk = desk.talk().says("Start the database")
    error = "Error: Bind for 0.0.0.0:5432 failed: port is already allocated"
    talk.run("docker compose up -d db", error, failed=True)
    talk.run("DB_PORT=5433 docker compose up -d db").agent("It runs.").write(desk.home)
    waiting = desk.agent.sessions.ask(desk.agent.sessions.choose(""))
    desk.agent.sessions.answer(waiting.run, {"Q2": ["1"]})
    coder = desk.hw.agent("coder", project=str(desk.project))

    told = coder.before_action("Bash", {"command": "docker compose up -d db"})

    assert "`DB_PORT=5433 docker compose up -d db`" in told.text
    assert not coder.before_action("Bash", {"command": "docker compose up -d web"})


def test_what_a_person_chose_is_told_before_a_call_that_needs_another_first(desk: Desk) -> None:
    talk = desk.talk().says("Start the database")
    talk.run("docker compose up -d db", "Error: network infra_default not found", failed=True)
    talk.run("docker network create infra_default").run("docker compose up -d db")
    talk.agent("It runs.").write(desk.home)
    waiting = desk.agent.sessions.ask(desk.agent.sessions.choose(""))
    desk.agent.sessions.answer(waiting.run, {"Q2": ["1"]})
    coder = desk.hw.agent("coder", project=str(desk.project))

    told = coder.before_action("Bash", {"command": "docker compose up -d db"})

    assert "first `docker network create infra_default`" in told.text


def test_what_a_person_chose_is_proven_and_what_one_session_shows_is_a_candidate(
    desk: Desk,
) -> None:
    typical(desk).write(desk.home)
    desk.mine()
    own = desk.hw.agent("coder", project=str(desk.project))
    by_policy = {lesson.situation[:5]: lesson.status for lesson in own.lessons.list()}
    desk.agent.sessions.undo()

    waiting = desk.agent.sessions.ask(desk.agent.sessions.choose(SESSION))
    desk.agent.sessions.answer(waiting.run, {"Q2": ["1", "2"]})
    chosen = {lesson.situation[:5]: lesson.status for lesson in own.lessons.list()}

    assert by_policy == {"mkdir": "candidate", "Don't": "proven"}  # the user said the second
    assert chosen == {"mkdir": "proven", "Don't": "proven"}


def test_a_fix_that_two_sessions_show_has_worked_twice(desk: Desk) -> None:
    for name in ("one", "two"):
        failing(desk, "mkdir -p out/nightly").write(desk.home, session=name)
        waiting = desk.agent.sessions.ask(desk.agent.sessions.choose(name))
        desk.agent.sessions.mine(waiting.context.place, lambda *_: _first_insight)

    (lesson,) = desk.hw.agent("coder", project=str(desk.project)).lessons.list()
    assert [fix.worked for fix in lesson.fixes] == [2]


def test_a_candidate_that_a_person_chooses_is_proven(desk: Desk) -> None:
    failing(desk, "mkdir -p out/nightly").write(desk.home)
    desk.mine()
    own = desk.hw.agent("coder", project=str(desk.project))
    (before,) = own.lessons.list()
    failing(desk, "mkdir -p out/nightly").write(desk.home, session="second")
    waiting = desk.agent.sessions.ask(desk.agent.sessions.choose("second"))

    desk.agent.sessions.answer(waiting.run, {"Q2": ["1"], "Q4.1": "merge"})

    (after,) = own.lessons.list()
    assert (before.status, after.status, after.id) == ("candidate", "proven", before.id)


def _first_insight(question: Question) -> tuple[str, ...]:
    chosen = {"Q2": "1", "Q4.1": "merge"}
    return (chosen[question.id],) if question.id in chosen else question.default


def test_a_run_that_shows_the_fix_of_a_session_proves_its_lesson(desk: Desk) -> None:
    typical(desk).write(desk.home)
    desk.mine()
    own = desk.hw.agent("coder", project=str(desk.project))
    (read,) = [lesson for lesson in own.lessons.list() if lesson.fixes]
    assert read.status == "candidate"

    failed = "mkdir: cannot create directory 'out/weekly'"
    own.after_action("bash", {"command": "mkdir out/weekly"}, output=failed, failed=True)
    own.after_action("bash", {"command": "mkdir -p out/weekly"}, failed=False)
    own.after_run(task="report weekly")

    proven = own.lessons.get(read.id)
    assert (proven.status, proven.correction) == ("proven", read.correction)
