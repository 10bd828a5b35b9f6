"""Where a server may listen, and how it ends."""

from __future__ import annotations

import http.client
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import hardwon
from hardwon.errors import InvalidInput, SetupError, StorageError
from hardwon.service.keys import KeyRing
from hardwon.surfaces.serve.server import Address, Service


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.org"])
def test_an_address_that_others_reach_needs_encryption_and_a_key(host: str, tmp_path: Path) -> None:
    keys = KeyRing(str(tmp_path))

    with pytest.raises(SetupError, match="--tls-cert"):
        Address(host).check(keys)
    with pytest.raises(SetupError, match="hardwon key create"):
        Address(host, is_behind_proxy=True).check(keys)
    key, _ = keys.create()
    Address(host, is_behind_proxy=True).check(keys)
    keys.revoke(key.id)
    with pytest.raises(SetupError, match="hardwon key create"):
        Address(host, is_behind_proxy=True).check(keys)


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost", "127.1.2.3"])
def test_this_machine_needs_neither(host: str, tmp_path: Path) -> None:
    Address(host).check(KeyRing(str(tmp_path)))


def test_a_certificate_needs_its_key(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="belong together"):
        Address(cert="c.pem").check(KeyRing(str(tmp_path)))


def test_a_certificate_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "pem").write_text("nothing")
    address = Address(cert=str(tmp_path / "pem"), key=str(tmp_path / "pem"))

    with hardwon.open(tmp_path / "home") as hw, pytest.raises(SetupError, match="certificate"):
        Service(hw, address)


def test_a_port_that_is_taken_is_named(tmp_path: Path) -> None:
    with hardwon.open(tmp_path) as hw:
        first = Service(hw, Address())
        with pytest.raises(StorageError, match=f"127.0.0.1:{first.port}.*another port"):
            Service(hw, Address(port=first.port))
        first.close()


def test_the_command_serves_until_it_is_told_to_end(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hardwon", "serve", "--port", "0"]
    environ = {**os.environ, "HARDWON_HOME": str(tmp_path)}
    with subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        told = process.stdout.readline() + process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)(/login\?code=\S+)", told)
        assert found, told
        connection = http.client.HTTPConnection("127.0.0.1", int(found[1]), timeout=30)
        connection.request("GET", found[2])
        assert connection.getresponse().status == 303
        process.send_signal(signal.SIGTERM)

        assert process.wait(30) == 0
    connection.close()
