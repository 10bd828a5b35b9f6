"""The client for TypeScript against a real server, in Node; its types against the compiler."""

from __future__ import annotations

import json
import os
import socket
import subprocess
from pathlib import Path

import pytest

import hardwon
from tests.programs import needs
from tests.surfaces.serve.served import served

ROOT = Path(__file__).parents[2]
CLIENT = ROOT / "clients" / "typescript"


def test_the_client_works_against_a_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HARDWON_HOOKS_WAKE", "false")
    node = needs("node", package="nodejs")
    with socket.socket() as nobody, served(tmp_path) as server:
        nobody.bind(("127.0.0.1", 0))  # and does not listen
        told = {
            "HARDWON_URL": server.service.url,
            "HARDWON_KEY": server.key(),
            "HARDWON_AWAY": f"http://127.0.0.1:{nobody.getsockname()[1]}",
        }
        done = subprocess.run(
            [node, "--test", "test/client.test.js"],  # Node 22 and newer take no folder
            cwd=CLIENT,
            env={**os.environ, **told},
            capture_output=True,
            text=True,
        )

    assert done.returncode == 0, done.stdout + done.stderr


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
