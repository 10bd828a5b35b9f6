"""A file that names commands has to be trusted."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.learn.trials.commanded import ACTOR, CHECK, Capture, data, out, refused

pytestmark = pytest.mark.usefixtures("place")


def test_a_file_names_commands_only_when_it_is_trusted(capsys: Capture, place: Path) -> None:
    file = place / "hardwon.toml"
    file.write_text(f"[loop]\nactor = '''{ACTOR}'''\nverify = ['''{CHECK}''']\nmax_trials = 4\n")

    assert "is not trusted" in refused(capsys, "run", "x")
    assert "is not trusted" in refused(capsys, "run", "x", "--config", str(file))
    out(capsys, "trust", str(file))
    assert data(capsys, "run", "x")["options"]["max_trials"] == 4
    assert data(capsys, "run", "x", "--max-trials", "7")["options"]["max_trials"] == 7

    file.write_text(file.read_text() + "# changed\n")
    assert "has changed" in refused(capsys, "run", "x")


def test_unknown_keys_in_a_trusted_file_are_named(capsys: Capture, place: Path) -> None:
    (place / "hardwon.toml").write_text("[loop]\nverifiers = []\n")

    assert "verifiers" in refused(capsys, "trust", "hardwon.toml")
