"""What may be done with one lesson on its page."""

from __future__ import annotations

import json

import pytest

from hardwon.core.values.lesson import Status
from tests.surfaces.serve.pages.stocked import (
    FAILS,
    Reader,
    fail_and_mend,
)


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


def test_a_guard_is_tried_on_past_calls_before_it_forbids_any(reader: Reader) -> None:
    tried = json.loads(reader.get("/lessons/1/guard.json?call=rm+*"))
    assert tried["denied"] == [FAILS["command"]]
    assert json.loads(reader.get("/lessons/1/guard.json?call=ls"))["denied"] == []

    reader.post("/lessons/1/guard", on="yes", call="rm *")

    coder = reader.server.hw.agent("coder", project="acme/api")
    assert coder.before_action("bash", "rm other").denied
    assert "rm *" in reader.get("/lessons/1")
    reader.post("/lessons/1/guard", on="no")
    assert not coder.before_action("bash", "rm other").denied


@pytest.mark.parametrize("number", ["9", "0", "x", "99999999999999999999", "-1"])
def test_a_lesson_that_is_not_there_is_not_found(reader: Reader, number: str) -> None:
    assert reader.ask(f"/lessons/{number}").status == 404
