"""What doctor finds."""

from __future__ import annotations

from pathlib import Path

import pytest

import hardwon
from tests.surfaces.cli.printing import Capture, out

pytestmark = pytest.mark.usefixtures("home")


def test_doctor_points_out_a_model_that_cannot_be_used(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HARDWON_MODEL_NAME", "gpt-5")

    assert "BAD  model: model 'gpt-5' is not of the form" in out(capsys, "doctor", code=1)


def test_doctor_names_the_variables_of_the_published_system(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHATCLI_QUALITY_REFLEXION_QUEUE_WORKERS", "3")

    told = " ".join(out(capsys, "doctor").split())
    assert "queue.workers from CHATCLI_QUALITY_REFLEXION_QUEUE_WORKERS" in told


def test_doctor_is_content_with_a_new_home(capsys: Capture) -> None:
    assert "BAD" not in out(capsys, "doctor")


def test_doctor_tells_what_was_set_aside(capsys: Capture, home: Path) -> None:
    hardwon.open(home).agent("coder").after_run(task="t", error="e")
    [record] = (home / "queue" / "wal").iterdir()
    record.write_bytes(record.read_bytes()[:-3])
    out(capsys, "work", "--drain")

    assert "1 unreadable record in quarantine" in out(capsys, "doctor", code=1)
