"""Past sessions teach what the same runs taught when they were recorded live."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from hardwon import Step
from hardwon.core import _files
from hardwon.core.values.report import Window
from hardwon.engine.recording import Recording
from hardwon.learn.transcripts.past import (
    EMPTY,
    KNOWN,
    LEARNT,
    LIVE,
    NO_FOLDER,
    UNREADABLE,
    Learnt,
)
from tests.learn.past_runs import BEGIN, evidence
from tests.learn.transcripts.transcripts import Claude
from tests.stored import StoredHardwon, opened

NOW = datetime(2026, 11, 16, tzinfo=UTC)
HOUR = timedelta(hours=1)
NO_LOGIN = "kiosk: error: not logged in, run `kiosk login --store %s` first"
BAD_FLAG = "usage: kiosk order [--json]\nkiosk order: error: unknown option '--as-json'"

Call = tuple[str, str, bool]  # command, output, failed


def task_of(number: int) -> tuple[str, list[Call]]:
    """The task of an invented run, and its calls: mistakes that come back, with their cures."""
    store = ("north", "south", "west")[number % 3]
    calls: list[Call] = [("ls shops", "north south west", False)]
    if number % 2 == 0:
        calls += [
            (f"kiosk stock --store {store}", NO_LOGIN % store, True),
            (f"kiosk login --store {store}", "logged in", False),
            (f"kiosk stock --store {store}", "pears 12", False),
        ]
    if number % 3 == 0:
        calls += [
            (f"kiosk order {4000 + number} --as-json", BAD_FLAG, True),
            (f"kiosk order {4000 + number} --json", '{"pears": 12}', False),
        ]
    calls += [(f"make report STORE={store}", "report written", False)]
    return f"Report the stock of {store}, order {4000 + number}", calls


def written(home: Path, cwd: Path, number: int) -> Path:
    """The session of a run as Claude Code leaves it behind."""
    task, calls = task_of(number)
    session = f"{number:08d}-2222-4333-8444-555555555555"
    talk = Claude(str(cwd), session, BEGIN + number * HOUR).says(task)
    for command, output, failed in calls:
        talk.act("Bash", {"command": command}, output, failed)
    path = talk.write(home)
    ended = (BEGIN + (number + 1) * HOUR).timestamp()
    os.utime(path, (ended, ended))
    return path


def recorded_live(
    hw: StoredHardwon, project: str, numbers: Iterable[int], at: list[datetime]
) -> None:
    agent = hw.agent("coder", project=project)
    for number in numbers:
        task, calls = task_of(number)
        at[0] = BEGIN + number * HOUR
        made = [Step("Bash", command, output, failed) for command, output, failed in calls]
        agent.after_run(task=task, steps=made)


def learn(hw: StoredHardwon, **how: Any) -> list[Learnt]:
    return hw.agent("coder").sessions.learn(**how)


@pytest.fixture
def home() -> Path:
    return Path(os.environ["HOME"])


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    (tmp_path / "shop").mkdir()
    return tmp_path / "shop"


@pytest.fixture
def hw(tmp_path: Path) -> Iterator[StoredHardwon]:
    with opened(tmp_path / "hw", clock=lambda: NOW) as hw:
        yield hw


def test_past_sessions_leave_the_evidence_of_the_same_runs_recorded_live(
    tmp_path: Path, home: Path, shop: Path, hw: StoredHardwon
) -> None:
    numbers, at = range(12), [BEGIN]
    for number in numbers:
        written(home, shop, number)

    learnt = learn(hw)

    with opened(tmp_path / "live", clock=lambda: at[0]) as live:
        recorded_live(live, str(shop), numbers, at)
        expected = evidence(live, str(shop))
    assert [session.status for session in learnt] == [LEARNT] * 12
    assert evidence(hw, str(shop)) == expected
    assert {lesson["met"] for lesson in expected["lessons"]} == {4, 6}


def test_runs_and_failures_are_dated_when_they_happened(
    home: Path, shop: Path, hw: StoredHardwon
) -> None:
    written(home, shop, 0)

    learn(hw)

    scope = hw.agent("coder", project=str(shop)).scope
    (run,) = hw.store.ended_runs.latest(Window(scope, BEGIN), limit=9)
    failures = hw.store.statistics.failures(Window(scope, BEGIN), limit=9)
    assert (run.begun, run.ended) == (BEGIN + timedelta(seconds=1), BEGIN + timedelta(seconds=15))
    assert {failure.last.date() for failure in failures} == {BEGIN.date()}


def test_no_run_is_later_than_now_though_the_clock_that_dated_it_was_ahead(
    home: Path, shop: Path, hw: StoredHardwon
) -> None:
    path = written(home, shop, 0)
    path.write_text(path.read_text().replace("2026-11-02", "2036-11-02"))

    learn(hw)

    scope = hw.agent("coder", project=str(shop)).scope
    (run,) = hw.store.ended_runs.latest(Window(scope, BEGIN), limit=9)
    assert (run.begun, run.ended) == (NOW, NOW)


def test_a_second_time_nothing_is_read_or_changed(
    home: Path, shop: Path, hw: StoredHardwon
) -> None:
    for number in range(3):
        written(home, shop, number)
    learn(hw)
    before = evidence(hw, str(shop))

    assert learn(hw) == []
    assert evidence(hw, str(shop)) == before


def test_a_session_that_goes_on_is_continued(
    tmp_path: Path, home: Path, shop: Path, hw: StoredHardwon
) -> None:
    paths = [written(home, shop, number) for number in (0, 6)]
    whole = [path.read_text().splitlines(keepends=True) for path in paths]
    for length in (4, 5, 9, 99):  # in the middle of a call, too
        for path, lines in zip(paths, whole, strict=True):
            path.write_text("".join(lines[:length]))
        learn(hw)

    with opened(tmp_path / "at once", clock=lambda: NOW) as once:
        learn(once)
        assert evidence(hw, str(shop)) == evidence(once, str(shop))


def test_a_copy_of_a_session_is_not_counted_again(
    home: Path, shop: Path, hw: StoredHardwon
) -> None:
    path = written(home, shop, 0)
    learn(hw)
    before = evidence(hw, str(shop))

    fork = path.with_name("99999999-2222-4333-8444-555555555555.jsonl")
    fork.write_text(path.read_text().replace("00000000-2222", "99999999-2222", 1))

    assert [session.status for session in learn(hw)] == [KNOWN]
    assert evidence(hw, str(shop)) == before


def test_what_hooks_recorded_is_recognised(home: Path, shop: Path, tmp_path: Path) -> None:
    path = written(home, shop, 0)
    session = path.stem
    lines = path.read_text().replace("2026-11-02", "2036-11-02").splitlines(keepends=True)
    path.write_text("".join(lines))
    with opened(tmp_path / "hw") as hw:
        agent = hw.agent("coder", project=str(shop), run=session)
        task, calls = task_of(0)
        agent.before_turn(task)
        for command, output, failed in calls:
            agent.after_action("Bash", {"command": command}, output=output, failed=failed)
        at_work = learn(hw)
        agent.end_run()
        path.write_text("".join(lines) + "\n")

        ended = learn(hw)

        assert [session.status for session in (*at_work, *ended)] == [LIVE, LIVE]
        assert [lesson["met"] for lesson in evidence(hw, str(shop))["lessons"]] == [1, 1]


def test_a_prompt_after_a_failure_begins_a_new_run(
    home: Path, shop: Path, hw: StoredHardwon
) -> None:
    talk = Claude(str(shop), at=BEGIN).says("Build it")
    talk.run("make all", "make: *** No rule to make target 'all'", failed=True)
    talk.says("There is a Makefile in app/").run("make -C app all").says("Thanks, now the docs")
    talk.run("make -C docs html").write(home)

    (learnt,) = learn(hw)

    runs = evidence(hw, str(shop))["runs"]
    assert [(task, outcome, made) for task, outcome, made, *_ in runs] == [
        ("Build it", "failed", 1),
        ("Thanks, now the docs", "worked", 2),
    ]
    assert len(learnt.runs) == 2


def test_a_dry_run_stores_nothing(home: Path, shop: Path, hw: StoredHardwon) -> None:
    written(home, shop, 0)

    (looked,) = learn(hw, is_look=True)

    assert (looked.status, looked.steps, looked.failed) == (LEARNT, 7, 2)
    assert evidence(hw, str(shop)) == {"lessons": [], "runs": [], "failures": []}
    assert [session.status for session in learn(hw)] == [LEARNT]


def test_a_session_without_a_folder_needs_a_project(home: Path, hw: StoredHardwon) -> None:
    talk = Claude("").says("Build").run("make", "make: *** No targets.", failed=True)
    (home / ".claude" / "sessions").mkdir(parents=True)
    (home / ".claude" / "sessions" / "old.jsonl").write_text(talk.text())

    assert [session.status for session in learn(hw)] == [NO_FOLDER]
    named = hw.agent("coder", project="acme/api").sessions.learn()

    assert [session.project for session in named] == ["acme/api"]


def test_bad_files_are_named_and_skipped(home: Path, shop: Path, hw: StoredHardwon) -> None:
    good = written(home, shop, 0)
    folder = good.parent
    torn = good.read_text() + '{"type": "assistant", "message": {"role": "assis'
    long_line = '{"type": "user", "message": {"content": "' + "x" * (100 * 1024 * 1024) + '"}}'
    good.write_text(torn + "\n" + long_line + "\n")
    (folder / "a-picture.jsonl").write_bytes(os.urandom(4096))
    (folder / "nothing.jsonl").write_text("")
    os.mkfifo(folder / "pipe.jsonl")
    (home / "elsewhere.jsonl").write_text(torn)
    (folder / "link.jsonl").symlink_to(home / "elsewhere.jsonl")
    (folder / "dangling.jsonl").symlink_to(home / "gone.jsonl")
    if os.geteuid() == 0:
        (folder / "theirs.jsonl").write_text(torn)
        os.chown(folder / "theirs.jsonl", 12345, 12345)

    store = home / ".local" / "share" / "opencode" / "opencode.db"
    store.parent.mkdir(parents=True)
    store.write_bytes(os.urandom(4096))

    learnt = {os.path.basename(session.place.path): session for session in learn(hw)}

    problems = {name: one.problem for name, one in learnt.items() if one.status == UNREADABLE}
    assert learnt[good.name].steps == 7
    assert learnt[good.name].skipped == {"broken": 1, "too long": 1}
    assert {learnt[name].status for name in ("a-picture.jsonl", "nothing.jsonl")} == {EMPTY}
    assert problems.pop("theirs.jsonl", "another user") in "a file of another user"
    assert problems == {
        "pipe.jsonl": "not a regular file",
        "link.jsonl": "a link that leads out of the agent's folder",
        "dangling.jsonl": "No such file or directory",
        "opencode.db": "file is not a database",
    }


def test_a_session_that_cannot_be_recorded_is_named_and_stops_no_others(
    home: Path, shop: Path, hw: StoredHardwon, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [written(home, shop, number) for number in (2, 3, 4)]
    learn_step = Recording.learn

    def learn_or_fail(recording: Recording, scope: Any, step: Step, *rest: Any, **more: Any) -> Any:
        if " 4003" in step.args:
            raise RecursionError("too deep")
        return learn_step(recording, scope, step, *rest, **more)

    with monkeypatch.context() as patched:
        patched.setattr(Recording, "learn", learn_or_fail)
        found = {session.place.path: session.problem for session in learn(hw)}

    assert [found[str(path)] for path in paths] == ["", "RecursionError('too deep')", ""]
    (again,) = learn(hw)
    assert again.status == LEARNT


def test_a_worker_that_follows_sessions_does_not_wait_for_another_process(
    home: Path, shop: Path, hw: StoredHardwon
) -> None:
    written(home, shop, 1)
    followed = hw.agent("coder").sessions
    folder = Path(hw.settings.home, "sessions")
    folder.mkdir()

    with _files.Lock(str(folder / "learn.lock")):  # as a process that learns
        waiting = Thread(target=lambda: [*followed.learn_each(since=timedelta(days=90))])
        waiting.daemon = True
        waiting.start()
        waiting.join(20)
        assert not waiting.is_alive()

    assert [one.status for one in followed.learn_each(since=timedelta(days=90))] == [LEARNT]


def test_no_secret_of_a_past_session_reaches_the_disk(
    tmp_path: Path, home: Path, shop: Path, hw: StoredHardwon
) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6" * 3
    talk = Claude(str(shop), at=BEGIN).says(f"Use the token {secret}")
    talk.run(f"kiosk login --token {secret}", f"kiosk: error: {secret} is expired", failed=True)
    talk.run("kiosk login --sso", "logged in").write(home)

    learn(hw)
    hw.close()

    files = [path for path in (tmp_path / "hw").rglob("*") if path.is_file()]
    assert not [path for path in files if secret.encode() in path.read_bytes()]


def test_a_model_reads_the_most_telling_runs_only_if_asked(
    tmp_path: Path, home: Path, shop: Path
) -> None:
    for number in range(6):
        written(home, shop, number)
    item = {"sort": "way", "when": "counting stock", "wrong": "", "do": "`kiosk login --store <s>`"}
    answer = {"add": [item | {"steps": [3]}], "change": [], "confirm": [], "withdraw": []}
    asked = list[str]()

    def model(request: Any) -> str:
        asked.append(request.prompt)
        return json.dumps(answer)

    with opened(tmp_path / "hw", model=model, clock=lambda: NOW) as hw:
        sessions = hw.agent("coder").sessions
        sessions.learn(most_telling=1)
        assert not asked

        assert sessions.read() == 1

        items = hw.agent("coder", project=str(shop)).playbook.list()
    assert len(asked) == 1
    assert "Report the stock of north, order 4000" in asked[0]  # it met both failures
    assert [one.situation for one in items] == ["When counting stock"]


_INTERRUPTED = """
import os, signal, sys
import hardwon
from hardwon.storage.sql.logs import SqlEndedRuns
from hardwon.storage.stores.sqlite import SqliteLessons

