"""What is needed to deploy the server agrees with the repository, and starts."""

from __future__ import annotations

import http.client
import os
import re
import signal
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import yaml

import hardwon
from tests.postgres_server import PostgresServer
from tests.programs import needs

ROOT = Path(__file__).parents[1]
UNITS = ["hardwon.service", "hardwon-work.service"]
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


@pytest.mark.parametrize("unit", UNITS)
def test_a_unit_is_one_that_systemd_understands(unit: str, tmp_path: Path) -> None:
    analyze = needs("systemd-analyze", package="systemd", is_service=True)
    text = (ROOT / "deploy" / unit).read_text()
    (tmp_path / unit).write_text(text.replace("/opt/hardwon/bin/hardwon", "/bin/true"))

    done = subprocess.run([analyze, "verify", unit], cwd=tmp_path, capture_output=True, text=True)

    assert unit not in done.stderr, done.stderr


HARD = {"SystemCallFilter", "ProtectProc", "MemoryMax", "NoNewPrivileges", "CapabilityBoundingSet"}


def test_worker_and_server_are_shut_the_same_way() -> None:
    server, worker = (_limits(unit) for unit in UNITS)

    assert server == worker
    assert {line.partition("=")[0] for line in server} >= HARD


def _limits(unit: str) -> list[str]:
    """The lines of a unit that take something away from the process."""
    text = (ROOT / "deploy" / unit).read_text()
    return text[text.index("NoNewPrivileges") : text.index("[Install]")].split("\n")


def test_no_process_makes_a_call_that_its_unit_forbids(tmp_path: Path) -> None:
    with hardwon.open(tmp_path / "home") as hw:
        hw.agent("coder").after_run(task="build", error="cannot build")

    worked = traced(tmp_path, "work", "--drain")
    served = traced(tmp_path, "serve", "--port", "0", ask="/healthz")

    assert {"flock", "fdatasync"} <= worked
    assert "accept4" in served
    # SQLite gives files of root to their folder's owner; the user of the units is not root.
    assert (worked | served) - {"fchown"} <= allowed(_limits("hardwon.service"))


def traced(folder: Path, *words: str, ask: str = "") -> set[str]:
    """The system calls of a command, which is asked for a page and then ended."""
    strace, notes = needs("strace", package="strace"), folder / words[0]
    command = [strace, "-f", "-c", "-o", str(notes), sys.executable, "-m", "hardwon", *words]
    environ = {**os.environ, "HARDWON_HOME": str(folder / "home")}
    with subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        if ask:
            address = process.stdout.readline().rpartition("//")[2].strip()
            connection = http.client.HTTPConnection(address, timeout=30)
            connection.request("GET", ask)
            assert connection.getresponse().status == 200
            connection.close()
            children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text()
            os.kill(int(children), signal.SIGTERM)  # strace itself ignores it
        process.communicate(timeout=60)
    rows = re.findall(r"(?m)^ *[\d.]+ +[\d.]+ .* (\w+)$", notes.read_text())
    return set(rows) - {"total"}


def allowed(lines: list[str]) -> set[str]:
    """The calls that the filters of a unit leave."""
    calls: set[str] = set()
    for line in lines:
        name, _, groups = line.partition("=")
        if name == "SystemCallFilter":
            members = {call for group in groups.lstrip("~").split() for call in _members(group)}
            calls = calls - members if groups.startswith("~") else calls | members
    return calls


def _members(group: str) -> set[str]:
    """The calls of a group of systemd, and of the groups in it."""
    analyze = needs("systemd-analyze", package="systemd", is_service=True)
    said = subprocess.run(
        [analyze, "syscall-filter", group], capture_output=True, text=True, check=True
    ).stdout
    names = re.findall(r"(?m)^ +(@?[\w-]+)$", said)
    return {call for name in names for call in (_members(name) if name[0] == "@" else {name})}


DIGEST = r"@sha256:[0-9a-f]{64}$"


