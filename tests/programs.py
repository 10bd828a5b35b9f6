"""Programs that tests start: installed in set-up where that is possible, else the test skips."""

from __future__ import annotations

import functools
import glob
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

CACHE = Path(__file__).parents[1] / ".venv" / "programs"  # `make clean` removes it
REDIS = (  # the server and the libraries that it needs
    "redis-server redis-tools liblzf1 libhiredis0.14 libjemalloc2 liblua5.1-0 lua-cjson lua-bitop"
)


def needs(program: str, *, package: str, is_service: bool = False) -> str:
    """The path of a program; the test skips without it, and fails where CI is set.

    A package that is a service is only unpacked: to install it would start it.
    """
    get = _unpacked if is_service else _installed
    found = shutil.which(program) or get(program, package)
    if found:
        return found
    advice = f"needs {program}: apt-get install {package}"
    if os.environ.get("CI"):
        pytest.fail(advice)
    pytest.skip(advice)


@functools.cache
def _unpacked(program: str, package: str) -> str | None:
    """The program out of its Debian packages, in a cache; nothing is installed or started."""
    place = CACHE / program
    if not place.exists() and shutil.which("apt-get"):
        _unpack(place, package.split())
    found = shutil.which(program, path=f"{place}/usr/bin:{place}/usr/sbin")
    return found and _wrapped(place, found)


def _unpack(place: Path, packages: list[str]) -> None:
    """Fetch and unpack beside the place, then move there: others may do the same."""
    CACHE.mkdir(parents=True, exist_ok=True)
    folder = tempfile.mkdtemp(dir=CACHE)
    if not all(_fetched(package, folder) for package in packages):
        subprocess.run(["apt-get", "--quiet", "update"], capture_output=True)
        for package in (*packages, *_libraries(packages)):
            _fetched(package, folder)
    for file in glob.glob(f"{folder}/*.deb"):
        subprocess.run(["dpkg-deb", "--extract", file, folder], check=True)
        os.unlink(file)
    try:
        os.rename(folder, place)
    except OSError:
        shutil.rmtree(folder, ignore_errors=True)


def _libraries(packages: list[str]) -> list[str]:
    """What they depend on: another release may call a library otherwise."""
    asked = ["apt-cache", "depends", "--important", *packages]
    told = subprocess.run(asked, capture_output=True, text=True).stdout
    names = (line.split()[-1] for line in told.splitlines() if "Depends: " in line)
    return [name for name in names if name.startswith("lib") and name != "libc6"]


def _fetched(package: str, folder: str) -> bool:
    command = ["apt-get", "--quiet", "download", package]
    return subprocess.run(command, cwd=folder, capture_output=True).returncode == 0


def _wrapped(place: Path, program: str) -> str:
    """A script that starts the program with the libraries it came with."""
    libraries = os.pathsep.join(glob.glob(f"{place}/usr/lib/*-linux-gnu*"))
    script = place / Path(program).name
    if not script.exists():
        own = script.with_name(f"{script.name}.{os.getpid()}")
        own.write_text(f'#!/bin/sh\nLD_LIBRARY_PATH={libraries} exec {program} "$@"\n')
        own.chmod(0o755)
        own.replace(script)
    return str(script)


@functools.cache
def _installed(program: str, package: str) -> str | None:
    """The program after its Debian package was installed; None where that cannot be done."""
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        return None
    environ = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    for command in (["update"], ["install", "--yes", "--no-install-recommends", package]):
        patience = ["-o", "DPkg::Lock::Timeout=600"]  # another test may be installing it
        subprocess.run(
            ["apt-get", "--quiet", *patience, *command], env=environ, capture_output=True
        )
    return shutil.which(program)
