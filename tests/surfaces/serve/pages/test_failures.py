"""The page of failures: which came back, which have a fix, and what people write there."""

from __future__ import annotations

from hardwon.core.values.lesson import Status
from tests.surfaces.serve.pages.read_pages import values
from tests.surfaces.serve.pages.stocked import ERROR, FAILS, Reader
from tests.surfaces.serve.served import Served


def test_failures_tell_how_often_and_whether_a_fix_is_known(reader: Reader) -> None:
    rows = {one["text"]: one for one in values(reader, "/failures.json")["rows"]}

    solved = rows["rm: cannot remove <name>: Is a directory"]
    assert (solved["met"], solved["runs"], solved["lesson"]) == (1, 1, 1)
    assert (solved["status"], sum(solved["days"])) == (Status.CANDIDATE, 1)
    unsolved = [one for one in rows.values() if not one["correction"]]
    assert [one["lesson"] for one in unsolved] == [3]
    assert [one["lesson"] for one in values(reader, "/failures.json?list=open")["rows"]] == [3]
    assert [one["lesson"] for one in values(reader, "/failures.json?list=known")["rows"]] == [1]
    assert [one["lesson"] for one in values(reader, "/failures.json?text=CANNOT")["rows"]] == [1]


def test_failures_tell_which_came_back_although_their_lesson_was_shown(
    server: Served, reader: Reader
) -> None:
    coder = server.hw.agent("coder", project="acme/api")
    coder.lessons.approve(1)
    assert values(reader, "/failures.json?list=returned")["rows"] == []

    assert coder.before_action("bash", FAILS)
    coder.after_action("bash", FAILS, output=ERROR)
    coder.end_run()

    (row,) = values(reader, "/failures.json?list=returned")["rows"]
    assert (row["lesson"], row["came_back"]) == (1, 1)
    assert "came back although shown</span>" in reader.get("/failures")


def test_the_lesson_of_a_failure_is_written_right_there(reader: Reader) -> None:
    reader.post("/failures/write", lesson="3", correction="Run `make release` instead.")

    coder = reader.server.hw.agent("coder", project="acme/api")
    told = coder.after_action(
        "bash", "make deploy", output="make: *** No rule to make target 'deploy'."
    )
    assert "make release" in told.text
    assert reader.server.hw.tenant().lesson(3).status == Status.PROVEN


def test_a_failure_that_has_no_lesson_gets_one(reader: Reader) -> None:
    hw = reader.server.hw
    failure = hw.tenant().failures().rows[0]
    hw.agent("coder", project="acme/api").lessons.delete(1)
    hw.agent("coder", project="acme/api").lessons.delete(3)
    place = {"agent": "coder", "project": "acme/api", "kind": failure.kind, "text": failure.text}

    reader.post("/failures/write", **place, correction="Ask the owner of the build folder.")

    lesson = hw.tenant().about(failure)
    assert lesson is not None
    assert lesson.correction == "Ask the owner of the build folder."
    assert reader.post("/failures/write", correction="x", agent="nobody").status == 400


def test_a_muted_failure_leaves_the_list_until_it_is_shown_again(reader: Reader) -> None:
    reader.post("/failures/mute", lesson="3", on="yes")

    assert 3 not in [one["lesson"] for one in values(reader, "/failures.json")["rows"]]
    assert [one["lesson"] for one in values(reader, "/failures.json?list=muted")["rows"]] == [3]
    reader.post("/failures/mute", lesson="3", on="no")
    assert 3 in [one["lesson"] for one in values(reader, "/failures.json")["rows"]]


def test_two_failures_become_one_kind(reader: Reader) -> None:
    first, second = (
        one["kind"] for one in sorted(values(reader, "/failures.json")["rows"], key=str)
    )

    answer = reader.post_many("/failures/merge", [("lesson", "1"), ("lesson", "3")])

    number = int(answer.headers["location"].rpartition(":")[2])
    lesson = reader.server.hw.tenant().lesson(number)
    assert {first, second} == set(lesson.kinds)
    assert {one["lesson"] for one in values(reader, "/failures.json")["rows"]} == {number}
    assert reader.server.hw.tenant().lesson(1).status == Status.SUPERSEDED
    assert reader.post("/failures/merge", lesson="1").status == 400
