"""Lessons over HTTP."""

from __future__ import annotations

import pytest

from tests.surfaces.serve.api.asked import CODER, get, post
from tests.surfaces.serve.served import Served


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


def test_changes_come_page_by_page(any_server: Served) -> None:
    server = any_server
    number = post(server, f"/v1/lessons?{CODER}", {"situation": "s", "correction": "c0"}).json["id"]
    for edit in range(1, 4):
        body = {"correction": f"c{edit}"}
        server.ask("PATCH", f"/v1/lessons/{number}", body, key=server.token)

    first = get(server, f"/v1/history?{CODER}&limit=2")
    rest = get(server, f"/v1/history?{CODER}&limit=2&cursor={first['next']}")

    changes = [*first["items"], *rest["items"]]
    assert [change["before"]["correction"] for change in changes] == ["c2", "c1", "c0"]
    assert rest["next"] is None


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


ODD = ["\x00", "\ud800", "<script>", "x" * 20_000, "٣", "' OR 1=1 --", "../../etc/passwd"]


@pytest.mark.parametrize("text", ODD, ids=lambda text: ascii(text)[:20])
def test_foreign_text_is_data(server: Served, text: str) -> None:
    door = post(server, f"/v1/before_turn?{CODER}", {"prompt": text})
    end = post(server, f"/v1/after_run?{CODER}&run=x", {"task": text, "error": text})
    found = server.ask("GET", "/v1/lessons?q=%00%ff%d9%a3", key=server.token)

    assert (door.status, end.status) == (200, 200)
    assert found.status == 200
