"""What commands print."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from hardwon.surfaces.cli import run

Capture = pytest.CaptureFixture[str]


def out(capsys: Capture, *arguments: str, code: int = 0) -> str:
    assert run(arguments) == code
    return capsys.readouterr().out


def hardwon(*arguments: str, stdout: int = subprocess.PIPE, **environ: str) -> tuple[int, str, str]:
    """What a process of its own prints: exit code, standard output, standard error."""
    ran = subprocess.run(
        [sys.executable, "-m", "hardwon", *arguments],
        stdout=stdout,
        stderr=subprocess.PIPE,
        env={**os.environ, **environ},
    )
    return ran.returncode, (ran.stdout or b"").decode("latin-1"), ran.stderr.decode("latin-1")
