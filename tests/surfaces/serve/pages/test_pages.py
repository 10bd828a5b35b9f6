"""What the pages show, and what their forms do."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import hardwon
from hardwon.core.values.lesson import Status
from hardwon.surfaces.serve import pages
from tests.postgres_server import Place as Database
from tests.surfaces.serve.pages.read_pages import bury
from tests.surfaces.serve.pages.stocked import ERROR, FAILS, Reader, opened
from tests.surfaces.serve.served import Served

PAGES = ["/", "/lessons", "/lessons/1", "/lessons/1/edit", "/lessons/1/guard", "/review"]
PAGES += ["/playbook", "/failures", "/runs", "/queue", "/dreams", "/loops", "/spend"]
PAGES += ["/settings", "/tenants", "/keys"]


@pytest.mark.parametrize("path", PAGES)
def test_every_page_is_shown_and_has_its_values_as_json(reader: Reader, path: str) -> None:
    page = reader.get(path)
    values = json.loads(reader.get("/overview.json" if path == "/" else f"{path}.json"))

    assert "<h1" in page
    section = "/".join(path.split("/")[:2])
    assert f'href="{section}" aria-current="page"' in page
    assert isinstance(values, dict)


@pytest.mark.parametrize("path", PAGES)
def test_a_page_holds_no_script_and_no_style_of_its_own(reader: Reader, path: str) -> None:
    page = reader.get(path)

    assert page.count("<script") == page.count('<script src="/static/page.js" defer></script>') == 1
    assert "style=" not in page
    assert "<style" not in page
    assert "javascript:" not in page


def test_a_viewer_reads_and_changes_nothing(server: Served) -> None:
    viewer = Reader(server, server.key("viewer"))

    assert "Approve" not in viewer.get("/lessons/1")
    assert viewer.post("/lessons/1/approve").status == 403
    assert server.hw.tenant().lesson(1).status == Status.CANDIDATE


def test_a_form_without_its_token_is_refused(reader: Reader) -> None:
    assert reader.post("/lessons/1/retire", csrf="").status == 403
    assert reader.post("/lessons/1/retire", csrf="x" * 43).status == 403
    assert reader.server.hw.tenant().lesson(1).status == Status.CANDIDATE


def test_the_pages_are_the_same_on_postgresql(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HARDWON_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HARDWON_POSTGRES_PATIENCE", "60s")  # a busy machine decides no test
    with hardwon.open(database.url) as hw, opened(hw) as server:
        reader = Reader(server)
        shown = {path: reader.get(path) for path in PAGES}
        reader.post("/lessons/1/approve")
        found = json.loads(reader.get("/lessons.json?status=proven&text=IS+A+DIRECTORY"))["rows"]

    assert all("<h1" in page for page in shown.values())
    assert [one["id"] for one in found] == [1]


def test_no_page_tells_one_tenant_of_another(server: Served) -> None:
    own = server.hw.agent("coder", project="acme/api")
    live = server.hw.agent("coder", project="acme/api", run="live")
    live.before_turn("a run about xylophones")
    live.after_action("bash", FAILS, output=ERROR)
    own.learn("tune the xylophones")
    bury(server.hw.settings.home, "xylophones in a dead letter")
    dream = own.dreams.run()
    loop = own.loops.run(
        "sort xylophones", loop_id="l", actor=lambda _: "", evaluate=lambda _: True
    )
    ((run, _, _),) = server.hw.tenant().runs()
    ids = {"{number}": "1", "{name}": run, "{dream}": dream.id, "{loop}": loop.loop_id}
    stranger = Reader(server, server.key("admin", tenant="other"))

    seen = []
    for route in pages.routes():
        if "GET" in (route.methods or ()) and route.path != "/events":
            path = route.path
            for name, value in ids.items():
                path = path.replace(name, value)
            answer = stranger.ask(path)
            assert answer.status in {200, 403, 404}, path
            seen += [path] if re.search(rb"xylophon|acme/api|rm build", answer.body) else []
    assert seen == []
