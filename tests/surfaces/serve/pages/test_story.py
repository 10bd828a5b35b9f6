"""What the page of a lesson tells of its past."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hardwon.core.values.lesson import Kind, Status, with_evidence
from tests.stored import stored
from tests.surfaces.serve.pages.stocked import (
    FAILS,
    WORKS,
    Reader,
    stocked,
)


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


def test_a_retired_lesson_tells_only_the_reason(reader: Reader) -> None:
    hw = reader.server.hw
    with stored(Path(hw.settings.home)) as store:
        reason = "5f1d: it hardly helps"  # behind a digest of the wording
        store.lessons.update(with_evidence(hw.tenant().lesson(1), Kind.RETIRED, reason))

    told = json.loads(reader.get("/lessons/1.json"))["provenance"]

    assert [one["value"] for one in told if one["told"].startswith("Retired")] == [
        "it hardly helps"
    ]


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
