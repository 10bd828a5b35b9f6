"""`hardwon.open("postgresql://…")`: the same calls, the same results, and a server that is away."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import hardwon
from hardwon.core.errors import Unavailable
from hardwon.core.settings import load
from hardwon.storage.postgres.connection import Exchange
from hardwon.storage.postgres.database import Database
from hardwon.storage.service import KeyRing, open_database
from hardwon.surfaces.cli import run
from tests.postgres_server import OWNER, Place, PostgresServer, running
from tests.redis_server import DURABLE, RedisServer, free_port

FAILING: dict[str, Any] = {
    "output": "mkdir: cannot create directory 'out/nightly': No such file",
    "failed": True,
}
LESSON = "when editing large Go files use Edit, not a full rewrite"


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HARDWON_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HARDWON_POSTGRES_PATIENCE", "60s")  # a busy machine decides no test


@pytest.fixture
def hw(database: Place) -> Iterator[hardwon.Hardwon]:
    with hardwon.open(database.url) as opened:
        yield opened


def fail_and_work(agent: hardwon.Agent) -> None:
    agent.after_action("bash", {"command": "mkdir out/nightly"}, **FAILING)
    agent.after_action("bash", {"command": "mkdir -p out/nightly"}, output="", failed=False)
    agent.after_run(task="Make the folder for the report", error="mkdir failed")


def test_what_one_machine_learns_another_is_told(hw: hardwon.Hardwon, database: Place) -> None:
    hw.agent("coder", project="acme/api").learn(LESSON)

    with hardwon.open(database.url) as elsewhere:
        told = elsewhere.agent("coder", project="acme/api").before_turn("edit a large Go file")
        stranger = elsewhere.agent("coder", project="acme/api", tenant="other")

        assert LESSON in told.text
        assert not stranger.before_turn("edit a large Go file")


def test_a_failure_is_learnt_and_its_fix_told_at_the_next_one(database: Place) -> None:
    for _ in range(2):
        with hardwon.open(database.url) as hw:
            fail_and_work(hw.agent("coder"))
    with hardwon.open(database.url) as hw:
        hw.drain()

        (learnt,) = hw.agent("coder").lessons.list(limit=5)
        assert "-p" in learnt.fixes[0].text
        assert learnt.met == 2
        assert hw.check() == []


def test_commands_work_with_the_url_of_a_database(
    database: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["reflect", LESSON, "--home", database.url]) == 0
    assert run(["lesson", "list", "--json", "--home", database.url]) == 0

    assert LESSON in capsys.readouterr().out


def test_commands_work_with_a_database_that_is_set(
    database: Place, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HARDWON_POSTGRES_URL", database.url)

    assert run(["reflect", LESSON]) == 0
    assert run(["recall", "edit a large Go file"]) == 0
    assert run(["doctor", "--json"]) == 0
    assert run(["config"]) == 0

    printed = capsys.readouterr().out
    assert LESSON in printed
    assert database.url not in printed  # it may hold a password
    assert not os.path.exists(os.path.join(os.environ["HARDWON_HOME"], "hardwon.db"))


def test_without_a_server_the_doors_are_silent_and_steps_are_kept() -> None:
    troubles: list[BaseException] = []
    with hardwon.open(f"postgresql://nobody@127.0.0.1:{free_port()}/none") as hw:
        hw.on_trouble(troubles.append)
        agent = hw.agent("coder", run="r1")

        assert not agent.before_turn("edit a large Go file")
        after = agent.after_action("bash", {"command": "mkdir out/nightly"}, **FAILING)
        assert (after.text, after.failed) == ("", True)
        assert not agent.before_action("bash", {"command": "mkdir out"})
        assert [step.failed for step in agent.run.so_far().steps] == [True]
        with pytest.raises(Unavailable):
            agent.learn(LESSON)

    assert troubles
    assert all(isinstance(error, Unavailable) for error in troubles)


def test_a_frozen_server_keeps_no_door_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HARDWON_POSTGRES_PATIENCE", "2s")
    with running() as server, hardwon.open(server.database().url) as hw:
        hw.on_trouble(lambda error: None)
        agent = hw.agent("coder")
        agent.learn(LESSON)
        assert agent.before_turn("edit a large Go file")
        server.freeze()
        assert not agent.before_turn("edit a large Go file")
        server.thaw()

        assert len(agent.lessons.list(limit=5)) == 1  # somebody patient finds it back
        assert hw.agent("coder").before_turn("edit a large Go file")


def test_nothing_of_it_is_imported_by_those_who_use_a_file(tmp_path: Path) -> None:
    code = (
        "import sys, json, hardwon\n"
        f"hw = hardwon.open({str(tmp_path)!r})\n"
        "hw.agent('coder').before_turn('x')\n"
        "names = [name for name in sys.modules if 'psycopg' in name or 'postgres' in name]\n"
        "print(json.dumps(names))"
    )
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)

    assert json.loads(printed.stdout) == []


def test_a_guard_of_another_machine_holds_at_the_next_call(
    hw: hardwon.Hardwon, database: Place
) -> None:
    coder, call = hw.agent("coder"), {"command": "dropdb prod"}
    kept = coder.learn("never drop the database of production")
    assert not coder.before_action("bash", call).denied
    assert not coder.before_action("bash", call).denied

    with hardwon.open(database.url) as elsewhere:
        elsewhere.agent("coder").lessons.guard(kept.id, call="dropdb prod")
        assert coder.before_action("bash", call).denied
        assert coder.before_action("bash", call).denied

        elsewhere.agent("coder").lessons.guard(kept.id, on=False)
        assert not coder.before_action("bash", call).denied


def test_doors_make_two_round_trips_before_an_action_and_at_a_turn(
    hw: hardwon.Hardwon, monkeypatch: pytest.MonkeyPatch
) -> None:
    coder = hw.agent("coder")
    kept = coder.learn(LESSON)
    coder.lessons.guard(kept.id, call="rm -rf internal")
    coder.before_action("bash", {"command": "ls"})  # guards, and what waits for the dictionary,
    coder.explain("turn", "edit a large Go file")  # are read once
    trips: list[int] = []
    ask = Exchange.ask

    def counting(self: Exchange, statements: Any) -> Any:
        trips.append(len(statements))
        return ask(self, statements)

    monkeypatch.setattr(Exchange, "ask", counting)
    assert not coder.before_action("bash", {"command": "go build ./..."})
    at_action = len(trips)
    assert coder.explain("turn", "edit a large Go file")
    assert (at_action, len(trips) - at_action) == (2, 2)


def test_packs_go_from_a_file_to_a_database_and_back(
    hw: hardwon.Hardwon, database: Place, tmp_path: Path
) -> None:
    pack = tmp_path / "pack.jsonl"
    with hardwon.open(tmp_path / "first") as file:
        fail_and_work(file.agent("coder"))
        file.agent("coder").learn(LESSON)
        file.drain()
        pack.write_text(file.agent("coder").lessons.export(), encoding="utf-8")

    hw.agent("coder").lessons.import_from(str(pack), trust=True)
    there = hw.agent("coder").lessons.export()
    pack.write_text(there, encoding="utf-8")

    with hardwon.open(tmp_path / "second") as file:
        file.agent("coder").lessons.import_from(str(pack), trust=True)
        here = file.agent("coder").lessons.export()
        assert LESSON in file.agent("coder").before_turn("edit a large Go file").text
    assert LESSON in hw.agent("coder").before_turn("edit a large Go file").text
    assert told_of(there) == told_of(here)
    assert len(told_of(there)) == 2


def told_of(pack: str) -> list[tuple[str, str]]:
    """What the lessons of a pack say, whatever their numbers are."""
    lessons = map(json.loads, pack.splitlines())
    return sorted((one["situation"], one["correction"]) for one in lessons if "situation" in one)


def test_goals_in_redis_work_beside_it(database: Place, tmp_path: Path) -> None:
    redis = RedisServer(tmp_path, *DURABLE)
    try:
        settings = load(str(tmp_path / "home")).on_database(database.url)
        settings = settings._replace(goals=settings.goals._replace(redis_url=redis.url))
        with hardwon.open(database.url, settings=settings) as hw:
            agent = hw.agent("coder")
            agent.learn(LESSON)
            agent.goals.ended("g1", "Compare the prices", "failed", error="no range was given")
            hw.drain()

            assert agent.goals.context("g1")
            assert len(agent.goals.reflections("g1")) == 1
            assert hw.check() == []
        assert redis.client.get("reflection:g1") or redis.client.keys("*g1*")
        with closing(Database(database.url)) as server:
            assert server.of("default").rows("SELECT 1 FROM hardwon.reflections") == []
            assert len(server.of("default").rows("SELECT 1 FROM hardwon.lessons")) > 0
    finally:
        redis.stop()


def test_a_database_without_an_encoding_holds_keys_and_texts_too(
    postgres: PostgresServer, tmp_path: Path
) -> None:
    name = "ascii"
    postgres.empty()  # the roles
    options = "ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0"
    postgres.execute(f"CREATE DATABASE {name} {options} OWNER {OWNER}")
    url = postgres.url(name, OWNER)
    with hardwon.open(url) as hw:
        hw.agent("coder").learn("Grüße an α: use the other one")
        (kept,) = hw.agent("coder").lessons.list()
    with closing(open_database(load(str(tmp_path)).on_database(url))) as database:
        ring = KeyRing(database)
        made = ring.create(role="agent")
        found = ring.holder(made[1])

    assert "Grüße an α" in kept.correction
    assert found is not None
    assert found.id == made[0].id
