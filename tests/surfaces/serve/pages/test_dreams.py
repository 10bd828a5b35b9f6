"""The pages of dreams."""

from __future__ import annotations

from tests.surfaces.serve.pages.read_pages import values
from tests.surfaces.serve.pages.stocked import Reader
from tests.surfaces.serve.served import Served


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
