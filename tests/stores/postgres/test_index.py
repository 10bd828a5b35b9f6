"""The index on a server: new lessons wait in a table, and are merged with others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import hardwon
from hardwon.core.settings import Settings
from hardwon.core.time_limits import WaitBudget
from hardwon.core.values.lesson_formats import to_lines
from hardwon.knowledge.ranking.query import query
from hardwon.storage.postgres.connection import Exchange
from hardwon.storage.sql.rows import COLUMNS
from hardwon.storage.stores.postgres import Index, PostgresStore
from tests.contract.test_index import matched
from tests.postgres_server import Place, PostgresServer
from tests.samples import CODER, NOW, lesson

Opened = Callable[[int], PostgresStore]


@pytest.fixture
def opened(database: Place, tmp_path: Path) -> Iterator[Opened]:
    """Open a store that merges once so many lessons wait before a new one."""
    stores: list[PostgresStore] = []

    def begin(fresh: int) -> PostgresStore:
        stores.append(PostgresStore(database.url, str(tmp_path), fresh=fresh))
        return stores[-1]

    yield begin
    for store in stores:
        store.close()


def waiting(store: PostgresStore) -> int:
    sql = "SELECT count(*) FROM hardwon.fresh WHERE tenant = :tenant"
    return int(store.database.of(CODER.tenant).rows(sql)[0][0])


def test_lessons_are_merged_as_soon_as_enough_of_them_wait(opened: Opened) -> None:
    store = opened(3)
    counts = []
    for number in range(4):
        store.lessons.add(lesson(f"zebra {number}"))
        counts.append(waiting(store))

    assert counts == [1, 2, 3, 0]


def test_an_agents_turn_merges_nothing(opened: Opened) -> None:
    store = opened(1)
    with WaitBudget(60):
        store.lessons.add(lesson("zebra"))
        assert waiting(store) == 1

    store.lessons.add(lesson("yak"))

    assert waiting(store) == 0


def test_to_tend_a_store_merges_whatever_waits_and_says_how_much(opened: Opened) -> None:
    store = opened(99)
    store.lessons.add(lesson("zebra"))
    store.lessons.add(lesson("yak", CODER._replace(tenant="other")))

    assert (waiting(store), store.tend(), waiting(store), store.tend()) == (1, 2, 0, 0)


def test_a_deleted_lesson_leaves_nothing_that_waits(opened: Opened) -> None:
    store = opened(99)
    kept = store.lessons.add(lesson("zebra"))

    store.lessons.delete(CODER, kept.id)

    assert waiting(store) == 0


def test_as_many_of_a_common_word_are_read_as_may_be(opened: Opened) -> None:
    store = opened(0)
    with store.together():
        for number in range(600):
            store.lessons.add(lesson("common " * (1 + number % 4)))

    for reach in (1, 50, 200, 599):
        assert len(matched(store, "common", reach=reach)) == min(50, reach)


PLANNED = "SELECT statement, custom_plans FROM pg_prepared_statements"
TRIES = 5  # of the server, before it keeps a plan that is no worse
MANY = f"""
INSERT INTO hardwon.lessons (tenant, shelf, {COLUMNS})
SELECT tenant, shelf, {COLUMNS} FROM hardwon.lessons, generate_series(1, 3000);
INSERT INTO hardwon.terms (tenant, shelf, term, holders)
SELECT tenant, shelf, term || n, 0 FROM hardwon.terms, generate_series(1, 3000) AS n;
ANALYZE
"""


def test_what_is_asked_again_is_planned_no_more(
    database: Place, postgres: PostgresServer, tmp_path: Path
) -> None:
    with closing(PostgresStore(database.url, str(tmp_path), fresh=0)) as store:
        store.lessons.add(lesson("a zebra"))
        postgres.execute(MANY, database.name)
        for _ in range(4 * TRIES):
            assert store.lessons.match(CODER, query("turn", "zebra"), now=NOW, limit=9)
        planned = store.database.rows(PLANNED)

    assert len(planned) > TRIES
    assert [one for one in planned if one[1] > TRIES] == []


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
