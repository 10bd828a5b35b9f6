"""What the pages show, and what their forms do."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import hardwon
from hardwon.surfaces.serve.server import Address
from hardwon.values.lesson import Status
from tests.postgres_server import Place as Database
from tests.surfaces.serve.pages.stocked import (
    FAILS,
    HELD,
    WORKS,
    Reader,
    fail_and_mend,
    opened,
    stocked,
)
from tests.surfaces.serve.served import Served, served

PAGES = ["/", "/lessons", "/lessons/1", "/lessons/1/edit", "/lessons/1/guard", "/review"]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Served]:
    with stocked(tmp_path / "home") as found:
        yield found


@pytest.fixture
def reader(server: Served) -> Reader:
    return Reader(server)


@pytest.mark.parametrize("path", PAGES)
def test_every_page_is_shown_and_has_its_values_as_json(reader: Reader, path: str) -> None:
    page = reader.get(path)
    values = json.loads(reader.get("/overview.json" if path == "/" else f"{path}.json"))

    assert "<h1" in page
    assert isinstance(values, dict)


@pytest.mark.parametrize("path", PAGES)
def test_a_page_holds_no_script_and_no_style_of_its_own(reader: Reader, path: str) -> None:
    page = reader.get(path)

    assert page.count("<script") == page.count('<script src="/static/page.js" defer></script>') == 1
    assert "style=" not in page
    assert "<style" not in page
    assert "javascript:" not in page


def test_the_overview_of_a_new_home_says_how_to_begin(tmp_path: Path) -> None:
    with served(tmp_path / "new") as server:
        reader = Reader(server)
        assert "hardwon install" in reader.get("/")

        server.hw.agent("coder").learn("Name the branch after the issue")

        assert "hardwon install" not in reader.get("/")


def test_the_overview_tells_the_figures_of_the_report(reader: Reader) -> None:
    values = json.loads(reader.get("/overview.json"))
    report = reader.server.hw.report(whole=True)

    assert values["met"] == sum(met for _, met in report.met) == 2
    assert values["waits"] == {"held back": 1, "candidates": 1, "without a fix": 1, "dead": 0}
    assert values["proof"] == report.proof


def test_a_list_can_be_narrowed_by_its_address(reader: Reader) -> None:
    reader.server.hw.agent("tester", project="acme/web").learn("use `pytest -q` for a short report")

    def found(query: str) -> list[int]:
        return [one["id"] for one in json.loads(reader.get(f"/lessons.json?{query}"))["rows"]]

    assert sorted(found("")) == [1, 2, 3, 4]
    assert found("status=quarantined") == [2]
    assert found("text=IS+A+DIRECTORY") == [1]
    assert found("agent=tester") == [4]
    assert found("project=acme/web&status=proven") == [4]
    assert reader.ask("/lessons?status=nonsense").status == 400
    assert reader.ask("/lessons?after=nonsense").status == 400


def test_a_long_list_comes_in_pages(reader: Reader) -> None:
    coder = reader.server.hw.agent("coder")
    words = [f"{first}{second}" for first in "bdfgklmn" for second in "aeiouy"]
    for word in (*words, *(f"{one}s" for one in words[:10])):
        coder.lessons.add(f"about {word} {word}", f"polish {word} with {word}ness {word}{word}")

    first = json.loads(reader.get("/lessons.json"))
    second = json.loads(reader.get(f"/lessons.json?after={first['next']}"))

    ids = [one["id"] for page in (first, second) for one in page["rows"]]
    assert (len(first["rows"]), second["next"]) == (50, None)
    assert len(ids) == len(set(ids)) == first["counts"]["all"]


def test_a_lesson_tells_its_story(reader: Reader) -> None:
    values = json.loads(reader.get("/lessons/1.json"))

    (case,) = values["cases"]
    assert (case["failed"], case["worked"]) == (FAILS["command"], WORKS["command"])
    assert case["diff"] == [["same", "rm "], ["new", "-r "], ["same", "build"]]
    assert values["fixes"][0]["worked"] == 1
    assert values["lesson"]["status"] == Status.CANDIDATE
    assert "It worked" in reader.get("/lessons/1")


def test_a_lesson_tells_what_the_hold_out_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HARDWON_PROOF_SHARE", "0.5")
    with stocked(tmp_path / "tried") as server:
        server.hw.agent("coder", project="acme/api").lessons.approve(1)
        for number in range(4):
            coder = server.hw.agent("coder", project="acme/api", run=f"run {number}")
            coder.before_action("bash", FAILS)
            coder.after_action("bash", {"command": "ls"})
            coder.end_run()
        reader = Reader(server)

        verdict = json.loads(reader.get("/lessons/1.json"))["verdict"]

        assert verdict["shown"][1] + verdict["withheld"][1] == 4
        assert "Does it help?" in reader.get("/lessons/1")


def test_approving_releases_a_lesson_and_undo_takes_it_back(reader: Reader) -> None:
    hw = reader.server.hw
    before = hw.tenant().lesson(1)

    answer = reader.post("/lessons/1/approve", next="/review?status=candidate")

    assert answer.status == 303
    assert answer.headers["location"] == "/review?status=candidate&done=approved:1"
    assert hw.tenant().lesson(1).status == Status.PROVEN
    assert hw.agent("coder", project="acme/api").before_action("bash", FAILS)
    assert "Lesson 1 is approved" in reader.get(answer.headers["location"])
    reader.post("/lessons/1/undo")
    after = hw.tenant().lesson(1)
    assert after._replace(hits=0, last_seen_at=before.last_seen_at) == before._replace(hits=0)


def test_a_retired_lesson_is_delivered_no_more(reader: Reader) -> None:
    hw = reader.server.hw
    fail_and_mend(hw.agent("coder", project="acme/api"))
    assert hw.agent("coder", project="acme/api").before_action("bash", FAILS)

    reader.post("/lessons/1/retire")

    assert not hw.agent("coder", project="acme/api").before_action("bash", FAILS)
    assert "Lesson 1 is retired" in reader.get("/lessons/1?done=retired:1")


def test_a_lesson_is_edited_and_its_history_shows_the_difference(reader: Reader) -> None:
    words = {"situation": "When a folder is in the way", "correction": "Use rm -r.\r\nLook first."}
    answer = reader.post("/lessons/3/edit", **words, mistake="", tags="make, deploy", approve="yes")

    lesson = reader.server.hw.tenant().lesson(3)
    assert answer.headers["location"] == "/lessons/3?done=edited:3"
    assert (lesson.correction, lesson.status) == ("Use rm -r.\nLook first.", Status.PROVEN)
    assert lesson.tags == ("make", "deploy")
    changes = json.loads(reader.get("/lessons/3.json"))["history"]
    assert [one["act"] for one in changes] == ["approve", "edit"]
    assert {field["name"] for field in changes[1]["fields"]} >= {"situation", "correction", "tags"}


def test_a_guard_is_tried_on_past_calls_before_it_forbids_any(reader: Reader) -> None:
    tried = json.loads(reader.get("/lessons/1/guard.json?call=rm+*"))
    assert tried["denied"] == [FAILS["command"]]
    assert json.loads(reader.get("/lessons/1/guard.json?call=ls"))["denied"] == []

    reader.post("/lessons/1/guard", on="yes", call="rm *")

    coder = reader.server.hw.agent("coder", project="acme/api")
    assert coder.before_action("bash", "rm build").denied
    assert "rm *" in reader.get("/lessons/1")
    reader.post("/lessons/1/guard", on="no")
    assert not coder.before_action("bash", "rm build").denied


def test_review_shows_one_lesson_with_its_evidence(reader: Reader) -> None:
    held, candidates = reader.get("/review"), reader.get("/review?status=candidate")

    assert HELD in held
    assert "asks to drop earlier instructions" in held
    assert "It failed" in candidates
    assert FAILS["command"] in candidates
    reader.post("/lessons/2/retire")
    assert "Nothing waits here" in reader.get("/review?status=quarantined")


@pytest.mark.parametrize("target", ["//evil.example", "/\\evil.example", "https://evil.example"])
def test_a_form_leads_nowhere_else(reader: Reader, target: str) -> None:
    assert reader.post("/lessons/1/retire", next=target).headers["location"] == "/?done=retired:1"


@pytest.mark.parametrize("number", ["9", "0", "x", "99999999999999999999", "-1"])
def test_a_lesson_that_is_not_there_is_not_found(reader: Reader, number: str) -> None:
    assert reader.ask(f"/lessons/{number}").status == 404


def test_another_tenant_sees_nothing_of_it(server: Served) -> None:
    stranger = Reader(server, server.key("admin", tenant="other"))

    assert json.loads(stranger.get("/lessons.json"))["rows"] == []
    assert stranger.ask("/lessons/1").status == 404
    assert stranger.post("/lessons/1/retire").status == 404
    assert json.loads(stranger.get("/overview.json"))["met"] == 0


def test_a_key_for_one_agent_sees_that_agent_only(server: Served) -> None:
    server.hw.agent("tester").learn("use `pytest -q` for a short report")
    tester = Reader(server, server.key("curator", agent="tester"))

    rows = json.loads(tester.get("/lessons.json?agent=coder"))["rows"]

    assert [one["agent"] for one in rows] == ["tester"]
    assert tester.ask("/lessons/1").status == 404
    assert "acme/api" not in tester.get("/")


def test_a_viewer_reads_and_changes_nothing(server: Served) -> None:
    viewer = Reader(server, server.key("viewer"))

    assert "Approve" not in viewer.get("/lessons/1")
    assert viewer.post("/lessons/1/approve").status == 403
    assert server.hw.tenant().lesson(1).status == Status.CANDIDATE


def test_a_form_without_its_token_is_refused(reader: Reader) -> None:
    assert reader.post("/lessons/1/retire", csrf="").status == 403
    assert reader.post("/lessons/1/retire", csrf="x" * 43).status == 403
    assert reader.server.hw.tenant().lesson(1).status == Status.CANDIDATE


def test_behind_a_proxy_every_address_has_its_prefix(tmp_path: Path) -> None:
    address = Address(prefix="/hardwon")
    with hardwon.open(tmp_path / "home") as hw, opened(hw, address) as server:
        code = server.service.link().partition("/hardwon")[2]
        cookie = server.ask("GET", code).headers["set-cookie"].split(";")[0]
        pages = [
            server.ask("GET", path, headers={"Cookie": cookie}).body.decode()
            for path in ("/", "/lessons?agent=coder", "/lessons/1", "/review", "/failures")
        ]

    found = [one for page in pages for one in re.findall(r'(?:href|src|action)="([^"]*)"', page)]
    assert len(found) > 100
    assert [one for one in found if not one.startswith(("/hardwon/", "#"))] == []
    assert all('aria-current="page"' in page for page in pages)


def test_the_pages_are_the_same_on_postgresql(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HARDWON_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HARDWON_POSTGRES_PATIENCE", "60s")  # a busy machine decides no test
    rest = ("/failures", "/runs", "/queue", "/dreams", "/loops", "/spend", "/settings", "/keys")

    with hardwon.open(database.url) as hw, opened(hw) as server:
        reader = Reader(server)
        shown = {path: reader.get(path) for path in (*PAGES, *rest)}
        reader.post("/lessons/1/approve")
        found = json.loads(reader.get("/lessons.json?status=proven&text=IS+A+DIRECTORY"))["rows"]

    assert all("<h1" in page for page in shown.values())
    assert [one["id"] for one in found] == [1]
