"""Requests to a server."""

from __future__ import annotations

from typing import Any

from tests.surfaces.serve.served import Answer, Served

CODER = "agent=coder&project=acme/api"


def post(server: Served, path: str, body: Any = None, **more: Any) -> Answer:
    return server.ask("POST", path, {} if body is None else body, key=server.token, **more)


def get(server: Served, path: str) -> Any:
    answer = server.ask("GET", path, key=server.token)
    assert answer.status == 200, answer
    return answer.json
