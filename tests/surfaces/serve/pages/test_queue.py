"""The page of the queue, and what may be done with dead letters."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hardwon.engine import worker
from tests.surfaces.serve.pages.read_pages import bury, values
from tests.surfaces.serve.pages.stocked import Reader
from tests.surfaces.serve.served import Served


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


def test_a_queue_too_long_to_read_is_not_taken_for_the_tenants_own(
    server: Served, reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.hw.agent("coder", tenant="other").after_run(task="of others", error="it did not work")
    monkeypatch.setattr("hardwon.surfaces.serve.pages.work._READ", 0)

    page = reader.get("/queue")

    assert '<b>–</b><span class="soft">waiting</span>' in page
    assert '<b>–</b><span class="soft">in flight</span>' in page
    assert "jobs of all tenants wait on this server" in page


def test_the_queue_tells_how_fast_it_is_worked(server: Served, reader: Reader) -> None:
    assert values(reader, "/queue.json")["rate"] is None
    told = {"pid": 7, "done": 9, "retried": 2, "buried": 1, "running": []}
    times = {"began": "2026-10-05T12:00:00+00:00", "at": "2026-10-05T12:08:00+00:00"}
    Path(worker.status_path(server.hw.settings)).write_text(json.dumps(told | times))

    assert values(reader, "/queue.json")["rate"] == 1.5
    assert "worked a minute" in reader.get("/queue")
