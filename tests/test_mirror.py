"""Hooks over a copy of a server's lessons: no driver, no waiting, nothing lost while it is away."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import hardwon
from hardwon import Hardwon, Scope
from hardwon.core import _files
from hardwon.core.settings import load
from hardwon.core.values.lesson import PROVISIONAL, Status
from hardwon.storage.sql.journal import notes_for
from hardwon.storage.stores.postgres import PostgresStore
from hardwon.storage.stores.sqlite import SqliteStore
from tests.embedders import Topics
from tests.postgres_server import Place
from tests.redis_server import free_port
from tests.surfaces.hooks.hooking import Hook, Outcome

FAILING = "mkdir out/nightly"
WORKING = "mkdir -p out/nightly"
FIX = "What worked: `mkdir -p out/nightly`"
SCOPE = Scope("default", "default", "api")
ERROR = "Exit code 1\nmkdir: cannot create directory 'out/nightly': No such file or directory"


class Machine:
    """A laptop: a home of its own, hooks, and a worker that runs when it is told to."""

    def __init__(self, home: Path, url: str) -> None:
        self.home, self.url = home, url
        self._hook = Hook(home, HARDWON_POSTGRES_URL=url, HARDWON_PROJECT="api")

    def says(self, session: str, name: str, **event: object) -> Outcome:
        told = {"hook_event_name": name, "session_id": session, "cwd": str(self.home), **event}
        outcome = self._hook("claude-code", told)
        assert (outcome.code, outcome.log) == (0, [])
        return outcome

    def starts(self, session: str) -> str:
        return self.says(session, "SessionStart", source="startup").out

    def fails(self, session: str, command: str = FAILING) -> str:
        call = {"tool_name": "Bash", "tool_input": {"command": command}}
        return self.says(session, "PostToolUseFailure", **call, error=ERROR).out

    def works(self, session: str, command: str = WORKING) -> str:
        call = {"tool_name": "Bash", "tool_input": {"command": command}}
        return self.says(session, "PostToolUse", **call, tool_response={"stdout": ""}).out

    def meets_and_overcomes(self, session: str) -> None:
        self.says(session, "UserPromptSubmit", prompt="make the folder of the report")
        self.fails(session)
        self.works(session)
        self.says(session, "SessionEnd", reason="other")

    def syncs(self) -> None:
        with self.opened() as hw:
            hw.work("empty")

    def copied(self) -> SqliteStore:
        """What hooks read."""
        return SqliteStore(str(self.home), copy_of=self.url)

    def opened(self) -> Hardwon:
        return hardwon.open(self.url, settings=load(str(self.home)))


@pytest.fixture
def laptop(tmp_path: Path, database: Place) -> Machine:
    return Machine(tmp_path / "laptop", database.owner)


@pytest.fixture
def other(tmp_path: Path, database: Place) -> Machine:
    return Machine(tmp_path / "other", database.owner)


def test_a_laptop_without_its_server_learns_and_tells(tmp_path: Path) -> None:
    alone = Machine(tmp_path / "alone", f"postgresql://nobody@127.0.0.1:{free_port()}/db")
    alone.starts("one")
    alone.meets_and_overcomes("one")
    alone.meets_and_overcomes("two")

    assert FIX in alone.fails("three")


def test_what_one_machine_has_learnt_another_is_told(laptop: Machine, other: Machine) -> None:
    laptop.starts("one")
    laptop.meets_and_overcomes("one")
    laptop.meets_and_overcomes("two")
    laptop.syncs()
    other.starts("three")
    other.syncs()

    assert FIX in other.fails("four")


def test_the_server_learns_each_step_once(laptop: Machine) -> None:
    laptop.starts("one")
    laptop.meets_and_overcomes("one")
    laptop.meets_and_overcomes("two")

    laptop.syncs()
    laptop.syncs()

    with laptop.opened() as hw:
        (lesson,) = hw.agent("default", project="api").lessons.list()
        assert lesson.met == 2
        assert [fix.worked for fix in lesson.fixes] == [2]
        assert lesson.id < PROVISIONAL


def test_after_a_refresh_the_copy_holds_the_servers_lesson_only(laptop: Machine) -> None:
    laptop.starts("one")
    laptop.meets_and_overcomes("one")
    laptop.syncs()
    told = laptop.fails("two")

    with laptop.opened() as hw:
        (lesson,) = hw.agent("default", project="api").lessons.list()
    assert f"(#{lesson.id})" in told
    assert [one.id for one in laptop.copied().lessons.recent(SCOPE, status="all", limit=9)] == [
        lesson.id
    ]


def test_what_was_learnt_here_goes_where_the_server_has_a_lesson_of_its_own(
    laptop: Machine,
) -> None:
    laptop.starts("one")
    laptop.meets_and_overcomes("one")
    (mined,) = laptop.copied().lessons.recent(SCOPE, status="all", limit=9)
    there = PostgresStore(laptop.url, str(laptop.home)).lessons.add(
        mined._replace(job="told by a person", origin="manual", status=Status.PROVEN)
    )

    laptop.syncs()

    kept = laptop.copied().lessons.recent(SCOPE, status="all", limit=9)
    assert [one.id for one in kept] == [there.id]


def test_what_was_learnt_here_stays_until_the_server_was_told(laptop: Machine) -> None:
    laptop.starts("one")
    laptop.meets_and_overcomes("one")
    telling = _files.Lock(f"{notes_for(str(laptop.home), laptop.url)}.lock")

    assert telling.acquire(wait=False)
    laptop.syncs()
    telling.release()

    assert FIX in laptop.fails("two")


def test_what_was_changed_on_the_server_or_here_is_read_again(
    laptop: Machine, other: Machine
) -> None:
    laptop.starts("one")
    with other.opened() as hw:
        lessons = hw.agent("default", project="api").lessons
        kept = hw.agent("default", project="api").learn("hold the lock no longer than needed")
        laptop.syncs()
        changed = lessons.edit(kept.id, correction="take no lock")
    laptop.syncs()
    copy = laptop.copied().lessons
    assert copy.get(SCOPE, kept.id).correction == changed.correction

    copy.update(copy.get(SCOPE, kept.id)._replace(correction="take two"))
    laptop.syncs()

    assert copy.get(SCOPE, kept.id).correction == changed.correction


def test_a_lesson_that_was_deleted_on_the_server_is_told_no_more(
    laptop: Machine, other: Machine
) -> None:
    laptop.starts("one")
    laptop.meets_and_overcomes("one")
    laptop.syncs()
    with other.opened() as hw:
        lessons = hw.agent("default", project="api").lessons
        lessons.delete(lessons.list()[0].id)

    laptop.syncs()

    assert FIX not in laptop.fails("two")


def test_what_was_shown_on_a_laptop_counts_on_the_server(laptop: Machine) -> None:
    laptop.starts("one")
    laptop.meets_and_overcomes("one")
    laptop.syncs()
    laptop.fails("two")
    laptop.syncs()

    with laptop.opened() as hw:
        (lesson,) = hw.agent("default", project="api").lessons.list()
        assert lesson.hits == 1


def test_a_laptop_that_searches_by_meaning_has_the_vectors(laptop: Machine) -> None:
    asked = Topics().embed(["the mutex is a deadlock"])[0]
    laptop.starts("s1")

    with hardwon.open(laptop.url, settings=load(str(laptop.home)), embedder=Topics()) as hw:
        kept = hw.agent("default", project="api").learn("hold the lock no longer than needed")
        hw.agent("default", project="api").learn("take an umbrella when it may rain")
        hw.work("empty")
        there = PostgresStore(laptop.url, str(laptop.home)).vectors
        first = there.nearest(SCOPE, "topics", asked, limit=2)
        assert laptop.copied().vectors.nearest(SCOPE, "topics", asked, limit=2) == first

        hw.agent("default", project="api").lessons.edit(kept.id, correction="take no mutex")
        hw.work("empty")
        changed = there.nearest(SCOPE, "topics", asked, limit=2)

    assert first[0][0] == changed[0][0] == kept.id
    assert laptop.copied().vectors.nearest(SCOPE, "topics", asked, limit=2) == changed


def test_a_laptop_holds_back_as_often_as_the_server_says(laptop: Machine) -> None:
    laptop.starts("s1")
    with laptop.opened() as hw:
        hw.agent("default", project="api").learn("hold the lock no longer than needed")
    laptop.syncs()
    before = laptop.copied().units.share("default")

    PostgresStore(laptop.url, str(laptop.home)).units.set_share("default", 0.025)
    laptop.syncs()

    assert (before, laptop.copied().units.share("default")) == (None, 0.025)


@pytest.mark.parametrize("name", ["SessionStart", "PostToolUseFailure", "SessionEnd"])
def test_a_hook_imports_no_driver(tmp_path: Path, name: str) -> None:
    code = (
        "import os, sys\n"
        "os._exit = lambda code: print('psycopg' in sys.modules, file=sys.stderr)\n"
        "from hardwon.surfaces.hooks.client import run\n"
        "run(['claude-code'])"
    )
    event = {
        "hook_event_name": name,
        "session_id": "s",
        "tool_name": "Bash",
        "tool_input": {"command": FAILING},
        "error": ERROR,
    }
    environ = {
        "HARDWON_HOME": str(tmp_path / "home"),
        "HARDWON_HOOKS_LIMIT": "60s",
        "HARDWON_HOOKS_WAKE": "false",
        "HARDWON_HOOKS_DAEMON": "false",
        "HARDWON_POSTGRES_URL": "postgresql://nobody@127.0.0.1:1/db",
    }

    ran = subprocess.run(
        [sys.executable, "-c", code],
        input=json.dumps(event).encode(),
        capture_output=True,
        env=environ,
    )

    assert ran.stderr == b"False\n"
    assert list((tmp_path / "home").glob("mirror-*.db"))
