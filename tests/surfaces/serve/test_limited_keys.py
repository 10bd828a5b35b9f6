"""A key sees and changes what its role and its limits allow, by any operation and any page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple
from urllib.parse import urlencode

import pytest

import hardwon
from hardwon.api import operations as table
from hardwon.api.operations import Right
from hardwon.core.values.scope import Scope
from hardwon.storage.service import ROLES, Key
from hardwon.surfaces.serve import pages
from hardwon.surfaces.serve.access import Principal, of_key
from tests.surfaces.serve.description import OPERATIONS, WAKE, Operation
from tests.surfaces.serve.seeded import AGENT, PROJECT, Seeds, seed
from tests.surfaces.serve.served import FORM, Answer, Served, served

# What each scope is told apart by: the word is in every text of it, and in its name.
SCOPES = {
    "zebra": Scope("default", AGENT, PROJECT),
    "heron": Scope("default", AGENT, None),
    "walrus": Scope("default", AGENT, "walrus/web"),
    "badger": Scope("default", "badger-writer", PROJECT),
}
LIMITS: dict[str, dict[str, Any]] = {
    "agent": {"agent": AGENT},
    "project": {"project": PROJECT},
    "both": {"agent": AGENT, "project": PROJECT},
}
RIGHTS = {(one.method, one.path): one.rights for one in table.OPERATIONS.values()}
PAGE_RIGHTS = {
    "/settings": Right.OWNER,
    "/tenants": Right.OWNER,
    "/tenants/choose": Right.OWNER,
    "/keys": Right.ADMIN,
    "/keys/revoke": Right.ADMIN,
    "/spend": Right.COSTS,
    "/dreams": Right.DREAMS,
    "/dreams/{dream}": Right.DREAMS,
    "/dreams/{dream}/undo": Right.UNDO_DREAMS,
}
ROUTES = [
    (method, route.path)
    for route in pages.routes()
    for method in sorted((route.methods or {"GET"}) - {"HEAD"})
    if route.path != "/events"  # an endless stream
]


class Holder(NamedTuple):
    """Somebody with a key."""

    who: Principal
    key: str
    browser: dict[str, str]

    def may_change(self, scope: Scope) -> bool:
        """What belongs to its agent and project."""
        is_own_project = self.who.project in (None, scope.project)
        return is_own_project and self.who.agent in (None, scope.agent)

    def may_read(self, scope: Scope) -> bool:
        """That, and what holds everywhere for its agent."""
        holds_everywhere = scope.project is None and self.who.agent in (None, scope.agent)
        return self.may_change(scope) or holds_everywhere

    def beyond(self) -> list[str]:
        """The words of scopes that it may not read."""
        return [word for word, scope in SCOPES.items() if not self.may_read(scope)]

    def unchangeable(self) -> list[Scope]:
        return [scope for scope in SCOPES.values() if not self.may_change(scope)]


class World(NamedTuple):
    server: Served
    seeds: dict[str, Seeds]
    holders: dict[tuple[str, str], Holder]


@pytest.fixture
def world(shared: World) -> World:
    """With lessons that no other test has removed."""
    number = len(shared.server.hw.tenant().lessons(limit=1000).rows)
    fresh = {}
    for word, scope in SCOPES.items():
        agent = shared.server.hw.agent(scope.agent, project=scope.project)
        lesson = agent.learn(f"feed the {word} number {number} at noon")
        agent.lessons.edit(lesson.id, mistake=f"a hungry {word}")
        fresh[word] = shared.seeds[word]._replace(lesson=lesson.id)
    return shared._replace(seeds=fresh)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    home = tmp_path_factory.mktemp("limited")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HARDWON_HOME", str(home))
        seeds = {
            word: seed(home, word=word, agent=scope.agent, project=scope.project)
            for word, scope in SCOPES.items()
        }
        with served(home) as server:
            holders = {}
            for role in ROLES:
                for name, limit in LIMITS.items():
                    key, text = server.keys.create(role=role, **limit)
                    holders[role, name] = Holder(of_key(key), text, server.log_in(text))
            yield World(server, seeds, holders)


# The narrowest limits first: what they may not change must still be there.
EVERY = [(role, limit) for limit in ("both", "project", "agent") for role in ROLES]
GREEDY = {  # bodies that ask for more than the examples
    "/v1/lessons/revoke": b'{"origin": "manual"}',
    "/v1/dead/retry": b'{"all": true}',
    "/v1/dead/purge": b'{"all": true}',
}


def everything_in(scope: Scope, hw: hardwon.Hardwon) -> object:
    """What a scope has, apart from what merely looking at it changes."""
    own = hw.tenant(scope.tenant, agent=scope.agent, project=scope.project or "")
    agent = hw.agent(scope.agent, project=scope.project)
    lessons = own.lessons(status="all").rows
    return (
        sorted((one.id, one.render(), one.status, one.updated_at, one.guard) for one in lessons),
        [(one.id, one.outcome) for one in own.deliveries().rows],
        [one.id for one in hw.queue.dead() if one.episode.scope == scope],
        [(one.id, one.state) for one in agent.dreams.list()] if scope.project is None else (),
        [one.loop_id for one in agent.loops.list() if one.scope == scope],
        [one.subject for one in agent.goals.reflections() if one.scope == scope],
    )


def seeded_keys(world: World) -> list[Key]:
    """The keys without limits, which no limited key may revoke."""
    ids = {one.key for one in world.seeds.values()}
    return [key for key in world.server.keys.list() if key.id in ids]


def unchanged(world: World, holder: Holder) -> object:
    hw = world.server.hw
    return [everything_in(scope, hw) for scope in holder.unchangeable()], seeded_keys(world)


def asked(world: World, one: Operation, holder: Holder, word: str, **query: object) -> Answer:
    """An operation on something of a scope."""
    headers = {"Content-Type": one.media} if one.media else {}
    known = {name: value for name, value in query.items() if name in one.parameters}
    url = one.url(world.seeds[word], **known)
    body = GREEDY.get(one.path, one.body())
    return world.server.ask(one.method, url, body, key=holder.key, headers=headers)


def check(answer: Answer, holder: Holder, *, is_allowed: bool, about: object) -> None:
    text = answer.body.decode().lower()
    assert [word for word in holder.beyond() if word in text] == [], (about, answer)
    assert answer.status < 500, (about, answer)
    if not is_allowed:
        assert answer.status == 403, (about, answer)


@pytest.mark.parametrize("one", [one for one in OPERATIONS if one.path != WAKE], ids=str)
def test_no_operation_goes_beyond_role_and_limits(one: Operation, world: World) -> None:
    for name in EVERY:
        holder = world.holders[name]
        before = unchanged(world, holder)
        rights = RIGHTS.get((one.method, one.path), ())
        is_allowed = not rights or any(holder.who.may(right) for right in rights)
        for word, scope in SCOPES.items():
            place = {"agent": scope.agent, "project": scope.project}
            for query in ({}, place, {"view": "agent"}, {"view": "all", "q": "", "text": word}):
                answer = asked(world, one, holder, word, **query)
                check(answer, holder, is_allowed=is_allowed, about=(name, word, query))
        assert unchanged(world, holder) == before, name


FORMS = {  # what somebody would send who wants more than is theirs
    "/failures/write": {"correction": "owned"},
    "/queue/retry": {"all": "yes"},
    "/queue/purge": {"all": "yes"},
    "/lessons/{number}/edit": {"situation": "owned", "correction": "owned", "approve": "yes"},
    "/lessons/{number}/guard": {"on": "yes", "call": "ls *"},
    "/tenants/choose": {"tenant": "other"},
    "/keys": {"role": "admin"},
}


def sent(world: World, route: tuple[str, str], holder: Holder, word: str) -> Answer:
    """A page or a form about something of a scope."""
    (method, path), seeds, scope = route, world.seeds[word], SCOPES[word]
    ids = {"number": seeds.lesson, "dream": seeds.dream, "loop": seeds.loop, "name": seeds.run}
    ids |= {"kind": seeds.failure, "act": "mute" if path.startswith("/failures/") else "retire"}
    url = re.sub(r"{(\w+)}", lambda found: str(ids[found[1]]), path)
    if method == "GET":
        return world.server.ask("GET", url, headers=holder.browser)
    names = {"agent": scope.agent, "project": scope.project or ""}
    fields = [*names.items(), ("lesson", seeds.lesson), ("lesson", world.seeds["zebra"].lesson)]
    fields += [("id", seeds.key if "keys" in path else seeds.job), *FORMS.get(path, {}).items()]
    fields += [("kind", seeds.failure)]
    headers = {**holder.browser, "Content-Type": FORM, "X-CSRF-Token": csrf(world, holder)}
    return world.server.ask("POST", url, urlencode(fields).encode(), headers=headers)


def csrf(world: World, holder: Holder) -> str:
    page = world.server.ask("GET", "/", headers=holder.browser)
    found = re.search(r'name="csrf" value="([^"]+)"', page.body.decode())
    return found[1] if found else ""


@pytest.mark.parametrize("route", ROUTES, ids=" ".join)
def test_no_page_and_no_form_goes_beyond_role_and_limits(
    route: tuple[str, str], world: World
) -> None:
    method, path = route
    usual = Right.READ if method == "GET" else Right.CHANGE
    right = PAGE_RIGHTS.get(path.removesuffix(".json"), usual)

    for name in EVERY:
        holder = world.holders[name]
        before = unchanged(world, holder)
        for word in SCOPES:
            answer = sent(world, route, holder, word)
            check(answer, holder, is_allowed=holder.who.may(right), about=(name, word))
        assert unchanged(world, holder) == before, name


@pytest.mark.parametrize("limit", LIMITS)
def test_a_key_that_a_limited_key_makes_has_the_same_limit(world: World, limit: str) -> None:
    admin, wanted, token = world.holders["admin", limit], LIMITS[limit], world.server.token
    before = {key.id for key in world.server.keys.list()}

    over_http = world.server.ask("POST", "/v1/keys", {"role": "admin"}, key=admin.key)
    by_form = sent(world, ("POST", "/keys"), admin, "zebra")
    elsewhere = [
        world.server.ask("POST", "/v1/keys", {"role": "admin", name: "other"}, key=admin.key)
        for name in wanted
    ]

    made = [key for key in world.server.keys.list() if key.id not in before]
    assert (over_http.status, by_form.status, len(made)) == (201, 200, 2)
    assert [one.status for one in elsewhere] == [400] * len(wanted)
    assert all(getattr(key, name) == value for key in made for name, value in wanted.items())
    listed = world.server.ask("GET", "/v1/keys", key=admin.key).json["items"]
    assert {key.id for key in made} < {key["id"] for key in listed} | {""}
    every = world.server.ask("GET", "/v1/keys", key=token).json["items"]
    assert len(every) == len(world.server.keys.list()) > len(listed)


@pytest.mark.parametrize("limit", LIMITS)
def test_no_request_with_a_limited_key_names_another(world: World, limit: str) -> None:
    admin = world.holders["admin", limit]

    for name in LIMITS[limit]:
        for path in ("/v1/keys", "/v1/me", "/v1/openapi.json", "/v1/lessons", "/v1/queue"):
            asked = world.server.ask("GET", f"{path}?{name}=other", key=admin.key)
            assert asked.status == 403, path


def test_the_owner_of_the_home_has_every_right() -> None:
    rights = [right for name, right in vars(Right).items() if name.isupper()]

    assert all(Principal("default", "admin").may(right) for right in rights)
