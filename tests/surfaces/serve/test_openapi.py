"""The description of the API is true: every route, status and example."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from hardwon.api import operations as table
from hardwon.storage.service import ROLES
from hardwon.surfaces.serve import api
from hardwon.surfaces.serve.access import RIGHTS
from tests.surfaces.serve.description import DOCUMENT, OPERATIONS, WAKE, Operation
from tests.surfaces.serve.seeded import Seeds, seed
from tests.surfaces.serve.served import Answer, Served, served

ONCE = {"$ref": "#/components/parameters/idempotency"}
WRITING = [one for one in OPERATIONS if ONCE in one.told.get("parameters", ()) and one.path != WAKE]
PUBLIC = {("GET", "/healthz"), ("GET", "/readyz")}
VERBS = list(table.OPERATIONS.values())


@pytest.fixture(scope="module")
def seeded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Seeds]:
    home = tmp_path_factory.mktemp("seeded")
    return home, seed(home)


@pytest.fixture(scope="module")
def seeds(seeded: tuple[Path, Seeds]) -> Seeds:
    return seeded[1]


@pytest.fixture
def fresh(seeded: tuple[Path, Seeds], tmp_path: Path) -> Iterator[Served]:
    """A server on a copy of the home, for requests that change something."""
    shutil.copytree(seeded[0], tmp_path / "home")
    with served(tmp_path / "home") as running:
        yield running


@pytest.fixture(scope="module")
def server(
    seeded: tuple[Path, Seeds], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Served]:
    """One server for requests that are refused."""
    home = tmp_path_factory.mktemp("refusing") / "home"
    shutil.copytree(seeded[0], home)
    with served(home) as running:
        yield running


def documenting(code: str) -> list[Operation]:
    return [one for one in OPERATIONS if code in one.told["responses"]]


def asked(server: Served, one: Operation, url: str, key: str | None, **more: Any) -> Answer:
    headers = {"Content-Type": one.media} if one.media else {}
    body = more.pop("body", one.body())
    return server.ask(one.method, url, body, key=key, headers=headers | more)


def is_problem(answer: Answer, status: int) -> bool:
    kind = answer.headers["content-type"]
    return (answer.status, kind) == (status, "application/problem+json") and bool(
        answer.json["status"] == status and answer.json["detail"]
    )


def test_every_route_is_described_and_every_description_is_a_route() -> None:
    routes = {
        (method, re.sub(r":\w+}", "}", route.path))
        for route in api.routes()
        for method in (route.methods or set()) - {"HEAD"}
    }

    assert {(one.method, one.path) for one in OPERATIONS} == routes | PUBLIC
    assert len({one.told["operationId"] for one in OPERATIONS}) == len(OPERATIONS)


def test_the_documentation_lists_every_operation_with_its_roles() -> None:
    text = (Path(__file__).parents[3] / "docs/reference/http.md").read_text()
    listed = re.findall(r"^\| `(\w+) (\S+)` \| (.+) \| (.+) \|$", text, re.MULTILINE)
    verbs = {(verb.method, verb.path): verb.rights for verb in VERBS}

    def roles(one: Operation) -> str:
        rights = verbs.get((one.method, one.path))
        if rights is None:
            return "without a key"
        able = [role for role in ROLES if not RIGHTS[role].isdisjoint(rights)]
        return "all" if len(able) == len(ROLES) else ", ".join(able)

    told = {(one.method, one.path, one.told["summary"], roles(one)) for one in OPERATIONS}
    assert set(listed) == told


def test_every_schema_is_one() -> None:
    for schema in DOCUMENT["components"]["schemas"].values():
        jsonschema.Draft202012Validator.check_schema(schema)


def test_the_server_gives_the_description(server: Served) -> None:
    assert server.ask("GET", "/v1/openapi.json", key=server.token).json == DOCUMENT


@pytest.mark.parametrize("one", [one for one in OPERATIONS if one.path != WAKE], ids=str)
def test_every_example_is_answered_as_described(
    one: Operation, fresh: Served, seeds: Seeds
) -> None:
    answer = asked(fresh, one, one.url(seeds), fresh.token)

    assert answer.status == one.success, answer
    content = one.told["responses"][str(one.success)].get("content")
    if content is None:
        assert answer.body == b""
        return
    ((media, told),) = content.items()
    assert answer.headers["content-type"] == media
    if media == "application/json":
        schema = {**told["schema"], "components": DOCUMENT["components"]}
        jsonschema.validate(answer.json, schema)


@pytest.mark.parametrize("one", documenting("401"), ids=str)
def test_nothing_is_done_without_a_key(one: Operation, server: Served, seeds: Seeds) -> None:
    assert is_problem(asked(server, one, one.url(seeds), None), 401)
    assert is_problem(asked(server, one, one.url(seeds), "hw_0_0"), 401)


def test_only_health_and_readiness_are_public() -> None:
    assert {(one.method, one.path) for one in OPERATIONS if "401" not in one.told["responses"]} == (
        PUBLIC
    )


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: f"{verb.method} {verb.path}")
def test_a_role_does_what_its_rights_allow(verb: Any, server: Served) -> None:
    path = re.sub(r"{id[^}]*}", "999999", verb.path)
    lacking = [role for role in ROLES if RIGHTS[role].isdisjoint(verb.rights)]
    described = next(
        one.told["responses"]
        for one in OPERATIONS
        if (one.method, one.path) == (verb.method, verb.path)
    )

    for role in lacking:
        assert is_problem(server.ask(verb.method, path, {}, key=server.key(role)), 403)
    for role in set(ROLES) - set(lacking):
        if verb.method == "GET":
            assert server.ask("GET", path, key=server.key(role)).status != 403
    assert not lacking or "403" in described


@pytest.mark.parametrize("one", documenting("404"), ids=str)
def test_what_is_not_there_is_said_to_be(one: Operation, server: Served, seeds: Seeds) -> None:
    body = one.body()
    if one.path in ("/v1/dead/retry", "/v1/dead/purge"):
        body = b'{"ids": ["nothing"]}'
    others = {"id": 999999} if "{id}" in one.path else {"agent": "nobody"}

    assert is_problem(asked(server, one, one.url(seeds, **others), server.token, body=body), 404)


WRONG = {"limit": "0", "view": "else", "cursor": "!", "since": "soon", "days": "0", "agent": "a\nb"}


@pytest.mark.parametrize("one", documenting("400"), ids=str)
def test_a_mistake_in_a_request_is_named(one: Operation, server: Served, seeds: Seeds) -> None:
    found = 0
    if one.has_fields:
        answer = asked(server, one, one.url(seeds), server.token, body=b'{"nonsense": 1}')
        assert is_problem(answer, 400)
        assert "nonsense" in answer.json["detail"]
        assert is_problem(asked(server, one, one.url(seeds), server.token, body=b"[1"), 400)
        assert is_problem(asked(server, one, one.url(seeds), server.token, body=b"[1]"), 400)
        found += 1
    for name, value in WRONG.items():
        if name in one.parameters and not (name == "agent" and "view" in one.parameters):
            answer = asked(server, one, one.url(seeds, **{name: value}), server.token)
            assert is_problem(answer, 400), (name, answer)
            found += 1
    assert found


@pytest.mark.parametrize("one", documenting("415"), ids=str)
def test_a_body_of_another_kind_is_refused(one: Operation, server: Served, seeds: Seeds) -> None:
    answer = server.ask(
        one.method,
        one.url(seeds),
        one.body(),
        key=server.token,
        headers={"Content-Type": "text/plain"},
    )

    assert is_problem(answer, 415)


def test_a_key_that_was_made_is_kept_nowhere(fresh: Served) -> None:
    named = {"Idempotency-Key": "once"}
    made = fresh.ask("POST", "/v1/keys", {}, key=fresh.token, headers=named).json["key"]
    again = fresh.ask("POST", "/v1/keys", {}, key=fresh.token, headers=named).json["key"]

    assert made != again
    for file in Path(fresh.hw.settings.home).iterdir():
        assert file.is_dir() or made.split("_", 2)[2].encode() not in file.read_bytes()
    unnamed = [one for one in OPERATIONS if one.method != "GET" and one not in WRITING]
    assert [str(one) for one in unnamed] == [
        *("POST /v1/queue/wake", "POST /v1/sync", "POST /v1/keys")
    ]


@pytest.mark.parametrize("one", WRITING, ids=str)
def test_the_same_request_is_done_once(one: Operation, fresh: Served, seeds: Seeds) -> None:
    named = {"Idempotency-Key": "once"}
    first = asked(fresh, one, one.url(seeds), fresh.token, **named)
    again = asked(fresh, one, one.url(seeds), fresh.token, **named)
    other = asked(fresh, one, one.url(seeds, project="another"), fresh.token, **named)

    assert (again.status, again.body) == (first.status, first.body)
    assert again.headers["idempotent-replayed"] == "true"
    assert is_problem(other, 400)
