"""The queue over HTTP."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from tests.surfaces.serve.api.asked import get, post
from tests.surfaces.serve.served import Served, served


def test_dead_jobs_are_retried_and_purged(tmp_path: Path) -> None:
    import hardwon

    with hardwon.open(tmp_path, model=lambda request: "no lesson in this") as hw:
        for task in ("one", "two", "three"):
            hw.agent("coder").after_run(task=task, error=f"{task} refused")
        hw.drain()
    with served(tmp_path) as server:
        dead = [one["id"] for one in get(server, "/v1/dead")["items"]]
        assert len(dead) == 3
        assert post(server, f"/v1/dead/{dead[0]}/retry").status == 204
        assert post(server, "/v1/dead/purge", {"ids": [dead[1]]}).json == {"done": [dead[1]]}
        assert post(server, "/v1/dead/retry", {"all": True}).json == {"done": [dead[2]]}
        queue = get(server, "/v1/queue")
        assert (queue["waiting"], queue["dead"]) == (2, 0)
        assert {one["id"] for one in queue["items"]} == {dead[0], dead[2]}
        assert post(server, "/v1/dead/retry", {}).status == 400


def test_waking_starts_a_worker_once(server: Served) -> None:
    assert post(server, "/v1/queue/wake").json == {"started": True}
    while not (told := server.hw.queue.status()[1]):
        time.sleep(0.02)

    assert post(server, "/v1/queue/wake").json == {"started": False}
    os.kill(told["pid"], signal.SIGTERM)
    os.waitpid(told["pid"], 0)
