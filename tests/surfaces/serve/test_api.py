"""The API as programs use it: a failure becomes a lesson, people look after it."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hardwon.surfaces.serve.limits import Limits
from tests.surfaces.serve.seeded import MKDIR, MKDIR_ERROR
from tests.surfaces.serve.served import Answer, Served, served

CODER = "agent=coder&project=acme/api"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Served]:
    with served(tmp_path) as running:
        yield running


@pytest.fixture(params=["sqlite", "postgres"])
def any_server(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Served]:
    """A server on each store that a team may have."""
    is_shared = request.param == "postgres"
    monkeypatch.setenv("HARDWON_POSTGRES_PATIENCE", "60s")  # a slow machine decides no test
    with served(request.getfixturevalue("database").url if is_shared else tmp_path) as running:
        yield running


def post(server: Served, path: str, body: Any = None, **more: Any) -> Answer:
    return server.ask("POST", path, {} if body is None else body, key=server.token, **more)


def get(server: Served, path: str) -> Any:
    answer = server.ask("GET", path, key=server.token)
    assert answer.status == 200, answer
    return answer.json


def fail(server: Served, run: str) -> Any:
    """One run that meets a failure and finds its way out."""
    step = {"tool": "bash", "args": MKDIR, "output": MKDIR_ERROR, "failed": True}
    told = post(server, f"/v1/after_action?{CODER}&run={run}", step)
    mended = {"tool": "bash", "args": {"command": "mkdir -p out/nightly"}}
    post(server, f"/v1/after_action?{CODER}&run={run}", mended)
    end = {"task": "Make the folder", "error": MKDIR_ERROR}
    assert post(server, f"/v1/after_run?{CODER}&run={run}", end).json["job"]["steps"]
    return told.json


def test_an_agent_makes_a_mistake_once(any_server: Served) -> None:
    server = any_server
    assert fail(server, "monday")["failed"] is True
    met = fail(server, "tuesday")
    server.hw.drain()

    before = post(server, f"/v1/before_action?{CODER}", {"tool": "bash", "args": MKDIR}).json
    other = post(server, "/v1/before_action?agent=other", {"tool": "bash", "args": MKDIR}).json

    assert "`mkdir` with `-p`" in met["text"]
    assert "`mkdir` with `-p`" in before["text"]
    assert (other["text"], other["lessons"]) == ("", [])


def test_requests_of_one_run_share_what_was_told(any_server: Served) -> None:
    server = any_server
    post(server, f"/v1/learn?{CODER}", {"text": "make the nightly folder with `mkdir -p`"})
    asked = {"prompt": "make the nightly folder"}

    texts = [post(server, f"/v1/before_turn?{CODER}&run=r", asked).json["text"] for _ in "ab"]
    another = post(server, f"/v1/before_turn?{CODER}&run=s", asked).json["text"]

    assert [bool(text) for text in texts] == [True, False]
    assert another


def test_a_door_says_nothing_when_the_store_is_broken(server: Served) -> None:
    server.hw.close()
    (Path(server.hw.settings.home) / "hardwon.db").write_bytes(b"not a database at all" * 200)

    door = post(server, f"/v1/before_turn?{CODER}", {"prompt": "make the nightly folder"})
    desk = server.ask("GET", "/v1/lessons", key=server.token)
    ready = server.ask("GET", "/readyz", key=server.token)

    assert (door.status, door.json["text"]) == (200, "")
    assert (desk.status, ready.status) == (500, 500)
    assert "hardwon.db" in desk.json["detail"]


def test_a_door_that_takes_too_long_says_nothing(tmp_path: Path) -> None:
    with served(tmp_path, limits=Limits(door=0.0, answer=0.0)) as server:
        door = post(server, f"/v1/before_turn?{CODER}", {"prompt": "anything"})
        desk = server.ask("GET", "/v1/lessons", key=server.token)

    assert (door.status, door.json["text"]) == (200, "")
    assert desk.status == 503


def test_the_end_of_a_run_that_cannot_be_kept_is_an_error(server: Served) -> None:
    queue = Path(server.hw.settings.home) / "queue"
    post(server, "/v1/after_run", {"task": "one", "error": "boom"})
    for file in sorted(queue.rglob("*"), reverse=True):
        file.unlink() if file.is_file() else file.rmdir()
    queue.rmdir()
    queue.write_text("in the way")

    answer = post(server, "/v1/after_run", {"task": "two", "error": "bang"})

    assert answer.status == 500
    assert "queue" in answer.json["detail"]


def test_a_person_looks_after_lessons(any_server: Served) -> None:
    server = any_server
    pack = b'{"situation": "deploying", "correction": "drain the node first"}\n'
    (held,) = post(server, f"/v1/lessons/import?{CODER}", pack).json["items"]
    one = f"/v1/lessons/{held['id']}"
    assert held["status"] == "quarantined"
    assert held["origin"] == "pack:upload.jsonl"
    prompt = {"prompt": "deploying the node: drain it?"}
    assert not post(server, f"/v1/before_turn?{CODER}", prompt).json["text"]

    assert post(server, f"{one}/approve").json["status"] == "proven"
    assert "drain the node first" in post(server, f"/v1/before_turn?{CODER}", prompt).json["text"]
    edited = server.ask("PATCH", one, {"correction": "drain it", "tags": ["ops"]}, key=server.token)
    assert (edited.json["correction"], edited.json["tags"]) == ("drain it", ["ops"])
    acts = [change["act"] for change in get(server, f"{one}/history")["items"]]
    assert acts[0] == "edit"
    assert post(server, f"{one}/undo").json["correction"] == "drain the node first"
    assert post(server, f"{one}/retire").json["status"] == "retired"
    assert not post(server, f"/v1/before_turn?{CODER}", prompt).json["text"]
    assert server.ask("DELETE", one, key=server.token).status == 204
    assert server.ask("GET", one, key=server.token).status == 404
    assert post(server, f"{one}/undo").json["correction"] == "drain the node first"


def test_a_guard_denies_the_call(server: Served) -> None:
    lesson = post(server, f"/v1/learn?{CODER}", {"text": "never delete the data"}).json
    call = {"tool": "bash", "args": "rm -rf data"}

    post(server, f"/v1/lessons/{lesson['id']}/guard", {"call": "rm -rf data"})
    denied = post(server, f"/v1/before_action?{CODER}", call).json
    post(server, f"/v1/lessons/{lesson['id']}/guard", {"on": False})
    allowed = post(server, f"/v1/before_action?{CODER}", call).json

    assert (denied["denied"], allowed["denied"]) == (True, False)


def test_lessons_come_page_by_page(any_server: Served) -> None:
    server = any_server
    rules = ("lint before a commit", "ask before a release", "pin every package")
    for project in ("acme/api", "acme/web"):
        for rule in rules:
            text = {"text": f"{rule} of {project}"}
            post(server, f"/v1/learn?agent=coder&project={project}", text)
    post(server, "/v1/learn?agent=coder", {"text": "a rule that holds everywhere"})

    def pages(query: str) -> list[list[int]]:
        found: list[list[int]] = []
        cursor: str | None = ""
        while cursor is not None:
            page = get(server, f"/v1/lessons?limit=2&{query}&cursor={cursor}")
            found.append([one["id"] for one in page["items"]])
            cursor = page["next"]
        return found

    def numbers(found: list[list[int]]) -> list[int]:
        return sorted(number for page in found for number in page)

    assert [len(page) for page in pages("")] == [2, 2, 2, 1]
    assert numbers(pages("")) == [1, 2, 3, 4, 5, 6, 7]
    assert numbers(pages("project=acme/web")) == [4, 5, 6]
    assert numbers(pages(f"view=agent&{CODER}")) == [1, 2, 3, 7]
    assert numbers(pages("q=RELEASE+of")) == [2, 5]


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


def test_recall_explains_itself_and_records_nothing(server: Served) -> None:
    post(server, f"/v1/learn?{CODER}", {"text": "make the nightly folder with `mkdir -p`"})

    found = get(server, f"/v1/recall?{CODER}&text=the+nightly+folder&explain=true")

    assert "mkdir -p" in found["text"]
    assert [one["lesson"] for one in found["candidates"]] == [1]
    assert get(server, "/v1/deliveries")["items"] == []
    assert server.ask("GET", "/v1/recall?text=x&door=window", key=server.token).status == 400


def test_dead_jobs_are_retried_and_purged(tmp_path: Path) -> None:
    import hardwon

    with hardwon.open(tmp_path, model=lambda request: "no lesson in this") as hw:
        for task in ("one", "two", "three"):
            hw.agent("coder").after_run(task=task, error=f"{task} refused")
        hw.drain()
    with served(tmp_path) as server:
        dead = [one["id"] for one in get(server, "/v1/dead")["items"]]
        assert len(dead) == 3
        assert post(server, f"/v1/dead/{dead[0]}/retry").status == 204
        assert post(server, "/v1/dead/purge", {"ids": [dead[1]]}).json == {"done": [dead[1]]}
        assert post(server, "/v1/dead/retry", {"all": True}).json == {"done": [dead[2]]}
        queue = get(server, "/v1/queue")
        assert (queue["waiting"], queue["dead"]) == (2, 0)
        assert {one["id"] for one in queue["items"]} == {dead[0], dead[2]}
        assert post(server, "/v1/dead/retry", {}).status == 400


def test_waking_starts_a_worker_once(server: Served) -> None:
    assert post(server, "/v1/queue/wake").json == {"started": True}
    while not (told := server.hw.queue.status()[1]):
        time.sleep(0.02)

    assert post(server, "/v1/queue/wake").json == {"started": False}
    os.kill(told["pid"], signal.SIGTERM)
    os.waitpid(told["pid"], 0)


def test_metrics_count_the_tenants_own(any_server: Served) -> None:
    server = any_server
    post(server, "/v1/after_run", {"task": "one", "error": "boom"})
    own = server.ask("GET", "/metrics", key=server.token).body
    other = server.ask("GET", "/metrics", key=server.key("viewer", tenant="other")).body

    assert b"hardwon_lessonq_wal_segments 1.0" in own
    assert b"hardwon_lessonq_wal_segments 0.0" in other


ODD = ["\x00", "\ud800", "<script>", "x" * 20_000, "٣", "' OR 1=1 --", "../../etc/passwd"]


@pytest.mark.parametrize("text", ODD, ids=lambda text: ascii(text)[:20])
def test_foreign_text_is_data(server: Served, text: str) -> None:
    door = post(server, f"/v1/before_turn?{CODER}", {"prompt": text})
    end = post(server, f"/v1/after_run?{CODER}&run=x", {"task": text, "error": text})
    found = server.ask("GET", "/v1/lessons?q=%00%ff%d9%a3", key=server.token)

    assert (door.status, end.status) == (200, 200)
    assert found.status == 200
