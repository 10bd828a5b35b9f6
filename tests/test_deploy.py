"""What is needed to deploy the server agrees with the repository, and starts."""

from __future__ import annotations

import http.client
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.programs import needs

ROOT = Path(__file__).parents[1]
CONTAINER = (ROOT / "deploy" / "Containerfile").read_text()


def test_the_container_is_built_of_files_that_are_here() -> None:
    copied = re.findall(r"^COPY (?!--from)(.+) \S+$", CONTAINER, re.MULTILINE)

    assert copied
    assert all((ROOT / name).exists() for names in copied for name in names.split())


def test_the_container_has_what_a_server_and_a_team_need() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    needed = {*project["dependencies"], *extras["serve"], *extras["postgres"]}
    asked = (ROOT / "requirements" / "serve.in").read_text().splitlines()[1:]

    assert set(asked) == needed


@pytest.mark.parametrize("unit", ["hardwon.service", "hardwon-work.service"])
def test_a_unit_is_one_that_systemd_understands(unit: str, tmp_path: Path) -> None:
    analyze = needs("systemd-analyze", package="systemd", is_service=True)
    text = (ROOT / "deploy" / unit).read_text()
    (tmp_path / unit).write_text(text.replace("/opt/hardwon/bin/hardwon", "/bin/true"))

    done = subprocess.run([analyze, "verify", unit], cwd=tmp_path, capture_output=True, text=True)

    assert unit not in done.stderr, done.stderr


@pytest.mark.adapters
def test_what_the_container_installs_serves(tmp_path: Path) -> None:
    """The steps of the container file, in a virtual environment instead of a container."""
    for name in ("build", "hardwon"):
        subprocess.run([sys.executable, "-m", "venv", tmp_path / name], check=True)
    for pip in re.findall(r"/opt/(\w+)/bin/pip (install --require-hashes .+)$", CONTAINER, re.M):
        _pip(tmp_path / pip[0], *pip[1].split())
    wheel = ("wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", f"{tmp_path}/wheel", ".")
    _pip(tmp_path / "build", *wheel)
    made = next((tmp_path / "wheel").glob("hardwon-*.whl"))
    _pip(tmp_path / "hardwon", "install", "--no-deps", "--no-index", str(made))
    subprocess.run([f"{tmp_path}/hardwon/bin/python", "-c", "import psycopg"], check=True)
    command = [f"{tmp_path}/hardwon/bin/hardwon", "serve", "--port", "0"]
    environ = {**os.environ, "HARDWON_HOME": str(tmp_path / "home")}

    with subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        port = int(process.stdout.readline().rpartition(":")[2])
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        connection.request("GET", "/login")
        answer = connection.getresponse()
        assert (answer.status, b"hardwon" in answer.read()) == (200, True)
        connection.close()
        process.terminate()
        assert process.wait(30) == 0


def _pip(environment: Path, *words: str) -> None:
    command = [f"{environment}/bin/python", "-m", "pip", "--quiet", *words]
    subprocess.run(command, cwd=ROOT, check=True)
