"""The files by which a team deploys: they can be read, and name what is there."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import psycopg
import pytest
import yaml

from hardwon.settings import Settings, sections, variables
from hardwon.surfaces.cli import cli
from tests.postgres_server import PostgresServer, programs, running

DEPLOY = Path(__file__).parents[2] / "deploy"


def compose() -> Iterator[tuple[list[str], dict[str, str]]]:
    """The command and the environment of each service of ours."""
    services = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
    for one in (services["migrate"], services["worker"]):
        yield [*one["entrypoint"], *one["command"]], one["environment"]


def kubernetes() -> Iterator[tuple[list[str], dict[str, str]]]:
    """The same of each container."""
    for part in yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text()):
        for one in part["spec"]["template"]["spec"]["containers"]:
            yield one["command"], {row["name"]: row.get("value", "") for row in one["env"]}


@pytest.mark.parametrize(("command", "environment"), [*compose(), *kubernetes()])
def test_commands_and_settings_are_those_of_this_release(
    command: list[str], environment: dict[str, str]
) -> None:
    program, verb, *options = command

    assert program == "hardwon"
    found = cli.get_command(click.Context(cli), verb)
    assert found is not None
    assert found.make_context(verb, options).params
    for name in environment:
        assert name in {"PGPASSWORD", "HARDWON_HOME"} or name in known(), name


def known() -> set[str]:
    """The variables of all settings."""
    settings = Settings("")
    return {
        name
        for section in sections(settings)
        for field in getattr(settings, section)._fields
        for name in variables(section, field)
    }


def test_the_role_of_services_is_made_by_the_script() -> None:
    with running() as server:
        _made(server)
        found: list[Any] = server.execute(
            "SELECT rolcanlogin, rolsuper, rolbypassrls, pg_has_role(rolname, 'pg_read_all_stats',"
            " 'USAGE') FROM pg_roles WHERE rolname = 'hardwon_service'"
        )

        assert found == [(True, False, False, True)]
        psycopg.connect(server.url("postgres", "hardwon_service")).close()


def _made(server: PostgresServer) -> None:
    environ = {
        **os.environ,
        "PGHOST": "127.0.0.1",
        "PGPORT": str(server.port),
        "POSTGRES_USER": "postgres",
        "POSTGRES_DB": "postgres",
        "SERVICE_PASSWORD": "it's secret",
        "PATH": f"{programs()}:{os.environ['PATH']}",
    }
    subprocess.run(["sh", DEPLOY / "roles.sh"], check=True, env=environ, capture_output=True)
