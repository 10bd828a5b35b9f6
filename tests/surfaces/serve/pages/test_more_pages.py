"""Failures, queue, runs, dreams, loops, spend, settings, tenants and keys."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import hardwon
from hardwon import worker
from hardwon.errors import PermanentError
from hardwon.ports import Request
from hardwon.surfaces.serve import pages
from hardwon.values.lesson import Status
from hardwon.values.step import Step
from tests.surfaces.serve.pages.stocked import ERROR, FAILS, WORKS, Reader, stocked
from tests.surfaces.serve.served import Served

PAGES = ["failures", "runs", "queue", "dreams", "loops", "spend", "settings", "tenants", "keys"]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Served]:
    with stocked(tmp_path / "home") as found:
        yield found


@pytest.fixture
def reader(server: Served) -> Reader:
    return Reader(server)


def values(reader: Reader, path: str) -> Any:
    return json.loads(reader.get(path))


@pytest.mark.parametrize("name", PAGES)
def test_every_page_is_shown_and_has_its_values_as_json(reader: Reader, name: str) -> None:
    page = reader.get(f"/{name}")

    assert f'href="/{name}" aria-current="page"' in page
    assert "style=" not in page
    assert isinstance(values(reader, f"/{name}.json"), dict)


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


def fail_for_good(request: Request) -> str:
    """A model that can never answer."""
    raise PermanentError("there is no such model")


def bury(home: str, *tasks: str, tenant: str = "default") -> None:
    """Dead letters of these tasks."""
    with hardwon.open(home, model=fail_for_good) as hw:
        hw.drain()
        for task in tasks:
            hw.agent("coder", tenant=tenant).after_run(task=task, error=f"{task} did not work")
        hw.drain()


def test_dead_letters_are_retried_and_purged_by_choice_or_by_filter(
    server: Served, reader: Reader
) -> None:
    queue = server.hw.queue
    bury(server.hw.settings.home, "first task", "second task", "third task")
    bury(server.hw.settings.home, "task of others", tenant="other")
    found = values(reader, "/queue.json?text=FIRST")["dead"]

    assert [one["task"] for one in found] == ["first task"]
    assert "there is no such model" in found[0]["error"]
    answer = reader.post("/queue/retry", id=found[0]["id"])
    assert answer.headers["location"].endswith("retried:1")
    assert "first task" in [job.episode.task for job in queue.waiting()]
    reader.post("/queue/purge", all="yes", text="nothing that matches")
    reader.post("/queue/purge", all="yes", text="second")
    left = [job.episode.task for job in queue.dead() if "task" in job.episode.task]
    assert sorted(left) == ["task of others", "third task"]


def test_dead_letters_of_others_are_out_of_reach(server: Served, reader: Reader) -> None:
    bury(server.hw.settings.home, "task of others", tenant="other")
    (job,) = [one for one in server.hw.queue.dead() if one.episode.scope.tenant == "other"]

    reader.post("/queue/purge", id=job.id)
    reader.post("/queue/purge", all="yes")

    assert job.id in [one.id for one in server.hw.queue.dead()]
    assert "task of others" not in reader.get("/queue")


def test_the_queue_shows_only_the_jobs_of_the_tenant(server: Served, reader: Reader) -> None:
    for tenant, task in (("default", "own task"), ("other", "task of others")):
        server.hw.agent("coder", tenant=tenant).after_run(task=task, error="it did not work")

    tasks = [one["task"] for one in values(reader, "/queue.json")["waiting"]]

    assert "own task" in tasks
    assert "task of others" not in tasks


def test_the_queue_tells_how_fast_it_is_worked(server: Served, reader: Reader) -> None:
    assert values(reader, "/queue.json")["rate"] is None
    told = {"pid": 7, "done": 9, "retried": 2, "buried": 1, "running": []}
    times = {"began": "2026-10-05T12:00:00+00:00", "at": "2026-10-05T12:08:00+00:00"}
    Path(worker.status_path(server.hw.settings)).write_text(json.dumps(told | times))

    assert values(reader, "/queue.json")["rate"] == 1.5
    assert "worked a minute" in reader.get("/queue")


def test_a_run_is_a_line_of_time_with_what_it_was_shown(server: Served, reader: Reader) -> None:
    server.hw.agent("coder", project="acme/api").lessons.approve(1)
    coder = server.hw.agent("coder", project="acme/api", run="now")
    coder.before_turn("clean up")
    coder.before_action("bash", FAILS)
    coder.after_action("bash", FAILS, output=ERROR)
    coder.after_action("bash", WORKS)

    (found,) = values(reader, "/runs.json")["at_work"]
    timeline = values(reader, f"/runs/{found['name']}.json")["timeline"]

    assert (found["task"], found["steps"], found["failed"]) == ("clean up", 2, 1)
    kinds = ["shown" if "shown" in one else one["step"]["failed"] for one in timeline]
    assert kinds[:2] == ["shown", True]
    assert timeline[0]["shown"] == {"door": "action", "lessons": [1]}
    assert reader.ask("/runs/nothing").status == 404
    assert "rm build" in reader.get(f"/runs/{found['name']}")


def test_a_run_that_ended_is_kept_with_what_it_was_shown(server: Served, reader: Reader) -> None:
    server.hw.agent("coder", project="acme/api").lessons.approve(1)
    coder = server.hw.agent("coder", project="acme/api", run="then")
    coder.before_turn("clean up the build folder")
    coder.before_action("bash", FAILS)
    coder.after_action("bash", FAILS, output=ERROR)
    coder.after_action("bash", WORKS)
    coder.end_run()

    rows = values(reader, "/runs.json?text=CLEAN+up")["rows"]
    (found,) = rows
    run = values(reader, f"/runs/{found['name']}.json")

    assert (found["task"], found["outcome"]) == ("clean up the build folder", "recovered")
    assert (found["agent"], found["project"]) == ("coder", "acme/api")
    assert (found["steps"], found["failed"], found["shown"]) == (2, 1, len(run["timeline"]) - 2)
    assert run["timeline"][0]["shown"] == {"door": "action", "lessons": [1]}
    assert [one["step"]["number"] for one in run["timeline"] if "step" in one] == [1, 2]
    assert "recovered" in reader.get("/runs")
    assert "rm build" in reader.get(f"/runs/{found['name']}")
    assert values(reader, "/runs.json?text=nothing+like+it")["rows"] == []


def test_what_was_shown_is_listed_with_what_followed(server: Served, reader: Reader) -> None:
    coder = server.hw.agent("coder", project="acme/api")
    coder.lessons.approve(1)
    coder.before_action("bash", FAILS)
    coder.after_action("bash", WORKS)
    coder.end_run()

    first = values(reader, "/runs.json?list=shown")["rows"][0]

    assert (first["door"], first["lessons"], first["outcome"]) == ("action", [1], "worked")


def test_a_dream_shows_its_report_and_can_be_undone(server: Served, reader: Reader) -> None:
    lessons = server.hw.agent("coder", project="acme/api").lessons
    for words in ("Use ruff to sort imports in src", "Use ruff to sort the imports in src"):
        lessons.add(f"sorting: {words}", words)
    dream = server.hw.agent("coder").dreams.run()

    found = values(reader, f"/dreams/{dream.id}.json")

    assert found["dream"]["agent"] == "coder"
    assert "Dream" in reader.get(f"/dreams/{dream.id}")
    if found["can_undo"]:
        reader.post(f"/dreams/{dream.id}/undo")
        assert values(reader, f"/dreams/{dream.id}.json")["dream"]["state"] == "undone"
    assert [one["id"] for one in values(reader, "/dreams.json")["rows"]] == [dream.id]
    assert reader.ask("/dreams/nothing").status == 404


def test_a_loop_shows_its_curve(server: Served, reader: Reader) -> None:
    tries = iter([False, True])
    state = server.hw.agent("coder").loops.run(
        "sort the list", actor=lambda _: "tried", evaluate=lambda _: next(tries)
    )

    (row,) = values(reader, "/loops.json")["rows"]

    assert (row["id"], row["status"], row["trials"]) == (state.loop_id, "passed", 2)
    assert len(values(reader, f"/loops/{state.loop_id}.json")["trials"]) == 2
    assert "<polyline" in reader.get(f"/loops/{state.loop_id}")
    assert reader.ask("/loops/nothing").status == 404


def test_settings_show_where_they_were_set_and_no_secret(server: Served, reader: Reader) -> None:
    rows = {one["key"]: one for one in values(reader, "/settings.json")["rows"]}

    assert rows["budget.calls"]["origin"] == "default"
    assert rows["home"]["value"] == server.hw.settings.home


def test_a_key_is_made_shown_once_and_revoked(server: Served, reader: Reader) -> None:
    answer = reader.post("/keys", role="viewer", note="the dashboard", days="7")

    found = re.search(r"hw_\w+_[\w-]+", answer.body.decode())
    assert answer.status == 200
    assert found
    viewer = Reader(server, found[0])
    assert "hw_" not in reader.get("/keys")
    (row,) = values(reader, "/keys.json")["rows"]
    assert (row["role"], row["note"]) == ("viewer", "the dashboard")
    reader.post("/keys/revoke", id=row["id"])
    assert viewer.ask("/").status == 303


@pytest.mark.parametrize("role", ["viewer", "curator"])
def test_settings_and_keys_are_for_admins(server: Served, role: str) -> None:
    reader = Reader(server, server.key(role))

    assert reader.ask("/keys").status == 403
    assert reader.ask("/settings").status == 403
    assert reader.post("/keys", role="admin").status == 403
    assert 'href="/keys"' not in reader.get("/")


def test_settings_are_for_the_owner_of_the_home(server: Served) -> None:
    admin = Reader(server, server.key("admin"))

    assert admin.ask("/settings").status == 403
    assert admin.ask("/tenants").status == 403
    assert admin.post("/tenants/choose", tenant="other").status == 403
    assert 'href="/settings"' not in admin.get("/")
    assert 'href="/tenants"' not in admin.get("/")


def test_the_owner_of_the_home_looks_at_one_tenant_after_another(
    server: Served, reader: Reader
) -> None:
    server.key("viewer", tenant="acme")
    server.hw.agent("painter", tenant="acme").learn("Wash the brushes at once")
    rows = {one["name"]: one for one in values(reader, "/tenants.json")["rows"]}
    facts = {name: rows["acme"][name] for name in ("agents", "lessons", "keys")}
    assert facts == {"agents": ["painter"], "lessons": 1, "keys": 1}

    reader.post("/tenants/choose", tenant="acme", next="/tenants")

    assert "Wash the brushes" in reader.get("/lessons")
    assert "Is a directory" not in reader.get("/lessons")
    assert "Is a directory" in Reader(server).get("/lessons")  # another browser is not concerned
    reader.post("/tenants/choose", tenant="default", next="/tenants")
    assert "Is a directory" in reader.get("/lessons")


def test_an_admin_of_a_tenant_makes_no_key_for_another(server: Served) -> None:
    admin = Reader(server, server.key("admin", tenant="acme"))

    admin.post("/keys", role="admin", tenant="default")

    assert {key.tenant for key in server.keys.list()} == {"acme"}
    assert {one["tenant"] for one in values(admin, "/keys.json")["rows"]} == {"acme"}


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


def test_a_step_of_any_text_is_shown_as_it_is(server: Served, reader: Reader) -> None:
    coder = server.hw.agent("coder", run="odd")
    coder.run.record(Step("bash", "echo '<b>' && \x1b[31m", "\x00<script>", failed=True))

    page = reader.get(f"/runs/{values(reader, '/runs.json')['at_work'][0]['name']}")

    assert "<b>'" not in page
    assert "\x1b" not in page