def test_every_image_of_others_is_named_by_its_digest() -> None:
    composed = yaml.safe_load((ROOT / "deploy" / "compose.yaml").read_text())["services"]
    images = [service["image"] for service in composed.values()]
    images += re.findall(r"^ARG PYTHON=(.+)$", CONTAINER, re.MULTILINE)
    images += [container["image"] for _, container in containers()]

    own = [image for image in images if not re.search(DIGEST, image)]
    assert set(own) == {"${HARDWON_IMAGE:-localhost/hardwon}"}


def containers() -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Every pod of the file for Kubernetes with each of its containers."""
    for part in yaml.safe_load_all((ROOT / "deploy" / "kubernetes.yaml").read_text()):
        pod = part["spec"]["template"]["spec"]
        for container in pod["containers"]:
            yield pod, container


@pytest.mark.parametrize(("pod", "container"), list(containers()))
def test_a_container_has_no_rights_and_has_limits(
    pod: dict[str, Any], container: dict[str, Any]
) -> None:
    assert pod["automountServiceAccountToken"] is False
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert {"cpu", "memory"} <= set(container["resources"]["limits"])


def test_a_home_in_a_volume_of_kubernetes_is_one_that_hardwon_opens(tmp_path: Path) -> None:
    """A volume of a pod may be written by everybody, and hardwon refuses such a home."""
    volume = tmp_path / "volume"
    volume.mkdir()
    volume.chmod(0o777)
    for pod, container in containers():
        (home,) = (row["value"] for row in container["env"] if row["name"] == "HARDWON_HOME")
        mounts = [mount["mountPath"] for mount in container["volumeMounts"]]
        inside = next(home.removeprefix(f"{mount}/") for mount in mounts if home.startswith(mount))
        assert {mount["name"] for mount in container["volumeMounts"]} == {
            one["name"] for one in pod["volumes"]
        }

        with hardwon.open(volume / inside) as hw:
            assert hw.agent("coder").learn("run the tests first").id


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


def test_the_commands_of_compose_start_a_memory_for_a_team(
    tmp_path: Path, postgres: PostgresServer
) -> None:
    """As processes, in the order in which compose starts the containers."""
    place = postgres.empty()
    services = yaml.safe_load((ROOT / "deploy" / "compose.yaml").read_text())["services"]
    assert [name for name in services if "build" in services[name]] == ["migrate"]
    order = {"first-key": "migrate", "server": "first-key", "worker": "migrate"}
    assert all(before in services[name]["depends_on"] for name, before in order.items())

    def command(name: str) -> list[str]:
        words = services[name]["command"]
        named = (word.replace("${HARDWON_NAME:-localhost}", "localhost") for word in words)
        return [sys.executable, "-m", "hardwon", *named]

    def environ(name: str) -> dict[str, str]:
        given = {key: str(value) for key, value in services[name]["environment"].items() if value}
        url = place.owner if "hardwon_owner@" in given["HARDWON_POSTGRES_URL"] else place.url
        given |= {"HARDWON_HOME": str(tmp_path / name), "HARDWON_POSTGRES_URL": url}
        return {**os.environ, **given}

    def run(name: str) -> str:
        done = subprocess.run(command(name), env=environ(name), capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert "migration" in run("migrate")
    key = run("first-key").strip()
    assert run("first-key") == ""
    serve = [*command("server"), "--port", "0"]
    with subprocess.Popen(
        serve, env=environ("server"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as server:
        try:
            assert server.stdout
            server.stdout.readline()
            port = _port_of(server.pid)
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
            connection.request("GET", "/readyz")
            assert connection.getresponse().read().startswith(b'{"ready":true')
            connection.request("GET", "/v1/me", headers={"Authorization": f"Bearer {key}"})
            assert b'"admin"' in connection.getresponse().read()
            connection.close()
        finally:
            server.terminate()
        _, log = server.communicate(timeout=60)
    assert re.search(r"127\.0\.0\.1 \S+ GET /v1/me 200", log)


def _port_of(pid: int) -> int:
    """The port that a process listens on."""
    inodes = set()
    for path in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(FileNotFoundError):  # closed since it was listed
            inodes.add(os.readlink(path))
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        _, local, _, state, *rest = line.split()
        if state == "0A" and f"socket:[{rest[5]}]" in inodes:
            return int(local.rpartition(":")[2], 16)
    raise AssertionError("it does not listen")
