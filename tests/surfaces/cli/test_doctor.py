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


@pytest.mark.parametrize(
    ("version", "finding"),
    [
        (hardwon.__version__, f"ok   extras: {hardwon.__version__}\n"),
        ("0.1", f"BAD  extras: 0.1 does not fit hardwon {hardwon.__version__}: `pip install"),
    ],
)
def test_doctor_compares_the_two_halves_of_a_release(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str, finding: str
) -> None:
    about = tmp_path / f"hardwon_extras-{version}.dist-info" / "METADATA"
    about.parent.mkdir()
    about.write_text(f"Metadata-Version: 2.1\nName: hardwon-extras\nVersion: {version}\n")
    monkeypatch.syspath_prepend(tmp_path)

    assert finding in out(capsys, "doctor", code=int(version != hardwon.__version__))


def test_doctor_tells_what_was_set_aside(capsys: Capture, home: Path) -> None:
    hardwon.open(home).agent("coder").after_run(task="t", error="e")
    [record] = (home / "queue" / "wal").iterdir()
    record.write_bytes(record.read_bytes()[:-3])
    out(capsys, "work", "--drain")

    assert "1 unreadable record in quarantine" in out(capsys, "doctor", code=1)
