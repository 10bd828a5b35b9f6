"""Statements in `.sql` files beside the modules that run them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hardwon.storage.sql.dialect import for_rows, read_queries

STORAGE = Path(__file__).parents[2] / "src/hardwon/storage"
FILES = sorted(path for path in STORAGE.rglob("*.sql") if path.parent.name != "migrations")


@pytest.fixture
def module(tmp_path: Path) -> str:
    """A module with a file of statements beside it."""
    (tmp_path / "things.sql").write_text(
        "-- name: here\n"
        "shelf = :shelf\n"
        "\n"
        "-- name: list\n"
        "-- Why it is so.\n"
        "SELECT {COLUMNS} FROM things\n"
        "WHERE {here} AND {0}\n"
    )
    return str(tmp_path / "things.py")


def test_a_statement_is_filled_with_parts_and_with_earlier_ones(module: str) -> None:
    assert read_queries(module, COLUMNS="id, name") == {
        "here": "shelf = :shelf",
        "list": "SELECT id, name FROM things\nWHERE shelf = :shelf AND {0}",
    }


def test_a_part_that_nobody_gives_is_an_error_at_once(module: str) -> None:
    with pytest.raises(KeyError, match="COLUMNS"):
        read_queries(module)


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(STORAGE)))
def test_every_statement_is_used_by_its_module(file: Path) -> None:
    sql = file.read_text()
    module = file.with_name("__init__.py" if file.name == "queries.sql" else f"{file.stem}.py")
    text = module.read_text()
    named = re.findall(r"^-- name: (\w+)$", sql, re.MULTILINE)

    asked = set(re.findall(r'_SQL\["(\w+)"\]', text))
    begins = tuple(re.findall(r'(?:startswith\(|get\(f)"(\w+_)', text))
    parts = set(re.findall(r"\{([a-z]\w*)\}", sql))

    assert len(named) == len(set(named))
    assert asked <= set(named)
    unused = set(named) - asked - parts
    assert [name for name in unused if not name.startswith(begins)] == []


@pytest.mark.parametrize(
    ("sql", "all_rows"),
    [
        (
            "INSERT INTO t (tenant, a, b) VALUES (:tenant, :a::int, :b::bytea) ON CONFLICT",
            "INSERT INTO t (tenant, a, b) SELECT :tenant, each.a_, each.b_"
            " FROM unnest(:a::int[], :b::bytea[]) AS each (a_, b_) ON CONFLICT",
        ),
        (
            "UPDATE t SET n = n + :more::int WHERE tenant = :tenant AND id = :id::bigint",
            "UPDATE t SET n = n + each.more_"
            " FROM unnest(:more::int[], :id::bigint[]) AS each (more_, id_)"
            " WHERE tenant = :tenant AND id = each.id_",
        ),
        (
            "DELETE FROM t WHERE id = :id::bigint",
            "DELETE FROM t USING unnest(:id::bigint[]) AS each (id_) WHERE id = each.id_",
        ),
    ],
)
def test_a_server_changes_many_rows_with_one_statement(sql: str, all_rows: str) -> None:
    assert for_rows(sql) == all_rows


def test_a_value_without_a_type_cannot_be_a_column() -> None:
    assert for_rows("DELETE FROM t WHERE id = :id::bigint AND kind = :kind") is None
