"""Past sessions of a laptop reach the server, each once, and then the other laptops."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from hardwon.api.client.remote import connect
from hardwon.core.errors import InvalidInput
from hardwon.core.settings import load
from hardwon.core.values.scope import Scope
from tests.client.test_login import Laptop
from tests.learn.past_runs import evidence
from tests.learn.transcripts.test_past import task_of
from tests.learn.transcripts.transcripts import Claude
from tests.stored import opened
from tests.surfaces.serve.processes import key, serving
from tests.surfaces.serve.served import Served, served

PROJECT = "acme/api"
LEARN = ("session", "learn", "--agent", "coder")
SESSIONS, CALLS = 6, 25
NO_LOGIN = "kiosk: error: not logged in, run `kiosk login --store north` first"


def write_session(home: Path, cwd: Path, number: int) -> Path:
    """The session of an invented run, some days ago."""
    begun = datetime.now(UTC) - timedelta(days=9) + number * timedelta(hours=1)
    task, calls = task_of(number)
    talk = Claude(str(cwd), f"{number:08d}-2222-4333-8444-555555555555", begun).says(task)
    for command, output, failed in calls:
        talk.act("Bash", {"command": command}, output, failed)
    path = talk.write(home)
    ended = (begun + timedelta(minutes=50)).timestamp()
    os.utime(path, (ended, ended))
    return path


@pytest.fixture(autouse=True)
def no_other_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HARDWON_HOOKS_WAKE", "false")


@pytest.fixture
def sessions(tmp_path: Path) -> list[Path]:
    (tmp_path / "shop").mkdir()
    home = Path(os.environ["HOME"])
    return [write_session(home, tmp_path / "shop", number) for number in range(SESSIONS)]


@pytest.fixture
def expected(tmp_path: Path, sessions: list[Path]) -> dict[str, Any]:
    return learnt_alone(tmp_path / "alone")


def learnt_alone(home: Path) -> dict[str, Any]:
    """What a home knows that has learnt from the same sessions by itself."""
    with opened(home) as hw:
        hw.agent("coder", project=PROJECT).sessions.learn()
        return evidence(hw, PROJECT)


def laptop(tmp_path: Path, name: str) -> Laptop:
    (tmp_path / name).mkdir()
    made = Laptop(tmp_path / name / "home", tmp_path / name)
    made.environ["HARDWON_SCOPE_AGENT"] = "coder"
    return made


def work_on(home: Path) -> None:
    """A worker of the server in a process of its own."""
    command = [sys.executable, "-m", "hardwon", "work", "--drain", "--home", str(home)]
    subprocess.run(command, check=True, capture_output=True, timeout=120)


def known_by(home: Path) -> dict[str, Any]:
    with opened(home) as hw:
        return evidence(hw, PROJECT)


def test_what_past_sessions_of_one_laptop_teach_the_other_knows(
    tmp_path: Path, expected: dict[str, Any]
) -> None:
    home, ada, ben = tmp_path / "server", laptop(tmp_path, "ada"), laptop(tmp_path, "ben")
    ada.environ["HARDWON_RUNS_PERSON"] = "Ada"
    with serving(home) as server:
        for one in (ada, ben):
            secret = key(home, "create", "--role", "agent")
            one.run("login", f"http://127.0.0.1:{server.port}", HARDWON_KEY=secret)
        assert "6 sessions of 1 project would be sent" in ada.run(*LEARN, "--dry-run")

        assert "6 sessions of 1 project sent: 25 calls, 5 failed" in ada.run(*LEARN)
        assert "Nothing is new: 6 sessions known" in ada.run(*LEARN)
        work_on(home)
        for one in (ada, ben):
            one.hook("SessionStart", "s", source="startup")
            one.exchange()

        failed = {"tool_input": {"command": "kiosk stock --store north"}, "error": NO_LOGIN}
        for one in (ada, ben):
            said = one.hook("PostToolUseFailure", "s", tool_name="Bash", **failed)
            assert "first `kiosk login --store" in said
        assert "kiosk login" in ben.run("fix", NO_LOGIN)
    assert known_by(home) == expected
    with opened(home) as hw:
        runs = hw.tenant().ended_runs().rows
        assert {(run.person, run.begun < run.ended) for run in runs} == {("Ada", True)}
        assert all(run.ended < datetime.now(UTC) - timedelta(days=7) for run in runs)


_DYING = """
import os, sys
import hardwon
from hardwon.api.client.wire import Wire
from hardwon.core import _files
from hardwon.learn.transcripts.sending import SentSessions
from hardwon.storage.sql.logs import SqlEndedRuns
from hardwon.storage.stores.sqlite import SqliteLessons

