"""What the pages show, and what their forms do."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import hardwon
from hardwon.core.values.lesson import Status
from tests.postgres_server import Place as Database
from tests.surfaces.serve.pages.stocked import (
    Reader,
    opened,
)
from tests.surfaces.serve.served import Served

PAGES = ["/", "/lessons", "/lessons/1", "/lessons/1/edit", "/lessons/1/guard", "/review"]
PAGES += ["/playbook"]


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
    rest = ("/failures", "/runs", "/queue", "/dreams", "/loops", "/spend", "/settings", "/keys")

    with hardwon.open(database.url) as hw, opened(hw) as server:
        reader = Reader(server)
        shown = {path: reader.get(path) for path in (*PAGES, *rest)}
        reader.post("/lessons/1/approve")
        found = json.loads(reader.get("/lessons.json?status=proven&text=IS+A+DIRECTORY"))["rows"]

    assert all("<h1" in page for page in shown.values())
    assert [one["id"] for one in found] == [1]
