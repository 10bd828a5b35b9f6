"""Two tenants see nothing of each other, through any operation of the API."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

import hardwon
from tests.postgres_server import PostgresServer
from tests.surfaces.serve.description import OPERATIONS, WAKE, Operation
from tests.surfaces.serve.seeded import AGENT, PROJECT, Seeds, seed
from tests.surfaces.serve.served import Answer, Served, served

MINE, YOURS = "mine", "yours"
WORDS = {MINE: "zebra", YOURS: "walrus"}


class World(NamedTuple):
    """A server with two tenants."""

    server: Served
    seeds: dict[str, Seeds]
    key: str  # of one of them


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def world(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[World]:
    """One on each store that a team may have."""
    home = tmp_path_factory.mktemp("two")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HARDWON_HOME", str(home))
        patch.setenv("HARDWON_POSTGRES_PATIENCE", "60s")  # a slow machine decides no test
        if request.param == "sqlite":
            yield from two_tenants(home)
            return
        server: PostgresServer = request.getfixturevalue("postgres")
        database = server.database()
        yield from two_tenants(database.url)
        server.give_back(database)


def two_tenants(place: Path | str) -> Iterator[World]:
    """A server with both, and something of each in every place."""
    seeds = {tenant: seed(place, tenant=tenant, word=word) for tenant, word in WORDS.items()}
    with hardwon.open(place) as hw:
        for tenant, word in WORDS.items():
            coder = hw.agent(AGENT, project=PROJECT, tenant=tenant)
            coder.after_run(task=f"another {word} folder", error=f"{word} again")
    with served(place) as running:
        yield World(running, seeds, running.key("admin", tenant=MINE))


def asked(world: World, one: Operation, seeds: Seeds, **others: object) -> Answer:
    headers = {"Content-Type": one.media} if one.media else {}
    url = one.url(seeds, **others)
    return world.server.ask(one.method, url, one.body(), key=world.key, headers=headers)


def everything_of(tenant: str, hw: hardwon.Hardwon) -> object:
    """What a tenant has, apart from what merely looking at it changes."""
    own = hw.tenant(tenant)
    coder = hw.agent(AGENT, project=PROJECT, tenant=tenant)
    return (
        [(one.id, one.render(), one.status, one.guard) for one in own.lessons(status="all").rows],
        own.counts(),
        [(one.kind, one.met) for one in own.failures().rows],
        [(one.id, one.outcome) for one in own.deliveries().rows],
        [one.id for one in hw.queue.waiting() if one.episode.scope.tenant == tenant],
        [one.id for one in hw.queue.dead() if one.episode.scope.tenant == tenant],
        [(one.id, one.state) for one in coder.dreams.list()],
        [one.loop_id for one in coder.loops.list()],
        [one.subject for one in coder.goals.reflections()],
        own.spent(),
    )


def unlimited(one: Operation) -> dict[str, object]:
    """Other values than the examples, so that something is found."""
    others = {"q": "", "goal": None, "text": f"make the {WORDS[MINE]} folder"}
    return {name: value for name, value in others.items() if name in one.parameters}


def test_the_same_requests_show_the_tenants_own(world: World) -> None:
    seen = {
        str(one)
        for one in OPERATIONS
        if one.method == "GET"
        and WORDS[MINE].encode()
        in asked(world, one, world.seeds[MINE], **unlimited(one)).body.lower()
    }

    assert {
        *("GET /v1/lessons", "GET /v1/lessons/{id}", "GET /v1/lessons/{id}/history"),
        *("GET /v1/lessons/export", "GET /v1/recall", "GET /v1/queue", "GET /v1/dead"),
        *("GET /v1/report", "GET /v1/failures", "GET /v1/deliveries", "GET /v1/spend"),
        *("GET /v1/goals", "GET /v1/loops", "GET /v1/keys", "GET /v1/history"),
    } <= seen


@pytest.mark.parametrize("one", [one for one in OPERATIONS if one.path != WAKE], ids=str)
def test_no_operation_shows_or_changes_what_another_tenant_has(
    one: Operation, world: World
) -> None:
    before = everything_of(YOURS, world.server.hw)

    for others in ({}, {"view": "all"}, {"q": WORDS[YOURS], "text": WORDS[YOURS], "view": "all"}):
        known = {name: value for name, value in others.items() if name in one.parameters}
        answer = asked(world, one, world.seeds[YOURS], **known)
        assert WORDS[YOURS].encode() not in answer.body.lower()
        if "{id}" in one.path and "outcome" not in one.path:
            assert answer.status == 404

    assert everything_of(YOURS, world.server.hw) == before