left = int(sys.argv[2])

def dying(method, after=False):
    def call(*values, **how):
        global left
        left -= 1
        if left == 0 and not after:
            os.kill(os.getpid(), 9)
        result = method(*values, **how)
        if left == 0:
            os.kill(os.getpid(), 9)
        return result
    return call

_files.unlink = dying(_files.unlink)
Wire.call = dying(dying(Wire.call, after=True))
SentSessions._note_state = dying(SentSessions._note_state)
runs, lessons = SqlEndedRuns, SqliteLessons
for part, name in ((runs, "note_past"), (runs, "keep"), (lessons, "add"), (lessons, "update")):
    setattr(part, name, dying(getattr(part, name)))
with hardwon.open(sys.argv[1]) as hw:
    if hasattr(hw, "worker"):
        hw.drain()
    else:
        hw.agent("coder", project="acme/api").sessions.learn()
"""


def die(home: Path, moment: int) -> int:
    """Let a process send or record; it is killed at the moment with this number."""
    command = [sys.executable, "-c", _DYING, str(home), str(moment)]
    return subprocess.run(command, check=False, capture_output=True, timeout=120).returncode


def logged_in(server: Served, home: Path) -> Path:
    home.mkdir()
    (home / "key").write_text(server.key("agent"))
    where = f'url = "{server.service.url}"\nkey_file = "{home / "key"}"'
    (home / "config.toml").write_text(f"[server]\n{where}\n")
    return home


def test_whatever_moment_a_process_dies_nothing_is_lost_and_nothing_twice(
    tmp_path: Path, expected: dict[str, Any]
) -> None:
    killed = 0
    with served(tmp_path / "server") as server:
        laptop = logged_in(server, tmp_path / "laptop")
        for moment in (1, 2, 3, 4) * 3:  # each session has about three
            killed += die(laptop, moment) == -9
        for moment in range(1, 10):
            killed += die(tmp_path / "server", moment) == -9
        assert die(laptop, 0) == 0
        next((laptop / "sessions").glob("sent-*")).unlink()  # all are sent again
        assert die(laptop, 0) == 0
        assert die(tmp_path / "server", 0) == 0

    assert killed > 15
    assert known_by(tmp_path / "server") == expected
    assert not list((tmp_path / "server" / "sessions" / "sent").glob("*.json*"))


def test_a_session_that_goes_on_is_continued_on_the_server(
    tmp_path: Path, sessions: list[Path]
) -> None:
    path, *others = sessions
    for other in others:
        other.unlink()
    lines = path.read_text().splitlines(keepends=True)
    with served(tmp_path / "server") as server:
        laptop = logged_in(server, tmp_path / "laptop")
        for length in (4, 5, 9, 99):  # in the middle of a call, too
            path.write_text("".join(lines[:length]))
            assert die(laptop, 0) == 0
            assert die(tmp_path / "server", 0) == 0

    assert known_by(tmp_path / "server") == learnt_alone(tmp_path / "alone")


def test_what_hooks_recorded_live_is_recognised_by_the_server(tmp_path: Path) -> None:
    home, ada = tmp_path / "server", laptop(tmp_path, "ada")
    command = "kiosk stock --store north"
    talk = Claude(str(ada.folder), at=datetime.now(UTC) + timedelta(hours=1)).says("Count")
    path = (
        talk.run(command, NO_LOGIN, failed=True)
        .run("kiosk login --store north")
        .write(Path(os.environ["HOME"]))
    )
    with serving(home) as server:
        secret = key(home, "create", "--role", "agent")
        ada.run("login", f"http://127.0.0.1:{server.port}", HARDWON_KEY=secret)
        failed = {"tool_input": {"command": command}, "error": NO_LOGIN}
        ada.hook("PostToolUseFailure", path.stem, tool_name="Bash", **failed)
        for text in ("\n", "\n\n", "\n\n\n"):  # at work, ended, on the server
            path.write_text(talk.text() + text)
            ada.run(*LEARN)
            ada.hook("SessionEnd", path.stem, reason="exit")
            work_on(home)
            ada.exchange()
        work_on(home)

    known = known_by(home)
    assert [lesson["met"] for lesson in known["lessons"]] == [1]
    assert [run[2] for run in known["runs"]] == [1]


def test_a_long_session_is_sent_in_parts(
    tmp_path: Path, expected: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hardwon.learn.transcripts.sending._PART", 300)
    with served(tmp_path / "server") as server:
        for name in ("laptop", "again"):
            home = logged_in(server, tmp_path / name)
            with connect(
                server.service.url, key=server.key("agent"), settings=load(str(home)), patience=30
            ) as hw:
                sent = hw.agent("coder", project=PROJECT).sessions.learn()
            assert sum(session.steps for session in sent) == CALLS
        server.hw.drain()

    known = known_by(tmp_path / "server")
    assert sum(run[2] for run in known["runs"]) == CALLS
    assert len(known["runs"]) > SESSIONS
    assert {lesson["job"] for lesson in known["lessons"]} == {
        lesson["job"] for lesson in expected["lessons"]
    }


def pushed_by(tmp_path: Path) -> list[Any]:
    """The records that a laptop sends to a server."""
    pushed = list[Any]()
    with served(tmp_path / "server") as server:
        home = logged_in(server, tmp_path / "laptop")
        with connect(server.service.url, key=server.key("agent"), settings=load(str(home))) as hw:
            call = hw._connection.wire.call

            def spy(*values: Any, **how: Any) -> Any:
                pushed.extend(values[2]["records"])
                return call(*values, **how)

            hw._connection.wire.call = spy  # type: ignore[method-assign]
            hw.agent("coder", project=PROJECT).sessions.learn()
    return pushed


def test_no_secret_of_a_session_leaves_the_machine(tmp_path: Path) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6" * 3
    talk = Claude(str(tmp_path), at=datetime.now(UTC)).says(f"Use the token {secret}")
    talk.run(f"kiosk login --token {secret}", f"kiosk: error: {secret} is expired", failed=True)
    path = talk.write(Path(os.environ["HOME"]))
    path.rename(path.with_name(f"{secret}.jsonl"))
    pushed = pushed_by(tmp_path)

    assert "kiosk login" in repr(pushed)
    assert secret not in repr(pushed)


def test_a_key_of_one_project_sends_no_session_of_another(
    tmp_path: Path, sessions: list[Path]
) -> None:
    with served(tmp_path / "server") as server:
        home, limited = logged_in(server, tmp_path / "laptop"), server.key("agent", project="web")
        with connect(server.service.url, key=limited, settings=load(str(home))) as hw:
            learnt = hw.agent("coder", project=PROJECT).sessions.learn()
            with pytest.raises(InvalidInput, match="a model reads runs only where"):
                hw.agent("coder").sessions.learn(most_telling=1)

    assert {session.problem for session in learnt} == {
        "the key may not write to the project 'acme/api'"
    }


def test_a_key_of_one_agent_sends_no_session_of_another(
    tmp_path: Path, sessions: list[Path]
) -> None:
    with served(tmp_path / "server") as server:
        home, limited = logged_in(server, tmp_path / "laptop"), server.key("agent", agent="tester")
        with connect(server.service.url, key=limited, settings=load(str(home))) as hw:
            learnt = hw.agent("coder", project=PROJECT).sessions.learn()

    assert {session.problem for session in learnt} == {"the key may not write to the agent 'coder'"}


def test_sessions_are_sent_again_for_another_agent_and_with_another_key(
    tmp_path: Path, sessions: list[Path]
) -> None:
    sent = list[int]()
    with served(tmp_path / "server") as server:
        home, one, two = logged_in(server, tmp_path / "laptop"), *(server.key() for _ in range(2))
        for secret, agent in ((one, "coder"), (one, "tester"), (two, "coder"), (two, "coder")):
            with connect(server.service.url, key=secret, settings=load(str(home))) as hw:
                sent.append(len(hw.agent(agent, project=PROJECT).sessions.learn()))

    assert sent == [SESSIONS, SESSIONS, SESSIONS, 0]


AT = "2026-11-01T10:00:00+00:00"
GOOD_ROW = [AT, "d1", "Bash", "kiosk stock", NO_LOGIN, True]


def session_record(
    *rows: object, id: object = "s1", changed: object = 1.8e9, since: object = 0.0
) -> list[Any]:
    """A session as another machine sends it."""
    head = ["claude-code", id, changed, "run", since, True]
    return ["session", ["default", "coder", PROJECT], head, list(rows)]


@pytest.mark.parametrize(
    "record",
    [
        ["session", ["default", "coder", PROJECT], ["claude"], []],
        session_record(GOOD_ROW, changed=1e300),
        session_record(GOOD_ROW, changed=10**400),
        session_record(GOOD_ROW, changed=-1e15),
        session_record(GOOD_ROW, since=float("inf")),
        session_record(GOOD_ROW, since=float("nan")),
        session_record([AT, 7, *GOOD_ROW[2:]]),
        session_record(GOOD_ROW, [AT]),
        session_record("no row"),
    ],
)
def test_a_damaged_record_is_refused(tmp_path: Path, record: list[Any]) -> None:
    with served(tmp_path / "server") as server:
        body = {"batch": "one", "records": [record]}
        answer = server.ask("POST", "/v1/sync", body, key=server.token)

    assert answer.status == 400
    assert "is damaged" in answer.json["detail"]
    assert not list(tmp_path.glob("server/sessions/sent/*.json"))


def test_what_cannot_be_recorded_is_set_aside_and_holds_up_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner, folder = Scope("default", "coder"), tmp_path / "server" / "sessions" / "sent"
    with opened(tmp_path / "server") as hw:
        hw.store.ended_runs.note_past(owner, "a live run", "1793527200.0")
    with served(tmp_path / "server") as server:
        odd = [AT, "a live run", *GOOD_ROW[2:]]
        records = [session_record(odd, id=f"odd {number}") for number in range(12)]
        body = {"batch": "one", "records": [*records, session_record(GOOD_ROW)]}
        assert server.ask("POST", "/v1/sync", body, key=server.token).json["taken"] == 13
        server.hw.drain()

        assert len(list(folder.glob("*.damaged"))) == 8
        assert not list(folder.glob("*.json"))
        assert [run.task for run in server.hw.tenant().ended_runs().rows] == [""]

        most = max(path.stat().st_size for path in folder.glob("*.damaged"))
        monkeypatch.setattr("hardwon.learn.transcripts.sending._MOST", most)
        later = {"batch": "two", "records": [session_record(GOOD_ROW, id="s2")]}
        assert server.ask("POST", "/v1/sync", later, key=server.token).status == 200


def test_the_size_of_a_part_is_that_of_its_json(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hardwon.learn.transcripts.sending._PART", 3000)
    talk = Claude(str(tmp_path), at=datetime.now(UTC)).says("Count")
    for number in range(9):
        talk.run(f"kiosk stock {number}", "\u5e93" * 300)
    talk.write(Path(os.environ["HOME"]))
    sizes = [len(json.dumps(record[3])) for record in pushed_by(tmp_path)]

    assert len(sizes) > 5
    assert max(sizes) < 3100


def test_runs_in_a_file_are_imported_by_the_server(tmp_path: Path) -> None:
    step = '{"command": "kiosk stock", "returncode": 1, "output": "kiosk: error: no login"}'
    rows = tmp_path / "runs.jsonl"
    rows.write_text(f'{{"run": "r1", "repo": "{PROJECT}", "task": "Count", "steps": [{step}]}}\n')
    home, ada = tmp_path / "server", laptop(tmp_path, "ada")
    with serving(home) as server:
        secret = key(home, "create", "--role", "agent")
        ada.run("login", f"http://127.0.0.1:{server.port}", HARDWON_KEY=secret)
        for _ in range(2):
            assert "1 run, " in ada.run("session", "import", str(rows))
        work_on(home)

    with opened(home) as hw:
        assert [run.task for run in hw.tenant().ended_runs().rows] == ["Count"]


def test_a_server_that_is_older_says_so_and_gets_them_when_it_is_upgraded(
    tmp_path: Path, expected: dict[str, Any]
) -> None:
    home, ada = tmp_path / "server", laptop(tmp_path, "ada")
    with serving(home, unknown="session") as server:
        port = server.port
        ada.run("login", f"http://127.0.0.1:{port}", HARDWON_KEY=key(home, "create"))
        said = ada.run(*LEARN, code=1)
        assert "is older than this hardwon and takes no past sessions" in said
        assert "upgrade it, then repeat this" in said

    with serving(home, port):
        assert "6 sessions of 1 project sent: 25 calls, 5 failed" in ada.run(*LEARN)
        work_on(home)
    assert known_by(home) == expected
