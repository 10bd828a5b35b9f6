"""A pack is imported into a server with few round trips, and as into a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import hardwon
from hardwon.core.settings import Settings
from hardwon.core.values.lesson_formats import to_lines
from hardwon.storage.postgres.connection import Exchange
from tests.postgres_server import Place
from tests.samples import lesson

# Twins stand beside each other, in one batch, in two batches, and on both sides of a merge.
WORDS = [f"zebra{number % 290}z crosses river{number % 290}r" for number in range(600)]


@pytest.fixture
def pack(tmp_path: Path) -> str:
    path = tmp_path / "pack.jsonl"
    head, *lines = to_lines([lesson(text, correction=f"do: {text}") for text in WORDS]).splitlines()
    path.write_text("\n".join((head, *lines[::3], *lines[1::3], *lines[2::3], "")))
    return str(path)


def imported(target: str, home: Path, pack: str) -> list[tuple[str, int]]:
    with hardwon.open(target, settings=Settings(str(home))) as hw:
        lessons = hw.agent("coder", project="api").lessons
        stored = lessons.import_from(pack, trust=True)
        again = lessons.import_from(pack, trust=True)
        assert {one.id for one in again} == {one.id for one in stored}
        found = lessons.search("zebra7z crosses", limit=9)
        assert [one.situation for one in found] == [f"when: {WORDS[7]}"]
        places = {number: at for at, number in enumerate(sorted({one.id for one in stored}))}
        return [(one.situation, places[one.id]) for one in stored]


def test_a_server_and_a_file_store_the_same_lessons_of_a_pack(
    database: Place, tmp_path: Path, pack: str
) -> None:
    on_server = imported(database.url, tmp_path / "a", pack)
    in_file = imported(str(tmp_path / "b"), tmp_path / "b", pack)

    assert on_server == in_file
    assert len({place for _, place in on_server}) == 290


def test_a_server_is_asked_for_many_lessons_of_a_pack_at_once(
    database: Place, tmp_path: Path, pack: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, ask = [0], Exchange.ask

    def counted(self: Exchange, statements: Sequence[Any]) -> Any:
        asked[0] += 1
        return ask(self, statements)

    with hardwon.open(database.url, settings=Settings(str(tmp_path))) as hw:
        lessons = hw.agent("coder", project="api").lessons
        texts = [f"{number} giraffes stand beside pond {number * 11}" for number in range(400)]
        path = tmp_path / "other.jsonl"
        path.write_text(to_lines([lesson(text, correction=f"wait: {text}") for text in texts]))
        monkeypatch.setattr(Exchange, "ask", counted)
        lessons.import_from(str(path), trust=True)

    assert asked[0] < 400
