"""What the server does for each turn: it plans a statement a few times, then never again."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from hardwon.knowledge.ranking.query import query
from hardwon.storage.sql.rows import COLUMNS
from hardwon.storage.stores.postgres import PostgresStore
from tests.postgres_server import Place, PostgresServer
from tests.samples import CODER, NOW, lesson

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