left = int(sys.argv[2])

def dying(method):
    def call(*values):
        global left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), int(sys.argv[3]))
        return method(*values)
    return call

runs, lessons = SqlEndedRuns, SqliteLessons
for part, name in ((runs, "note_past"), (runs, "keep"), (lessons, "add"), (lessons, "update")):
    setattr(part, name, dying(getattr(part, name)))
with hardwon.open(sys.argv[1]) as hw:
    hw.agent("coder").sessions.learn()
"""


@pytest.mark.parametrize(("sign", "moments"), [(9, range(1, 41, 2)), (2, range(2, 32, 3))])
def test_whatever_moment_it_dies_nothing_is_lost_and_nothing_twice(
    tmp_path: Path, home: Path, shop: Path, hw: StoredHardwon, sign: int, moments: range
) -> None:
    for number in range(12):
        written(home, shop, number)

    for moment in moments:  # 20 for kill -9, 10 for Ctrl-C
        command = [sys.executable, "-c", _INTERRUPTED, str(tmp_path / "hw"), str(moment), str(sign)]
        subprocess.run(command, check=False, capture_output=True, timeout=60)
    learn(hw)

    with opened(tmp_path / "at once", clock=lambda: NOW) as once:
        learn(once)
        assert evidence(hw, str(shop)) == evidence(once, str(shop))


_HOOKS = """
import sys
import hardwon

