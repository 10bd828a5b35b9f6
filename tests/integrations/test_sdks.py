"""Models given as functions that call the real libraries of providers, against a server of ours."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.integrations.environments import python_with
from tests.models.server import Part, playing, silent

SCRIPT = Path(__file__).parent / "sdk_models.py"
SOURCE = Path(__file__).parents[2] / "src"
LIBRARIES = ["openai", "openai-async", "anthropic", "httpx"]
JSON = ("content-type", "application/json")


def answered(status: int, **headers: str) -> Part:
    body = json.dumps({"error": {"type": "t", "message": "no luck"}}).encode()
    named = ((name.replace("_", "-"), value) for name, value in headers.items())
    return Part(status, body, (JSON, *named))


def worked(library: str, address: str, home: Path) -> dict[str, Any]:
    ran = subprocess.run(
        [python_with("sdks"), str(SCRIPT), library, address, str(home)],
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert ran.returncode == 0, ran.stderr
    found: dict[str, Any] = json.loads(ran.stdout.splitlines()[-1])
    return found


@pytest.mark.adapters
@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("part", [answered(429), answered(503), answered(529), Part(act=silent)])
def test_a_busy_or_silent_server_is_asked_again(library: str, part: Part, tmp_path: Path) -> None:
    with playing(part) as stage:
        became = worked(library, stage.address, tmp_path)

    assert (became["waiting"], became["dead"]) == (1, 0)
    assert "crashed" not in became["error"]


@pytest.mark.adapters
@pytest.mark.parametrize("library", LIBRARIES)
def test_a_server_that_is_away_is_asked_again(library: str, tmp_path: Path) -> None:
    became = worked(library, "http://127.0.0.1:9", tmp_path)

    assert (became["waiting"], became["dead"]) == (1, 0)


@pytest.mark.adapters
@pytest.mark.parametrize("library", LIBRARIES)
def test_the_wait_that_a_server_asks_for_is_kept(library: str, tmp_path: Path) -> None:
    with playing(answered(429, retry_after="90")) as stage:
        became = worked(library, stage.address, tmp_path)

    assert became["wait"] >= 90


@pytest.mark.adapters
@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("status", [400, 401, 404])
def test_a_refusal_is_given_up_with_its_reason(library: str, status: int, tmp_path: Path) -> None:
    with playing(answered(status)) as stage:
        became = worked(library, stage.address, tmp_path)

    assert (became["waiting"], became["dead"]) == (0, 1)
    assert "crashed" not in became["error"]
    assert str(status) in became["error"]
