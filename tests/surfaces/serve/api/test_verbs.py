"""What holds for every verb: keys, repetitions, refusals."""

from __future__ import annotations

from pathlib import Path

from tests.surfaces.serve.api.asked import post
from tests.surfaces.serve.served import Served, served


def test_a_key_keeps_to_its_agent_and_project(any_server: Served) -> None:
    server = any_server
    for project in ("acme/api", "acme/web"):
        post(server, f"/v1/learn?agent=coder&project={project}", {"text": f"deploy {project}"})
    key = server.key("admin", agent="coder", project="acme/api")

    seen = server.ask("GET", "/v1/lessons", key=key).json["items"]
    told = server.ask("POST", "/v1/before_turn", {"prompt": "deploy acme/api acme/web"}, key=key)

    assert [one["correction"] for one in seen] == ["deploy acme/api"]
    assert "acme/web" not in told.json["text"]
    assert server.ask("GET", "/v1/lessons/2", key=key).status == 404
    for query in ("agent=other", "project=acme/web"):
        for path in ("/v1/lessons", "/v1/queue", "/v1/failures", "/v1/report"):
            assert server.ask("GET", f"{path}?{query}", key=key).status == 403
        assert server.ask("POST", f"/v1/learn?{query}", {"text": "x"}, key=key).status == 403
    made = server.ask("POST", "/v1/keys", {"role": "agent"}, key=key).json
    assert (made["agent"], made["project"]) == ("coder", "acme/api")
    assert server.ask("POST", "/v1/keys", {"agent": "other"}, key=key).status == 400


def test_a_request_that_is_repeated_after_a_restart_is_done_once(tmp_path: Path) -> None:
    named = {"Idempotency-Key": "night-1"}
    body = {"task": "one", "error": "boom"}
    with served(tmp_path) as server:
        first = post(server, "/v1/after_run", body, headers=named)
        server.hw.drain()
    with served(tmp_path) as server:
        again = post(server, "/v1/after_run", body, headers=named)
        waiting = server.hw.queue.waiting()

    assert (again.status, again.json) == (200, first.json)
    assert waiting == []


def test_a_refusal_is_not_kept_as_the_answer(server: Served) -> None:
    named = {"Idempotency-Key": "k"}

    assert post(server, "/v1/learn", {"text": ""}, headers=named).status == 400
    assert post(server, "/v1/learn", {"text": "now it is right"}, headers=named).status == 201
