"""The list of lessons."""

from __future__ import annotations

import json

from tests.surfaces.serve.pages.stocked import (
    Reader,
)


def test_a_list_can_be_narrowed_by_its_address(reader: Reader) -> None:
    reader.server.hw.agent("tester", project="acme/web").learn("use `pytest -q` for a short report")

    def found(query: str) -> list[int]:
        return [one["id"] for one in json.loads(reader.get(f"/lessons.json?{query}"))["rows"]]

    assert sorted(found("")) == [1, 2, 3, 4]
    assert found("status=quarantined") == [2]
    assert found("text=IS+A+DIRECTORY") == [1]
    assert found("agent=tester") == [4]
    assert found("project=acme/web&status=proven") == [4]
    assert reader.ask("/lessons?status=nonsense").status == 400
    assert reader.ask("/lessons?after=nonsense").status == 400


def test_a_long_list_comes_in_pages(reader: Reader) -> None:
    coder = reader.server.hw.agent("coder")
    words = [f"{first}{second}" for first in "bdfgklmn" for second in "aeiouy"]
    for word in (*words, *(f"{one}s" for one in words[:10])):
        coder.lessons.add(f"about {word} {word}", f"polish {word} with {word}ness {word}{word}")

    first = json.loads(reader.get("/lessons.json"))
    second = json.loads(reader.get(f"/lessons.json?after={first['next']}"))

    ids = [one["id"] for page in (first, second) for one in page["rows"]]
    assert (len(first["rows"]), second["next"]) == (50, None)
    assert len(ids) == len(set(ids)) == first["counts"]["all"]
