"""A tool that sends requests is named by method and path."""

from __future__ import annotations

from typing import Any

import pytest

from hardwon.core.values.run import Step
from hardwon.knowledge.reading.call_keys import canonical
from hardwon.knowledge.reading.routes import is_route, parameters, route, routed


@pytest.mark.parametrize(
    ("address", "path"),
    [
        ("/v3/orders/o17/release", "/v3/orders/<id>/release"),
        ("https://api.example/v3/orders?limit=20#top", "/v3/orders"),
        ("/targets/dt_ebbcd8/verify", "/targets/<id>/verify"),
        ("/targets/8-ebb", "/targets/<id>"),
        ("/oauth2/token", "/oauth2/token"),
    ],
)
def test_a_route_has_no_host_query_and_ids(address: str, path: str) -> None:
    assert route(address) == path


def test_a_request_is_named_by_its_route() -> None:
    args = {"method": "post", "path": "/orders/o17/plan", "body": {"day": 3}, "headers": {"a": "b"}}
    step = routed(Step("request", canonical(args), "ok"))

    assert step.tool == "POST:/orders/<id>/plan"
    assert step.args == '{"body": {"day": 3}, "id": ["o17"]}'
    assert is_route(step.tool)


@pytest.mark.parametrize(
    "args",
    [
        {"method": "memorable_word", "path": "/a"},
        {"method": "GET"},
        {"method": "GET", "path": 3},
        {"path": "/a/b"},
    ],
)
def test_any_other_call_keeps_its_name(args: dict[str, Any]) -> None:
    step = Step("request", canonical(args), "ok")

    assert routed(step) is step
    assert not is_route(step.tool)


def test_the_parameters_of_an_address_are_arguments() -> None:
    address = "/series?from=2026-01-01&limit=20#top"

    assert parameters({"method": "GET", "url": address}) == {"from": "2026-01-01", "limit": "20"}
    assert parameters({"url": address}) == {}
