"""The doors over HTTP: they say what is known, or nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hardwon.surfaces.serve.limits import Limits
from tests.surfaces.serve.api.asked import CODER, post
from tests.surfaces.serve.seeded import MKDIR, MKDIR_ERROR
from tests.surfaces.serve.served import Served, served


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

    assert "`mkdir -p out/nightly`" in met["text"]
    assert "`mkdir -p out/nightly`" in before["text"]
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
    ready = server.ask("GET", "/readyz")

    assert (door.status, door.json["text"]) == (200, "")
    assert (desk.status, ready.status) == (500, 503)
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


def test_a_guard_denies_the_call(server: Served) -> None:
    lesson = post(server, f"/v1/learn?{CODER}", {"text": "never delete the data"}).json
    call = {"tool": "bash", "args": "rm -rf data"}

    post(server, f"/v1/lessons/{lesson['id']}/guard", {"call": "rm -rf data"})
    denied = post(server, f"/v1/before_action?{CODER}", call).json
    post(server, f"/v1/lessons/{lesson['id']}/guard", {"on": False})
    allowed = post(server, f"/v1/before_action?{CODER}", call).json

    assert (denied["denied"], allowed["denied"]) == (True, False)
