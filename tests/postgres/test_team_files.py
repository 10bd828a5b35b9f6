"""The files by which a team deploys: what they name is there, and what they start works.

No container runs here: each command is a process, with the environment that its file gives it. The
server asks for passwords, and for TLS where the file does.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import click
import psycopg
import pytest
import yaml

from hardwon.core.settings import Settings, sections, variables
from hardwon.surfaces.cli import cli
from tests.postgres.test_pgbouncer import Front, certificate
from tests.postgres_server import OWNER, SERVICE, PostgresServer, programs, running
from tests.redis_server import free_port
from tests.waiting import until

DEPLOY = Path(__file__).parents[2] / "deploy"
SECRETS = {
    "OWNER_PASSWORD": "the owner's",
    "SERVICE_PASSWORD": "it's secret",
    "owner-password": "the owner's",
    "service-password": "it's secret",
}
_ASKED = "host all hardwon_owner,hardwon_service 127.0.0.1/32 scram-sha-256\n"
_OF_OTHERS = {"PGPASSWORD", "HARDWON_HOME", "ANTHROPIC_API_KEY"}
_BIN = str(Path(sys.executable).parent)


class Service(NamedTuple):
    """What a container runs, with which environment, and how it is found to be ready."""

    command: list[str]
    environ: dict[str, str]
    probe: list[str]
    replicas: int

    @property
    def given(self) -> dict[str, str]:
        """The variables that have a value; the others are taken from outside, or not set."""
        return {name: value for name, value in self.environ.items() if value}

    def at_port(self, port: int) -> Service:
        """The same with another port for metrics: here all share one network."""
        command, probe = (
            [word.replace("9100", str(port)) for word in words]
            for words in (self.command, self.probe)
        )
        return self._replace(command=command, probe=probe)


def compose() -> Iterator[Service]:
    """The services of ours, in the order in which one waits for another."""
    services = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
    for one in (services["migrate"], services["worker"]):
        yield Service(
            [*one["entrypoint"], *one["command"]],
            {name: filled_in(text) for name, text in one["environment"].items()},
            one.get("healthcheck", {}).get("test", [])[1:],
            one.get("deploy", {}).get("replicas", 1),
        )


def kubernetes() -> Iterator[Service]:
    """The same of each container."""
    for part in yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text()):
        for one in part["spec"]["template"]["spec"]["containers"]:
            yield Service(
                one["command"],
                {row["name"]: row.get("value") or of_secret(row) for row in one["env"]},
                one.get("readinessProbe", {}).get("exec", {}).get("command", []),
                part["spec"].get("replicas", 1),
            )


def filled_in(text: str | None) -> str:
    """The value of a variable, which may refer to others."""
    return re.sub(r"\$\{(\w+):\?\}", lambda found: SECRETS[found[1]], text or "")


def of_secret(row: dict[str, Any]) -> str:
    asked = row["valueFrom"]["secretKeyRef"]
    return SECRETS.get(asked["key"], "") if asked.get("optional") else SECRETS[asked["key"]]


@pytest.mark.parametrize("service", [*compose(), *kubernetes()])
def test_commands_and_settings_are_those_of_this_release(service: Service) -> None:
    program, verb, *options = service.command

    assert program == "hardwon"
    found = cli.get_command(click.Context(cli), verb)
    assert found is not None
    assert found.make_context(verb, options).params
    for name in service.environ:
        assert name in _OF_OTHERS or name in known(), name


def known() -> set[str]:
    """The variables of all settings."""
    settings = Settings("")
    return {
        name
        for section in sections(settings)
        for field in getattr(settings, section)._fields
        for name in variables(section, field)
    }


@pytest.fixture
def server() -> Iterator[PostgresServer]:
    """As the image of PostgreSQL makes one of the variables in compose.yaml."""
    database = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]["db"]
    asked = {name: filled_in(text) for name, text in database["environment"].items()}
    with running() as started:
        password = asked["POSTGRES_PASSWORD"].replace("'", "''")
        started.execute(f"CREATE ROLE {OWNER} SUPERUSER LOGIN PASSWORD '{password}'")
        started.execute(f"CREATE DATABASE {asked['POSTGRES_DB']} OWNER {OWNER}")
        script = ["sh", str(DEPLOY / "roles.sh")]
        subprocess.run(script, check=True, env=at(started.port) | asked, capture_output=True)
        rules = started.data / "pg_hba.conf"
        rules.write_text(_ASKED + rules.read_text())
        started.execute("SELECT pg_reload_conf()")
        yield started


def at(port: int) -> dict[str, str]:
    """The environment in which the host `db`, or none, is a server here."""
    path = f"{_BIN}:{programs()}:{os.environ['PATH']}"
    return {"PATH": path, "PGHOST": "db", "PGHOSTADDR": "127.0.0.1", "PGPORT": str(port)}


def test_the_role_of_services_logs_in_and_may_look_around(server: PostgresServer) -> None:
    found: list[Any] = server.execute(
        "SELECT rolcanlogin, rolsuper, rolbypassrls, pg_has_role(rolname, 'pg_read_all_stats',"
        " 'USAGE') FROM pg_roles WHERE rolname = 'hardwon_service'"
    )

    assert found == [(True, False, False, True)]
    with pytest.raises(psycopg.OperationalError, match="no password"):
        psycopg.connect(server.url("agents", SERVICE))


def test_compose_migrates_and_works_jobs(server: PostgresServer, tmp_path: Path) -> None:
    tables, workers = compose()

    started_and_worked(tables, workers, at(server.port), tmp_path)


def test_kubernetes_migrates_and_works_jobs(server: PostgresServer, tmp_path: Path) -> None:
    tables, workers = kubernetes()
    front = Front(server.port, certificate(tmp_path, "db"))

    started_and_worked(tables, workers, at(front.port), tmp_path)

    front.close()


def started_and_worked(
    tables: Service, workers: Service, place: dict[str, str], folder: Path
) -> None:
    """Migrate, start the workers, and let them work jobs until they are asked to stop."""
    environ = place | tables.given | {"HARDWON_HOME": str(folder / "migrate")}
    subprocess.run(tables.command, check=True, env=environ, capture_output=True)

    with ExitStack() as stack:
        for number in range(workers.replicas):
            stack.enter_context(worker(workers.at_port(free_port()), place, folder / str(number)))
        ask = place | workers.given | {"HARDWON_HOME": str(folder / "program")}
        subprocess.run([sys.executable, "-c", _PROGRAM], check=True, env=ask)


_PROGRAM = """
import time, hardwon
with hardwon.open() as hw:
    for number in range(5):
        hw.agent("coder").after_run(task=f"build {number}", error=f"cannot build {number}")
    late = time.monotonic() + 60
    while not hw.agent("coder").lessons.list(status="all"):  # a taken job does not wait any more
        assert time.monotonic() < late, hw.queue.status()
        time.sleep(0.1)
"""


@contextmanager
def worker(service: Service, place: dict[str, str], home: Path) -> Iterator[None]:
    """A worker that is ready, and that ends well when it is told to."""
    environ = place | service.given | {"HARDWON_HOME": str(home)}
    process = subprocess.Popen(service.command, env=environ, stdout=subprocess.DEVNULL)
    try:
        until(lambda: _ends_well(service.probe, environ))
        yield
        process.terminate()
        assert process.wait(45) == 0
    finally:
        process.kill()
        process.wait()


def _ends_well(command: list[str], environ: dict[str, str]) -> bool:
    return subprocess.run(command, env=environ, capture_output=True).returncode == 0


@pytest.mark.adapters
def test_kubernetes_finds_its_file_valid(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", tmp_path], check=True)
    pip = [f"{tmp_path}/bin/python", "-m", "pip", "--quiet", "install", "kubernetes-validate"]
    subprocess.run(pip, check=True)

    checked = [f"{tmp_path}/bin/kubernetes-validate", "--strict", f"{DEPLOY}/kubernetes.yaml"]
    subprocess.run(checked, check=True)
