"""Programs that tests start: installed in set-up where that is possible, else the test skips."""

from __future__ import annotations

import atexit
import functools
import glob
import os
import shutil
import subprocess
import tempfile

import pytest


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
    """The program out of its Debian package, in a folder that goes with this process."""
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        return None
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for command in (["update"], ["download", package]):
        subprocess.run(["apt-get", "--quiet", *command], cwd=folder, capture_output=True)
    for file in glob.glob(f"{folder}/*.deb"):
        subprocess.run(["dpkg", "--extract", file, folder], check=True)
    return shutil.which(program, path=f"{folder}/usr/bin")


@functools.cache
def _installed(program: str, package: str) -> str | None:
    """The program after its Debian package was installed; None where that cannot be done."""
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        return None
    environ = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    for command in (["update"], ["install", "--yes", "--no-install-recommends", package]):
        subprocess.run(["apt-get", "--quiet", *command], env=environ, capture_output=True)
    return shutil.which(program)
