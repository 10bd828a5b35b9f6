"""Verifiers are commands, ended in time and without secrets."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.learn.trials.commanded import Capture, data, refused

pytestmark = pytest.mark.usefixtures("place")


def test_no_verifier_or_one_that_does_not_exist_stops_before_the_first_trial(
    capsys: Capture, place: Path
) -> None:
    acting = ["--actor", "touch acted"]

    assert "no verifier" in refused(capsys, "run", "x", *acting)
    assert "'nosuchtool' not found" in refused(
        capsys, "run", "x", *acting, "--verify", "nosuchtool --all"
    )
    assert "is empty" in refused(capsys, "run", "x", *acting, "--verify", " ")
    assert "no actor" in refused(capsys, "run", "x", "--verify", "true")
    assert not (place / "acted").exists()


def test_a_verifier_that_hangs_is_ended_and_reported(capsys: Capture) -> None:
    state = data(capsys, "run", "x", "--actor", "true", "--verify", "trap '' TERM; sleep 30",
                 "--verify-timeout", "500ms", "--max-trials", "1", "--id", "l", code=1)  # fmt: skip
    judged = data(capsys, "show", "l")["reflections"][0]["evaluator_output"]

    assert state["trials"][0]["category"] == "inefficient_planning"
    assert judged["results"][0]["status"] == "error"
    assert judged["errors"][0]["type"] == "timeout"


def test_verifiers_do_not_see_secrets_unless_told(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_TOKEN", "s3cret")
    running = ["run", "x", "--actor", "true", "--max-trials", "1"]

    data(capsys, *running, "--verify", 'test -z "$MY_TOKEN"')
    data(capsys, *running, "--verify", 'test -n "$MY_TOKEN"', "--pass-env", "MY_TOKEN")


def test_no_secret_of_a_trial_reaches_the_disk(
    capsys: Capture, place: Path, tmp_path: Path
) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6" * 3
    (place / "told").write_text(secret)
    data(capsys, "run", f"use {secret}", "--actor", "cat told", "--verify",
         "echo error: GITHUB_TOKEN=$(cat told) was refused; exit 1", "--max-trials", "1",
         "--id", "l", code=1)  # fmt: skip
    kept = [path for path in (tmp_path / "home").rglob("*") if path.is_file()]

    assert len(kept) > 4
    assert [path.name for path in kept if secret.encode() in path.read_bytes()] == []
