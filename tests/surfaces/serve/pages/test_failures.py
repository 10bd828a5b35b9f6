"""The page of failures: which came back, which have a fix, and what people write there."""

from __future__ import annotations

import time

from hardwon.core.values.lesson import Status
from hardwon.core.values.run import Author
from tests.surfaces.serve.pages.read_pages import values
from tests.surfaces.serve.pages.stocked import ERROR, FAILS, WORKS, Reader
from tests.surfaces.serve.served import Served


def test_failures_tell_how_often_and_whether_a_fix_is_known(reader: Reader) -> None:
    rows = {one["text"]: one for one in values(reader, "/failures.json")["rows"]}

    solved = rows["rm: cannot remove <name>: Is a directory"]
    assert (solved["met"], solved["runs"], solved["lesson"]) == (1, 1, 1)
    assert (solved["state"], sum(solved["days"])) == ("known", 1)
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
    assert ">came back</span>" in reader.get("/failures")
    page = reader.get(f"/failures/{row['kind']}")
    assert "It came back: 1 time although the run was told of it." in page


def test_a_failure_tells_what_it_takes_to_get_past_it(server: Served, reader: Reader) -> None:
    coder = server.hw.agent("coder", project="acme/api", run="stock")
    coder.after_action("bash", "kiosk stock", output="kiosk: error: not logged in", failed=True)
    coder.after_action("bash", "kiosk login", output="ok", failed=False)
    coder.after_action("bash", "kiosk stock", output="pears 12", failed=False)
    coder.end_run()
    rows = values(reader, "/failures.json")["rows"]
    (kind,) = [row["kind"] for row in rows if "not logged in" in row["text"]]

    page = reader.get(f"/failures/{kind}")

    assert "It takes a run about 2 calls to get past it." in page


def _kind(reader: Reader, lesson: int) -> str:
    rows = values(reader, "/failures.json")["rows"]
    return str(next(one["kind"] for one in rows if one["lesson"] == lesson))


def test_the_lesson_of_a_failure_is_written_right_there(reader: Reader) -> None:
    kind = _kind(reader, 3)

    reader.post("/failures/write", kind=kind, correction="Run `make release` instead.")

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

    text = "Ask the owner of the build folder."
    reader.post("/failures/write", kind=failure.kind, correction=text)

    lesson = hw.tenant().about(failure)
    assert lesson is not None
    assert lesson.correction == "Ask the owner of the build folder."
    assert reader.post("/failures/write", correction="x", kind="").status == 404


def test_a_muted_failure_leaves_the_list_until_it_is_open_again(reader: Reader) -> None:
    kind = _kind(reader, 3)

    reader.post("/failures/mute/chosen", kind=kind)

    assert 3 not in [one["lesson"] for one in values(reader, "/failures.json")["rows"]]
    assert [one["lesson"] for one in values(reader, "/failures.json?list=muted")["rows"]] == [3]
    reader.post("/failures/reopen/chosen", kind=kind)
    assert 3 in [one["lesson"] for one in values(reader, "/failures.json")["rows"]]


def test_two_failures_become_one_kind(reader: Reader) -> None:
    first, second = (
        one["kind"] for one in sorted(values(reader, "/failures.json")["rows"], key=str)
    )

    answer = reader.post_many("/failures/merge/chosen", [("kind", first), ("kind", second)])

    number = int(answer.headers["location"].rpartition(":")[2])
    lesson = reader.server.hw.tenant().lesson(number)
    assert {first, second} == set(lesson.kinds)
    assert {one["lesson"] for one in values(reader, "/failures.json")["rows"]} == {number}
    assert reader.server.hw.tenant().lesson(1).status == Status.SUPERSEDED
    assert reader.post("/failures/merge/chosen", kind=first).status == 400
    assert reader.post("/failures/forget/chosen", kind=first).status == 404
    assert reader.post("/failures/mute/chosen").status == 400


def test_a_resolved_failure_is_listed_again_when_it_comes_back(
    server: Served, reader: Reader
) -> None:
    kinds = [one["kind"] for one in values(reader, "/failures.json")["rows"]]
    time.sleep(1.1)  # the time of a resolution is noted in seconds

    reader.post_many("/failures/resolve/chosen", [("kind", kind) for kind in kinds])

    states = {one["state"] for one in values(reader, "/failures.json")["rows"]}
    assert states == {"resolved"}
    server.hw.agent("coder", project="acme/api").after_action("bash", FAILS, output=ERROR)
    (row,) = values(reader, "/failures.json?list=returned")["rows"]
    assert row["lesson"] == 1
    assert "after it was resolved" in reader.get(f"/failures/{row['kind']}")


def test_the_page_of_a_failure_tells_who_keeps_meeting_it(server: Served, reader: Reader) -> None:
    for name, machine in (("Ada", "a1"), ("Ada", "a1"), ("Ben", "b1")):
        coder = server.hw.agent("coder", project="acme/api", run=f"{name}{time.time_ns()}")
        coder.by = Author(name, machine)
        coder.after_action("bash", FAILS, output=ERROR)
        coder.after_action("bash", WORKS)
        coder.end_run()

    found = values(reader, f"/failures/{_kind(reader, 1)}.json")

    who = {(one["person"], one["machine"]): one["runs"] for one in found["met_by"]}
    assert who["Ada", "a1"] == 2
    assert who["Ben", "b1"] == 1
    assert {"Ada", "Ben"} <= set(found["people"])
    assert found["run_count"] == sum(who.values())
    assert found["fixes"][0]["worked"] >= 2
    assert len(found["latest"]) == 4
    mine = values(reader, "/runs.json?person=Ada")["rows"]
    assert [run["machine"] for run in mine] == ["a1", "a1"]
    page = reader.get(f"/failures/{found['kind']}")
    assert "Who keeps meeting it" in page
    assert "<code>rm -r build</code>" in page
    assert reader.ask("/failures/nothing").status == 404
