"""What each event means, whichever agent it comes from: every event in a fresh opening."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

import hardwon
from hardwon.core.errors import StorageError
from hardwon.surfaces.hooks.agents import Event, EventKind, HookReply, adapter
from hardwon.surfaces.hooks.respond import CONTEXT_LIMIT, respond
from tests.stored import stored
from tests.surfaces.hooks.test_adapters import recorded

PROJECT = "/home/dev/project"
CALL: dict[str, Any] = {"tool": "Bash", "args": {"command": "git push --force"}}
ASKED = "make the nightly report folder"
START, ACTION, ERROR = "earlier runs of this project", "[PITFALL OF THIS CALL", "[SAME FAILURE "


@pytest.fixture(autouse=True)
def _no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests work the queue themselves."""
    monkeypatch.setenv("HARDWON_HOOKS_WAKE", "false")


class Home:
    """A home in which every event finds a process of its own."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def tell(self, kind: str, session: str = "s1", **fields: Any) -> HookReply:
        return self.pass_on(Event(kind, kind, session=session, cwd=PROJECT, **fields))

    def pass_on(self, event: Event, program: str = "") -> HookReply:
        with hardwon.open(self.path) as hw:
            return respond(event, hw, program)

    def replay(self, agent: str, session: str) -> Iterator[tuple[str, HookReply]]:
        """The recorded run of an agent as another session."""
        for name, payload in recorded(agent):
            event = adapter(agent).read(payload, name)
            if event is not None:
                yield event.kind, self.pass_on(event._replace(session=session), agent)

    def work(self) -> None:
        with hardwon.open(self.path) as hw:
            hw.drain()

    def lessons(self) -> list[hardwon.Lesson]:
        with hardwon.open(self.path) as hw:
            return list(hw.agent("default", project=PROJECT).lessons.list())


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


def test_the_program_that_met_a_failure_is_recorded(home: Home) -> None:
    for agent, session in (("claude-code", "one"), ("claude-code", "two"), ("gemini", "three")):
        list(home.replay(agent, session))
        home.tell(EventKind.SESSION_END, session)
    home.work()

    with hardwon.open(home.path) as hw:
        (failure, *_) = hw.agent("default").recurring(since=timedelta(days=1))

    assert failure.programs == (("claude", 2), ("gemini", 1))


@pytest.mark.parametrize("agent", ["claude-code", "gemini", "copilot", "opencode", "cline", "qwen"])
def test_a_failure_of_one_session_is_known_in_the_next(agent: str, home: Home) -> None:
    for _, reply in home.replay(agent, "one"):
        assert not reply.context
    home.work()

    seen = list(home.replay(agent, "two"))
    told = dict(seen)

    assert [lesson.correction for lesson in home.lessons()] == [
        "What worked: `mkdir -p out/nightly`."
    ]
    assert [ACTION in reply.denial for kind, reply in seen if kind == EventKind.BEFORE].count(True)
    assert not told[EventKind.FAILED]  # the denial has said it; it was not carried out in truth
    assert not told[EventKind.STOP]


def test_what_one_session_got_past_is_told_when_the_next_starts(home: Home) -> None:
    list(home.replay("claude-code", "one"))

    told = dict(home.replay("claude-code", "two"))

    assert START in told[EventKind.SESSION_START].context
    assert "`mkdir -p out/nightly`" in told[EventKind.SESSION_START].context


def test_the_same_call_that_failed_in_another_session_is_denied_once(home: Home) -> None:
    list(home.replay("claude-code", "one"))
    home.work()

    pending: dict[str, Any] = {"tool": "Bash", "args": {"command": "mkdir out/nightly"}}
    like_it: dict[str, Any] = {"tool": "Bash", "args": {"command": "mkdir out/weekly"}}
    assert not home.tell(EventKind.BEFORE, "two", **like_it)
    assert ACTION in home.tell(EventKind.BEFORE, "two", **pending).denial
    assert not home.tell(EventKind.BEFORE, "two", **pending)


def test_without_stop_once_the_same_call_is_told_and_not_denied(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    list(home.replay("claude-code", "one"))
    monkeypatch.setenv("HARDWON_HOOKS_STOP_ONCE", "false")

    told = home.tell(EventKind.BEFORE, "two", tool="Bash", args={"command": "mkdir out/nightly"})

    assert ACTION in told.context
    assert not told.denial


def test_the_person_sees_one_line_a_turn(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    with hardwon.open(home.path) as hw:
        agent = hw.agent("default", project=PROJECT)
        for number in range(3):
            agent.learn(f"make the folder of the nightly report {number} with mkdir -p")
    prompt = "make the folder of the nightly report"

    first = home.tell(EventKind.PROMPT, text=prompt)
    again = home.tell(EventKind.PROMPT, text=prompt)
    monkeypatch.setenv("HARDWON_HOOKS_SAY", "off")
    mute = home.tell(EventKind.PROMPT, "other", text=prompt)

    assert first.note.startswith("hardwon: showed lesson #")
    assert "nightly report" in first.note
    assert "\n" not in first.note
    assert not again.note
    assert mute.context
    assert not mute.note


def test_the_person_sees_what_was_learnt(home: Home) -> None:
    broken: dict[str, Any] = {"tool": "Bash", "args": {"command": "mkdir out/nightly"}}
    error = "mkdir: cannot create directory 'out/nightly': No such file or directory"
    for session in ("one", "two"):
        home.tell(EventKind.PROMPT, session, text="nightly")
        home.tell(EventKind.FAILED, session, **broken, output=error)

    cured = {**broken, "args": {"command": "mkdir -p out/nightly"}}
    learnt = home.tell(EventKind.WORKED, "two", **cured)
    again = home.tell(EventKind.WORKED, "two", **cured)

    assert learnt.note == (
        "hardwon: `mkdir out/nightly` failed here before; `mkdir -p out/nightly` worked"
    )
    assert not learnt.context
    assert not again


def test_the_end_of_a_session_tells_what_came_of_a_warning(home: Home) -> None:
    for session in ("one", "three"):
        list(home.replay("claude-code", session))
    home.work()
    home.tell(EventKind.BEFORE, "two", tool="Bash", args={"command": "mkdir out/nightly"})
    home.tell(EventKind.WORKED, "two", tool="Bash", args={"command": "mkdir -p out/nightly"})

    home.tell(EventKind.SESSION_END, "two")

    with hardwon.open(home.path) as hw:
        (latest,) = hw.tenant(project=PROJECT).deliveries(limit=1).rows
    assert (latest.door, latest.outcome) == ("action", "worked")


def test_a_run_without_a_failure_teaches_nothing(home: Home) -> None:
    home.tell(EventKind.PROMPT, text="list the files")
    home.tell(EventKind.WORKED, tool="Bash", args={"command": "ls"}, output="a b")
    home.tell(EventKind.STOP, text="done")
    home.work()

    assert not home.lessons()


def test_an_interrupted_run_is_captured_at_the_next_prompt(home: Home) -> None:
    home.tell(EventKind.PROMPT, text="push it")
    home.tell(EventKind.FAILED, **CALL, output="remote: error: protected branch")
    home.tell(EventKind.PROMPT, text="something else")

    with hardwon.open(home.path) as hw:
        (job,) = hw.queue.waiting()
    assert job.episode.task == "push it"
    assert job.episode.steps[-1].failed


def test_a_guard_denies_and_says_why(home: Home) -> None:
    home.tell(EventKind.PROMPT, text="push it")
    home.tell(EventKind.FAILED, **CALL, output="remote: error: protected branch")
    home.tell(EventKind.WORKED, tool="Bash", args={"command": "git push"})
    home.tell(EventKind.STOP)
    home.work()
    assert not home.tell(EventKind.BEFORE, "two", **CALL).denial

    with hardwon.open(home.path) as hw, stored(home.path) as store:
        for lesson in hw.agent("default", project=PROJECT).lessons.list(status="all"):
            store.lessons.update(lesson._replace(guard=True))

    reply = home.tell(EventKind.BEFORE, "two", **CALL)
    assert "protected branch" in reply.denial
    assert not reply.context


def test_sub_agents_are_told_nothing_unless_asked(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    with hardwon.open(home.path) as hw:
        hw.agent("default").learn("make the folder of the nightly report with mkdir -p")
    prompt: dict[str, Any] = {"text": "make the folder of the nightly report", "is_nested": True}

    assert not home.tell(EventKind.PROMPT, **prompt)
    monkeypatch.setenv("HARDWON_HOOKS_SUBAGENTS", "true")
    assert home.tell(EventKind.PROMPT, **prompt)


def test_repetition_is_called_a_loop(home: Home) -> None:
    home.tell(EventKind.PROMPT, text="push it")
    told = [home.tell(EventKind.FAILED, **CALL, output="remote: error: no") for _ in range(3)]

    assert any("[LOOP DETECTED]" in reply.context for reply in told)


def test_what_is_injected_stays_far_below_the_agents_limits(home: Home) -> None:
    with hardwon.open(home.path) as hw:
        agent = hw.agent("default")
        for number in range(40):
            agent.learn(f"report folder nightly {number} " + "word " * 700)

    for kind in (EventKind.SESSION_START, EventKind.PROMPT):
        reply = home.tell(kind, text="make the nightly report folder")
        assert len(json.dumps(reply.context)) < CONTEXT_LIMIT < 10_000


def test_a_block_that_an_agent_would_cut_is_not_shown(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    with hardwon.open(home.path) as hw:
        for number in range(3):
            hw.agent("default").learn(f"report folder nightly {number} " + "word " * 700)
    monkeypatch.setenv("HARDWON_RECALL_TURN_LESSONS", "12")
    monkeypatch.setenv("HARDWON_RECALL_TURN_TOKENS", "1000")
    assert 0 < len(home.tell(EventKind.PROMPT, text=ASKED).context) <= CONTEXT_LIMIT

    monkeypatch.setenv("HARDWON_RECALL_TURN_TOKENS", "100000")

    assert not home.tell(EventKind.PROMPT, session="s2", text=ASKED)


@pytest.mark.parametrize("wakes", [True, False])
def test_a_worker_is_started_unless_that_is_switched_off(
    home: Home, monkeypatch: pytest.MonkeyPatch, wakes: bool
) -> None:
    monkeypatch.setenv("HARDWON_HOOKS_WAKE", str(wakes).lower())
    started: list[object] = []
    monkeypatch.setattr("hardwon.engine.worker.start_detached", started.append)

    home.tell(EventKind.FAILED, **CALL, output="remote: error: no")
    home.tell(EventKind.STOP)

    assert bool(started) is wakes


def test_notes_of_a_run_are_gone_when_its_session_ends(home: Home) -> None:
    home.tell(EventKind.PROMPT, session="../../etc/passwd", text="x")
    home.tell(EventKind.FAILED, session="../../etc/passwd", **CALL, output="no")

    home.tell(EventKind.SESSION_END, session="../../etc/passwd")

    assert {one.name for one in (home.path / "runs").iterdir()} == {"ended", "tidied"}


def test_a_full_disk_at_the_end_of_a_turn_loses_neither_error_nor_steps(home: Home) -> None:
    home.tell(EventKind.PROMPT, text="push it")
    home.tell(EventKind.FAILED, **CALL, output="remote: error: protected branch")
    (home.path / "queue").write_text("no directory can be made here")
    with pytest.raises(StorageError):
        home.tell(EventKind.STOP, text="done")
    (home.path / "queue").unlink()

    home.tell(EventKind.STOP, text="done")

    with hardwon.open(home.path) as hw:
        (job,) = hw.queue.waiting()
    assert (job.episode.task, job.episode.error) == ("push it", "remote: error: protected branch")
    assert [step.failed for step in job.episode.steps] == [True]


def test_what_was_told_in_a_conversation_is_not_told_at_its_next_prompt(home: Home) -> None:
    with hardwon.open(home.path) as hw:
        hw.agent("default").learn("make the folder of the nightly report with mkdir -p")
    first = home.tell(EventKind.PROMPT, text="make the folder of the nightly report")
    home.tell(EventKind.FAILED, **CALL, output="remote: error: protected branch")
    home.tell(EventKind.STOP, text="done")

    again = home.tell(EventKind.PROMPT, text="make the folder of the nightly report")
    other = home.tell(EventKind.PROMPT, "other", text="make the folder of the nightly report")

    assert "mkdir -p" in first.context
    assert not again
    assert "mkdir -p" in other.context


def test_the_prompt_of_a_run_is_kept_without_its_secrets(home: Home) -> None:
    secret = "sk-ant-api03-" + "x1Y2" * 23 + "AA"
    home.tell(EventKind.PROMPT, text=f"log in with {secret}")

    kept = b"".join(path.read_bytes() for path in (home.path / "runs").iterdir())

    assert b"log in with" in kept
    assert secret.encode() not in kept


def test_what_is_forbidden_is_forbidden_to_sub_agents_too(home: Home) -> None:
    with hardwon.open(home.path) as hw:
        lessons = hw.agent("default", project=PROJECT).lessons
        kept = lessons.add("when pushing", "Never push by force.")
        lessons.guard(kept.id, call="git push --force", tool="Bash")

    reply = home.tell(EventKind.BEFORE, **CALL, is_nested=True)

    assert "Never push by force." in reply.denial
    assert not reply.context


def test_a_session_that_ends_without_a_stop_is_captured(home: Home) -> None:
    home.tell(EventKind.PROMPT, text="push it")
    home.tell(EventKind.FAILED, **CALL, output="remote: error: protected branch")

    home.tell(EventKind.SESSION_END)

    with hardwon.open(home.path) as hw:
        (job,) = hw.queue.waiting()
    assert job.episode.task == "push it"


@pytest.mark.parametrize(("count", "more"), [(1, ""), (3, " and 2 more")])
def test_the_line_for_a_person_counts_the_lessons_and_is_short(
    home: Home, count: int, more: str
) -> None:
    with hardwon.open(home.path) as hw:
        agent = hw.agent("default", project=PROJECT)
        for number in range(count):
            situation = f"{ASKED} {'for the people of the house ' * 5}{number}"
            agent.learn(f"way {number}: ask somebody else", situation=situation)

    said = home.tell(EventKind.PROMPT, text=f"{ASKED} for the people of the house").note

    head, _, words = said.partition(": showed lesson #")[2].partition(": ")
    assert head[1:] == more
    assert len(words) == 100


def test_two_turns_are_told_apart_by_how_their_tasks_begin(home: Home) -> None:
    topics = ("lighthouse beacon foghorn", "tango waltz ballroom", "carpet curtain wallpaper")
    with hardwon.open(home.path) as hw:
        for topic in topics:
            hw.agent("default", project=PROJECT).learn(topic)

    def said(start: str, topic: str) -> bool:
        return bool(home.tell(EventKind.PROMPT, text=f"{'x' * 79}{start} {topic}").note)

    assert [said(start, topic) for start, topic in zip("aab", topics, strict=True)] == [
        True,
        False,
        True,
    ]


def test_a_run_without_a_prompt_is_captured_with_its_last_words(home: Home) -> None:
    home.tell(EventKind.FAILED, **CALL, output="remote: error: no")
    home.tell(EventKind.STOP, text="done")
    with hardwon.open(home.path) as hw:
        (job,) = hw.queue.waiting()

    assert (job.episode.task, job.episode.attempt) == ("(unknown task)", "done")
