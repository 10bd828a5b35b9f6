"""The client for TypeScript against a real server, in Node; its types against the compiler."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
from hashlib import sha256
from pathlib import Path

import pytest

import hardwon
from tests.integrations.environments import CACHE
from tests.programs import needs
from tests.surfaces.serve.served import served

ROOT = Path(__file__).parents[2]
CLIENT = ROOT / "clients" / "typescript"


SDKS = {  # the versions that are tried
    "ai": "6.0.326",
    "@ai-sdk/openai-compatible": "2.0.87",
    "@openai/agents": "0.20.0",
    "openai": "7.55.0",
    "zod": "4.6.7",
}


def run_tests(home: Path, folder: Path, test: str) -> None:
    """Run a file of tests in Node against a real server."""
    node = needs("node", package="nodejs")
    with socket.socket() as nobody, served(home) as server:
        nobody.bind(("127.0.0.1", 0))  # and does not listen
        told = {
            "HARDWON_URL": server.service.url,
            "HARDWON_KEY": server.key(),
            "HARDWON_AWAY": f"http://127.0.0.1:{nobody.getsockname()[1]}",
        }
        done = subprocess.run(
            [node, "--test", test],  # Node 22 and newer take no folder
            cwd=folder,
            env={**os.environ, **told},
            capture_output=True,
            text=True,
        )

    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(autouse=True)
def _no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HARDWON_HOOKS_WAKE", "false")


def test_the_client_works_against_a_server(tmp_path: Path) -> None:
    run_tests(tmp_path, CLIENT, "test/client.test.js")


@pytest.mark.adapters
def test_the_middleware_works_in_the_real_sdks(tmp_path: Path) -> None:
    packages = [f"{name}@{version}" for name, version in SDKS.items()]
    folder = CACHE / f"typescript-{sha256(' '.join(packages).encode()).hexdigest()[:8]}"
    if not (folder / "package-lock.json").exists():
        folder.mkdir(parents=True, exist_ok=True)
        command = [needs("npm", package="npm"), "install", "--no-audit", "--no-fund", *packages]
        subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=540)
    own = folder / "node_modules" / "hardwon"
    shutil.rmtree(own, ignore_errors=True)
    shutil.copytree(CLIENT, own)
    shutil.copy(CLIENT / "test" / "middleware.test.js", folder)

    run_tests(tmp_path, folder, "middleware.test.js")


def test_the_types_say_what_the_client_does() -> None:
    tsc = needs("tsc", package="node-typescript")
    options = ["--noEmit", "--strict", "--target", "es2022", "--module", "nodenext"]

    done = subprocess.run(
        [tsc, *options, "test/types.ts"], cwd=CLIENT, capture_output=True, text=True
    )

    assert done.returncode == 0, done.stdout


def test_the_package_has_the_version_of_the_server() -> None:
    package = json.loads((CLIENT / "package.json").read_text())

    assert package["version"] == hardwon.__version__
    assert not {"dependencies", "devDependencies", "scripts"} & package.keys()
    assert all((CLIENT / name).is_file() for name in package["files"])
