"""The first page."""

from __future__ import annotations

import json
from pathlib import Path

from tests.surfaces.serve.pages.stocked import (
    Reader,
)
from tests.surfaces.serve.served import served


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


def test_one_of_a_kind_is_in_the_singular(reader: Reader) -> None:
    page = reader.get("/")

    assert "<b>1</b> candidate <" in page
    assert "<b>1</b> failure without a fix<" in page
    assert "<b>0</b> dead letters<" in page
