"""What every store of reflections must do: in memory, in SQLite, in PostgreSQL, in Redis."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hardwon import Reflection, Scope
from hardwon.knowledge.ranking.reflections import CANDIDATES, key_words
from hardwon.storage.ports import ReflectionStore, Store
from hardwon.storage.postgres.database import Database as Server
from hardwon.storage.sql.reflections import SqlReflections
from hardwon.storage.stores.postgres import PostgresStore
from hardwon.storage.stores.redis import RedisReflections
from hardwon.storage.stores.sqlite import MemoryDatabase, MemoryStore, SqliteStore
from hardwon.storage.stores.sqlite.database import Database
from tests.redis_server import RedisServer
from tests.samples import CODER, LATER, NOW
from tests.stores.plain import PlainReflections
from tests.waiting import until

OTHER = Scope("acme", "writer", "api")
STRANGE_IDS = [
    "recent_goals",
    "%recent_goals",
    "a:b:reflection:c",
    "../../etc",
    "ключ 🔑",
    "*",
    "%",
]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    started = RedisServer(tmp_path_factory.mktemp("redis"))
    yield started
    started.stop()


@pytest.fixture(params=["memory", "postgres", "redis", "sqlite"])
def reflections(request: pytest.FixtureRequest) -> Iterator[ReflectionStore]:
    if request.param == "redis":
        server: RedisServer = request.getfixturevalue("server")
        server.client.flushall()
        opened = RedisReflections(server.url, patience=30)
        yield opened
        opened.close()
    else:
        store = opened_store(request.param, request)
        yield store.reflections
        store.close()


def opened_store(kind: str, request: pytest.FixtureRequest) -> Store:
    home = str(request.getfixturevalue("tmp_path"))
    if kind == "postgres":
        return PostgresStore(request.getfixturevalue("database").url, home)
    return MemoryStore() if kind == "memory" else SqliteStore(home)


def reflection(insight: str = "filter by date", **more: Any) -> Reflection:
    made = Reflection(CODER, "goal-1", insight, NOW, title="Research", importance=0.8)
    return made._replace(**more)


def insights(found: list[Reflection]) -> list[str]:
    return [one.insight for one in found]


def test_reflections_are_kept_by_subject_and_expire(reflections: ReflectionStore) -> None:
    first = reflection()
    second = reflection("ask for a range", created_at=LATER, detail='{"a": 1}', job="j1")
    gone = reflection(subject="goal-2", expires_at=NOW - timedelta(days=1))
    for one in (first, second, gone):
        reflections.save(one)

    assert reflections.about(CODER, "goal-1") == [first, second]
    assert reflections.recent(CODER, now=NOW, limit=9) == [second, first]
    assert reflections.about(OTHER, "goal-1") == []


def test_only_what_other_programs_write_is_shared(reflections: ReflectionStore) -> None:
    assert reflections.is_shared is isinstance(reflections, RedisReflections)


def test_what_has_expired_is_gone_with_the_next_that_is_saved(reflections: ReflectionStore) -> None:
    reflections.save(reflection(subject="goal-2", expires_at=NOW - timedelta(days=1)))
    elsewhere = reflection(scope=OTHER, subject="goal-2", expires_at=LATER + timedelta(days=1))
    reflections.save(elsewhere)
    reflections.save(reflection(created_at=LATER))

    until(lambda: reflections.about(CODER, "goal-2") == [])  # Redis takes a millisecond
    assert reflections.about(OTHER, "goal-2") == [elsewhere]


def test_of_the_same_moment_the_one_saved_last_comes_first(reflections: ReflectionStore) -> None:
    for insight, subject in (("a", "goal-1"), ("b", "goal-1"), ("c", "goal-2"), ("d", "goal-2")):
        reflections.save(reflection(insight, subject=subject))
    reflections.save(reflection("old", subject="goal-3", created_at=NOW - timedelta(days=1)))

    assert insights(reflections.recent(CODER, now=NOW, limit=9)) == ["d", "c", "b", "a", "old"]
    assert insights(reflections.recent(CODER, now=NOW, limit=2)) == ["d", "c"]
    assert insights(reflections.about(CODER, "goal-1")) == ["a", "b"]


def test_of_equally_relevant_ones_of_a_moment_the_one_saved_last_comes_first(
    reflections: ReflectionStore,
) -> None:
    for insight in ("a", "b", "c"):
        reflections.save(reflection(insight))
    reflections.save(reflection("old", subject="goal-3", created_at=NOW - timedelta(days=1)))

    found = reflections.alike(CODER, key_words("research"), now=NOW, limit=9)

    assert insights([one.reflection for one in found]) == ["c", "b", "a", "old"]


@pytest.mark.parametrize("kind", ["memory", "postgres", "sqlite"])
def test_of_more_equally_relevant_ones_than_are_compared_the_first_saved_are_left_out(
    kind: str, request: pytest.FixtureRequest
) -> None:
    saved = [
        reflection(str(number), subject=f"goal-{number}", scope=scope)
        for number, scope in enumerate([CODER, CODER.everywhere()] * CANDIDATES)
    ]
    with closing(opened_store(kind, request)) as store:
        for one in saved:
            store.reflections.save(one)
        found = store.reflections.alike(CODER, key_words("research"), now=NOW, limit=99)

    assert [one.reflection for one in found] == saved[: -CANDIDATES - 1 : -1]


def test_what_holds_everywhere_is_seen_in_a_project_and_not_the_other_way(
    reflections: ReflectionStore,
) -> None:
    here, everywhere = reflection("here"), reflection("everywhere", scope=CODER.everywhere())
    reflections.save(everywhere)
    reflections.save(here._replace(created_at=LATER))

    assert insights(reflections.about(CODER, "goal-1")) == ["everywhere", "here"]
    assert insights(reflections.about(CODER.everywhere(), "goal-1")) == ["everywhere"]


def test_every_goal_of_an_agent_is_found_in_all_projects(reflections: ReflectionStore) -> None:
    here = [
        reflection(f"insight {n}", subject=subject, created_at=NOW + timedelta(seconds=n))
        for n, subject in enumerate([*STRANGE_IDS, *(f"goal-{n}" for n in range(20))])
    ]
    elsewhere = reflection("web", scope=CODER._replace(project="web: 1"))
    everywhere = reflection("everywhere", scope=CODER.everywhere())
    gone = reflection("gone", subject="gone", expires_at=NOW - timedelta(days=1))
    for one in (elsewhere, everywhere, *here, gone, reflection("writer's", scope=OTHER)):
        reflections.save(one)

    found = reflections.every(CODER, now=NOW, limit=99)

    assert set(found) == {*here, elsewhere, everywhere}
    assert found[: len(here) - 1] == here[:0:-1]
    assert reflections.every(CODER.everywhere(), now=NOW, limit=3) == here[:-4:-1]


@pytest.mark.parametrize("importances", [[1.0, 0.5, 0.5], [1.0, 0.8, 1.0]])
def test_the_oldest_of_the_least_important_gives_way(
    reflections: ReflectionStore, importances: list[float]
) -> None:
    for minute, importance in enumerate(importances):
        at = NOW + timedelta(minutes=minute)
        reflections.save(reflection(f"n{minute}", importance=importance, created_at=at), keep=3)
    reflections.save(reflection("fourth", importance=0.5, created_at=LATER), keep=3)

    assert insights(reflections.about(CODER, "goal-1")) == ["n0", "n2", "fourth"]


def test_reflections_are_found_by_the_words_they_share(reflections: ReflectionStore) -> None:
    price = reflection(subject="g1", title="Research competitor pricing")
    mail = reflection("prefer bullet lists", subject="g2", title="Send the weekly report")
    gone = price._replace(subject="g3", expires_at=NOW)
    for one in (price, mail, gone):
        reflections.save(one)

    words = key_words("compare the pricing of a competitor by date")
    found = reflections.alike(CODER, words, now=NOW, limit=9)

    assert [one.reflection for one in found] == [price]
    assert 0 < found[0].relevance <= 1
    assert reflections.alike(OTHER, words, now=NOW, limit=9) == []
    assert reflections.alike(CODER, (), now=NOW, limit=9) == []


@pytest.mark.parametrize("subject", STRANGE_IDS)
def test_goal_ids_are_foreign_text(reflections: ReflectionStore, subject: str) -> None:
    kept = reflection(subject=subject)
    other = reflection("another", subject="goal-2", scope=Scope())
    reflections.save(other)
    reflections.save(kept)

    assert reflections.about(CODER, subject) == [kept]
    assert reflections.recent(CODER, now=NOW, limit=9) == [kept]
    assert reflections.about(Scope(), "goal-2") == [other]


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.sampled_from([0.5, 0.7, 0.8, 1.0]), max_size=8), st.integers(1, 4))
def test_no_more_are_kept_than_asked_and_the_newest_always(
    reflections: ReflectionStore, importances: list[float], keep: int
) -> None:
    subject = f"goal {importances} {keep}"
    for minute, importance in enumerate(importances):
        one = reflection(str(minute), subject=subject, importance=importance)
        one = one._replace(created_at=NOW + timedelta(minutes=minute))
        reflections.save(one, keep=keep)

        kept = reflections.about(CODER, subject)
        assert len(kept) == min(minute + 1, keep)
        assert kept[-1] == one


SAVES = st.tuples(
    st.sampled_from(["g1", "g2", "g3"]),
    st.sampled_from([0.5, 0.7, 0.8, 1.0]),
    st.sampled_from(["pricing of a competitor", "weekly report", "pricing report"]),
    st.sampled_from([CODER, CODER.everywhere(), OTHER]),
    st.sampled_from(["", "j1", "j2"]),
)


@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(SAVES, max_size=14))
def test_every_store_behaves_like_the_one_in_memory(
    reflections: ReflectionStore, saves: list[tuple[str, float, str, Scope, str]]
) -> None:
    tenant = f"t{abs(hash(tuple(saves)))}"
    model = PlainReflections()
    for minute, (subject, importance, title, scope, job) in enumerate(saves):
        one = Reflection(
            scope._replace(tenant=tenant), subject, f"insight {minute}", NOW, title, job=job
        )
        one = one._replace(importance=importance, created_at=NOW + timedelta(minutes=minute))
        assert reflections.save(one, keep=3) == model.save(one, keep=3)

    for scope in (CODER, CODER.everywhere(), OTHER):
        own = scope._replace(tenant=tenant)
        for subject in ("g1", "g2", "g3", "g4"):
            assert reflections.about(own, subject) == model.about(own, subject)
        assert reflections.recent(own, now=NOW, limit=50) == model.recent(own, now=NOW, limit=50)


@pytest.fixture(params=["memory", "postgres", "sqlite"])
def capped(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ReflectionStore]:
    """A store that keeps five."""
    if request.param == "memory":
        yield SqlReflections(MemoryDatabase(":memory:"), "run", cap=5)
    elif request.param == "sqlite":
        with closing(Database(str(tmp_path / "hardwon.db"))) as file:
            yield SqlReflections(file, "run", cap=5)
    else:
        with closing(Server(request.getfixturevalue("database").url)) as server:
            yield SqlReflections(server, "run", cap=5)


def test_only_the_newest_are_kept_under_a_cap(capped: ReflectionStore) -> None:
    for minute in range(8):
        capped.save(reflection(str(minute), created_at=NOW + timedelta(minutes=minute)))

    assert insights(capped.recent(CODER, now=NOW, limit=99)) == ["7", "6", "5", "4", "3"]


@pytest.mark.parametrize("kind", ["memory", "postgres", "sqlite"])
def test_reflections_on_runs_are_apart_from_those_on_goals(
    kind: str, request: pytest.FixtureRequest
) -> None:
    store = opened_store(kind, request)
    store.runs.save(reflection())

    assert len(store.runs.recent(CODER, now=NOW, limit=9)) == 1
    assert store.reflections.recent(CODER, now=NOW, limit=9) == []
    assert store.reflections.about(CODER, "goal-1") == []
    store.close()
