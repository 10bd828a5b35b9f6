"""Addresses lead to the own tenant and agent, and nowhere else."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import hardwon
from hardwon.surfaces.serve.server import Address
from tests.surfaces.serve.pages.stocked import (
    Reader,
    opened,
)
from tests.surfaces.serve.served import Served


@pytest.mark.parametrize("target", ["//evil.example", "/\\evil.example", "https://evil.example"])
def test_a_form_leads_nowhere_else(reader: Reader, target: str) -> None:
    assert reader.post("/lessons/1/retire", next=target).headers["location"] == "/?done=retired:1"


def test_another_tenant_sees_nothing_of_it(server: Served) -> None:
    stranger = Reader(server, server.key("admin", tenant="other"))

    assert json.loads(stranger.get("/lessons.json"))["rows"] == []
    assert stranger.ask("/lessons/1").status == 404
    assert stranger.post("/lessons/1/retire").status == 404
    assert json.loads(stranger.get("/overview.json"))["met"] == 0


def test_a_key_for_one_agent_sees_that_agent_only(server: Served) -> None:
    server.hw.agent("tester").learn("use `pytest -q` for a short report")
    tester = Reader(server, server.key("curator", agent="tester"))

    rows = json.loads(tester.get("/lessons.json"))["rows"]

    assert [one["agent"] for one in rows] == ["tester"]
    assert tester.ask("/lessons.json?agent=coder").status == 403
    assert tester.ask("/lessons/1").status == 404
    assert "acme/api" not in tester.get("/")


def test_behind_a_proxy_every_address_has_its_prefix(tmp_path: Path) -> None:
    address = Address(prefix="/hardwon")
    with hardwon.open(tmp_path / "home") as hw, opened(hw, address) as server:
        code = server.service.link().partition("/hardwon")[2]
        told = server.ask("GET", code).headers
        secret_path = told["location"].removeprefix("/hardwon").rstrip("/")
        cookie = {"Cookie": told["set-cookie"].split(";")[0]}
        pages = [
            server.ask("GET", secret_path + path, headers=cookie).body.decode()
            for path in ("/", "/lessons?agent=coder", "/lessons/1", "/review", "/failures")
        ]

    found = [one for page in pages for one in re.findall(r'(?:href|src|action)="([^"]*)"', page)]
    assert len(found) > 100
    own = f"/hardwon{secret_path}/"
    assert [one for one in found if not one.startswith((own, "#"))] == []
    assert all('aria-current="page"' in page for page in pages)
