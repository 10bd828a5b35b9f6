"""`uvx hardwon install` puts the hooks into a tool that stays, not into uv's cache."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.agents import CACHE, Lab

pytestmark = pytest.mark.e2e

ROOT = Path(__file__).parents[2]
_UV = "uv==0.9.9"


def _pip(*arguments: str) -> None:
    command = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments]
    subprocess.run(command, check=True, capture_output=True, timeout=300)


@pytest.fixture
def uvx() -> Path:
    """The program, from the package index."""
    folder = CACHE / "uv"
    if not (folder / "bin" / "uvx").exists():
        _pip("install", "--target", str(folder), _UV)
    return folder / "bin" / "uvx"


def test_the_tool_is_installed_and_its_hooks_work(uvx: Path, tmp_path: Path) -> None:
    lab, wheels = Lab(tmp_path), tmp_path / "wheels"
    _pip("wheel", "--wheel-dir", str(wheels), str(ROOT))
    environ = {
        "PATH": f"{uvx.parent}:{os.environ['PATH']}",
        "UV_CACHE_DIR": str(lab.home / ".cache" / "uv"),
        "UV_FIND_LINKS": str(wheels),
        "UV_NO_INDEX": "1",
        "UV_OFFLINE": "1",
        "UV_PYTHON": sys.executable,
    }

    said = lab.run([str(uvx), "hardwon", "install", "claude-code", "--yes"], environ)
    hooks = json.loads((lab.home / ".claude" / "settings.json").read_text())["hooks"]
    command = hooks["SessionStart"][0]["hooks"][0]["command"]
    event = json.dumps({"hook_event_name": "SessionStart", "session_id": "s", "cwd": "/"})
    answer = subprocess.run(
        command, shell=True, input=event, text=True, capture_output=True, env=lab.environ
    )

    assert "claude-code: installed" in said
    assert str(lab.home / ".local" / "share" / "uv" / "tools" / "hardwon") in command
    assert ".cache" not in command
    assert (answer.returncode, answer.stdout, answer.stderr) == (0, "", "")
    assert (lab.store / "hook-runs").is_dir()
    assert not (lab.store / "hook.log").exists()
