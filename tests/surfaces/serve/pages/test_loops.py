"""The pages of loops."""

from __future__ import annotations

from tests.surfaces.serve.pages.read_pages import values
from tests.surfaces.serve.pages.stocked import Reader
from tests.surfaces.serve.served import Served


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
