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
from hardwon.storage.stores.postgres.index import Index
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

    assert asked[0] < 500  # one for each, as all resemble each other; it was three


def test_the_first_pack_of_a_project_is_compared_with_itself(
    database: Place, tmp_path: Path
) -> None:
    path = tmp_path / "contradicting.jsonl"
    corrections = ("run the unlock script first", "wait for the night", "never unlock it")
    path.write_text(to_lines([lesson("the deploy is locked", correction=c) for c in corrections]))
    evidence = []
    for target, home in ((database.url, tmp_path / "a"), (str(tmp_path / "b"), tmp_path / "b")):
        with hardwon.open(target, settings=Settings(str(home))) as hw:
            stored = hw.agent("coder", project="new").lessons.import_from(str(path), trust=True)
            evidence.append([sorted(map(str, one.evidence)) for one in stored])

    on_server, in_file = evidence
    assert on_server == in_file
    assert [len(differing) for differing in on_server] == [0, 1, 2]


def test_others_may_write_while_a_pack_is_imported(
    database: Place, tmp_path: Path, pack: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tally, indexes, looks = Index.tally, list[Index](), [0]
    with (
        hardwon.open(database.url, settings=Settings(str(tmp_path / "a"))) as hw,
        hardwon.open(database.url, settings=Settings(str(tmp_path / "b"))) as other,
    ):
        everywhere = other.agent("coder").lessons
        everywhere.add("something holds everywhere", "do it always")
        lessons = hw.agent("coder", project="api").lessons
        lessons.add("something is known here", "do it")

        def tally_and_write(self: Index, *asked: Any) -> Any:
            found = tally(self, *asked)
            indexes.append(self)
            if self is indexes[0]:  # that of the import, not that of the other
                looks[0] += 1
                if looks[0] in {1, 2, 30, 31, 100}:  # before what is read ahead, and during it
                    everywhere.add(f"tip{looks[0]} of {looks[0]}t", f"do {looks[0]}d as well")
            return found

        monkeypatch.setattr(Index, "tally", tally_and_write)
        stored = lessons.import_from(pack, trust=True)

        assert len({one.id for one in stored}) == 290
        assert len(everywhere.list(limit=50)) == 6
        assert lessons.search("tip30")
        assert hw.check() == []
