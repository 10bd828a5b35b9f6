"""The page that asks a person about one lesson after another."""

from __future__ import annotations

from tests.surfaces.serve.pages.stocked import (
    FAILS,
    HELD,
    Reader,
)


def test_review_shows_one_lesson_with_its_evidence(reader: Reader) -> None:
    held, candidates = reader.get("/review"), reader.get("/review?status=candidate")

    assert HELD in held
    assert "asks to drop earlier instructions" in held
    assert "It failed" in candidates
    assert FAILS["command"] in candidates
    reader.post("/lessons/2/retire")
    assert "Nothing waits here" in reader.get("/review?status=quarantined")
