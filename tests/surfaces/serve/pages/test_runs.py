"""The pages of runs: steps, and what a run was shown."""

from __future__ import annotations

import os

from hardwon.core.values.run import Step
from tests.surfaces.serve.pages.read_pages import values
from tests.surfaces.serve.pages.stocked import ERROR, FAILS, WORKS, Reader
from tests.surfaces.serve.served import Served


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
    shown = timeline[0]["shown"]
    assert (shown["door"], shown["lessons"]) == ("action", [1])
    assert "What worked: `rm -r build`" in shown["text"]
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
    assert "What worked: `rm -r build`" in run["timeline"][0]["shown"]["text"]
    assert run["machine"] == os.uname().nodename
    assert run["seconds"] >= 0
    assert [one["step"]["number"] for one in run["timeline"] if "step" in one] == [1, 2]
    assert "recovered" in reader.get("/runs")
    assert "What worked: <code>rm -r build</code>" in reader.get(f"/runs/{found['name']}")
    assert values(reader, "/runs.json?text=nothing+like+it")["rows"] == []


def test_what_was_shown_is_listed_with_what_followed(server: Served, reader: Reader) -> None:
    coder = server.hw.agent("coder", project="acme/api")
    coder.lessons.approve(1)
    coder.before_action("bash", FAILS)
    coder.after_action("bash", WORKS)
    coder.end_run()

    first = values(reader, "/runs.json?list=shown")["rows"][0]

    assert (first["door"], first["lessons"], first["outcome"]) == ("action", [1], "worked")


def test_a_step_of_any_text_is_shown_as_it_is(server: Served, reader: Reader) -> None:
    coder = server.hw.agent("coder", run="odd")
    coder.run.record(Step("bash", "echo '<b>' && \x1b[31m", "\x00<script>", failed=True))

    page = reader.get(f"/runs/{values(reader, '/runs.json')['at_work'][0]['name']}")

    assert "<b>'" not in page
    assert "\x1b" not in page