with hardwon.open(sys.argv[1]) as hw:
    for number in range(int(sys.argv[3])):
        agent = hw.agent("coder", project=sys.argv[2], run=f"live-{number}")
        agent.before_turn(f"Count the crates of pier {number}")
        for call, output, failed in (
            (f"crate count --pier {number}", "crate: error: no tally book is open", True),
            ("crate open-book", "book 1 is open", False),
            (f"crate count --pier {number}", "14", False),
        ):
            agent.after_action("Bash", {"command": call}, output=output, failed=failed)
        agent.end_run()
"""


def test_two_at_once_while_hooks_write_count_everything_once(
    tmp_path: Path, home: Path, shop: Path, hw: StoredHardwon
) -> None:
    for number in range(12):
        written(home, shop, number)
    place, count = str(tmp_path / "hw"), 12
    live = [sys.executable, "-c", _HOOKS, place, str(shop), str(count)]
    past = [sys.executable, "-c", _INTERRUPTED, place, "0", "9"]

    all_three = [subprocess.Popen(command) for command in (live, past, past)]
    assert [process.wait(120) for process in all_three] == [0, 0, 0]

    hw.drain()
    found = evidence(hw, str(shop))
    with opened(tmp_path / "at once", clock=lambda: NOW) as once:
        learn(once)
        expected = evidence(once, str(shop))
    met = {lesson["job"]: lesson["met"] for lesson in found["lessons"]}
    of_past = {lesson["job"]: lesson["met"] for lesson in expected["lessons"]}
    assert {job: met[job] for job in of_past} == of_past
    assert [number for job, number in met.items() if job not in of_past] == [count]


def test_a_file_that_grows_while_it_is_read_is_finished_the_next_time(
    tmp_path: Path, home: Path, shop: Path, hw: StoredHardwon
) -> None:
    path = written(home, shop, 0)
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:6]))
    rest = iter(lines[6:])

    def grow(*_: object) -> None:  # before and after each session that is read
        with path.open("a") as file:
            file.writelines(line for line, _ in zip(rest, range(3), strict=False))

    learn(hw, tell=grow)
    path.write_text("".join(lines))
    learn(hw)

    with opened(tmp_path / "at once", clock=lambda: NOW) as once:
        learn(once)
        assert evidence(hw, str(shop)) == evidence(once, str(shop))


def test_two_at_once_record_each_session_once(
    tmp_path: Path, home: Path, shop: Path, hw: StoredHardwon
) -> None:
    for number in range(8):
        written(home, shop, number)
    command = [sys.executable, "-c", _INTERRUPTED, str(tmp_path / "hw"), "0", "9"]
    both = [subprocess.Popen(command) for _ in range(2)]

    assert [process.wait(60) for process in both] == [0, 0]

    with opened(tmp_path / "at once", clock=lambda: NOW) as once:
        learn(once)
        assert evidence(hw, str(shop)) == evidence(once, str(shop))
