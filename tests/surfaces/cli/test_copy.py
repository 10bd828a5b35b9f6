"""`hardwon copy`: there and back, interrupted and resumed."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from hardwon import Scope
from hardwon.core.values.delivery import Delivery, Unit
from hardwon.core.values.dream import Dream
from hardwon.core.values.lesson import Change
from hardwon.core.values.reflection import Reflection
from hardwon.knowledge.ranking.query import query
from hardwon.storage.copying import End
from hardwon.storage.ports import Store
from hardwon.storage.stores.postgres import PostgresStore
from hardwon.storage.stores.sqlite import SqliteStore
from hardwon.surfaces.cli import run
from tests.postgres_server import Place, PostgresServer
from tests.samples import CODER, NOW, lesson

OTHER = Scope("other", "writer")


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store of two tenants that has something of everything."""
    monkeypatch.setenv("HARDWON_HOME", str(tmp_path / "home"))
    place = tmp_path / "source"
    place.mkdir()
    store = SqliteStore(str(place))
    for scope in (CODER, OTHER):
        kept = [
            store.lessons.add(lesson(f"zebra {n} größe", scope, guard=n == 3)) for n in range(9)
        ]
        store.lessons.delete(scope, kept[0].id)
        shown = Delivery(f"d{scope.agent}", scope, "turn", "q", (kept[1].id,), (1.0,), 2, 3, NOW)
        store.deliveries.log(shown)
        store.failures.count(scope, "sig", "text", NOW)
        store.reflections.save(Reflection(scope, "goal", "the insight", NOW, title="zebra"))
        store.history.note(Change(kept[1], "edit", NOW))
        store.dreams.save(Dream(f"n{scope.agent}", scope, NOW))
        store.units.log(Unit(scope, "run", "family", "turn", True, 0.1, NOW))
        store.units.set_share(scope.tenant, 0.05)
    store.close()
    return place


def told(store: Store) -> list[object]:
    """What a store answers about both tenants."""
    found: list[object] = [store.units.salt()]
    for scope in (CODER, OTHER):
        asked = query("turn", "zebra größe")
        found += [
            store.lessons.match(scope, asked, now=NOW, limit=20),
            store.lessons.guards(scope),
            store.deliveries.recent(scope, limit=9),
            store.failures.commonest(scope, limit=9),
            store.reflections.recent(scope, now=NOW, limit=9),
            store.history.of(scope, None),
            store.dreams.recent(scope, limit=9),
            store.units.share(scope.tenant),
            store.shelves(scope.tenant),
        ]
    return found


def test_the_server_knows_at_once_how_much_it_holds(
    source: Path, database: Place, postgres: PostgresServer
) -> None:
    assert run(["copy", str(source), database.owner]) == 0

    sql = "SELECT reltuples FROM pg_class WHERE oid = 'hardwon.lessons'::regclass"
    assert postgres.execute(sql, database.name) == [(16,)]


def test_a_file_moves_into_a_database_and_back(
    source: Path, database: Place, tmp_path: Path
) -> None:
    before = SqliteStore(str(source), fresh=0)
    with before.together():
        pass

    assert run(["copy", str(source), database.owner]) == 0
    assert run(["copy", database.owner, str(tmp_path / "back")]) == 0

    there, back = PostgresStore(database.url, str(tmp_path)), SqliteStore(str(tmp_path / "back"))
    assert told(there) == told(before)
    assert told(back) == told(before)
    assert there.lessons.add(lesson("new")).id > before.lessons.add(lesson("new")).id - 1
    for store in (before, there, back):
        store.close()


def test_a_target_with_data_is_left_alone(
    source: Path, database: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["copy", str(source), database.owner]) == 0
    assert run(["copy", str(source), database.owner]) == 2
    assert "acme" in capsys.readouterr().err


def test_an_interrupted_copy_is_resumed(
    source: Path,
    database: Place,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    put, calls = End.put, iter(range(100))

    def broken(self: End, *values: object) -> None:
        if next(calls) == 3:
            raise KeyboardInterrupt
        put(self, *values)  # type: ignore[arg-type]

    with monkeypatch.context() as patched:
        patched.setattr(End, "put", broken)
        assert run(["copy", str(source), database.owner]) == 130
    assert "hardwon: interrupted; continue with --resume\n" in capsys.readouterr().err

    assert run(["copy", "--resume", str(source), database.owner]) == 0
    store = PostgresStore(database.url, str(tmp_path))
    assert len(store.lessons.match(CODER, query("turn", "zebra"), now=NOW, limit=20)) == 8
    store.close()


def test_a_changed_row_is_noticed(
    source: Path, database: Place, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["copy", str(source), database.owner]) == 0
    store = PostgresStore(database.url, str(tmp_path))
    store.failures.count(CODER, "sig", "text", NOW + timedelta(hours=1))
    store.tend()
    store.close()

    assert run(["copy", "--resume", str(source), database.owner]) == 1
    assert "failures of 'acme'" in capsys.readouterr().err
