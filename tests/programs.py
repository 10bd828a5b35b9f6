"""Programs that tests start: installed in set-up where that is possible, else the test skips."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess

import pytest


def needs(program: str, *, package: str) -> str:
    """The path of a program; the test skips without it, and fails where CI is set."""
    found = shutil.which(program) or _installed(program, package)
    if found:
        return found
    advice = f"needs {program}: apt-get install {package}"
    if os.environ.get("CI"):
        pytest.fail(advice)
    pytest.skip(advice)


@functools.cache
def _installed(program: str, package: str) -> str | None:
    """The program after its Debian package was installed; None where that cannot be done."""
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        return None
    environ = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    for command in (["update"], ["install", "--yes", "--no-install-recommends", package]):
        subprocess.run(["apt-get", "--quiet", *command], env=environ, capture_output=True)
    return shutil.which(program)
