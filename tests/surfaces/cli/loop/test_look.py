"""`hardwon loop`: what was tried is listed and shown."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.learn.trials.commanded import Capture, data, out, refused, succeeded

pytestmark = pytest.mark.usefixtures("place")


def test_loops_are_listed_shown_searched_and_exported(capsys: Capture, tmp_path: Path) -> None:
    succeeded(capsys)

    assert "succeeded" in out(capsys, "list")
    assert "trials: 2 of 5" in out(capsys, "status")
    assert "Reflection on trial 1 (by rules" in out(capsys, "show", "l")
    assert "want yes" in out(capsys, "show", "l", "--trial", "1")
    assert "l/1" in out(capsys, "search", "want")
    assert "(no matches)" in out(capsys, "search", "zebra")
    assert "(no matches)" in out(capsys, "search", "--category", "hallucination")
    assert json.loads(out(capsys, "export", "l"))[0]["loop_id"] == "l"
    assert json.loads(out(capsys, "export", "l", "--published"))[0]["loop_id"] == "ralph-l"
    out(capsys, "export", "l", "--to", str(tmp_path / "there"))
    assert os.listdir(tmp_path / "there") == ["001.json"]


def test_what_is_not_there_is_not_found(capsys: Capture) -> None:
    assert "(no loops)" in out(capsys, "list")
    assert "not found" in refused(capsys, "show", "nothing", code=1)
    assert "no loop found" in refused(capsys, "status", code=1)
    assert "not of the form" in refused(capsys, "show", "a/b")
    succeeded(capsys)
    assert "not found" in refused(capsys, "show", "l", "--trial", "9", code=1)


def test_the_best_trial_is_put_back(capsys: Capture, place: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=place, check=True)
    (place / "kept").write_text("mine\n")
    actor = "n=$(cat n 2>/dev/null || echo 0); echo $((n + 1)) > n; touch made-$n"
    # Two of three checks pass in the second trial, one in the others.
    checks = ["test -e kept", 'test "$(cat n)" = 2', "false"]
    verify = [part for check in checks for part in ("--verify", check)]

    state = data(capsys, "run", "x", "--actor", actor, *verify, "--max-trials", "3", "--id", "l",
                 "--restore-best", code=1)  # fmt: skip

    assert [t["reward"] for t in state["trials"]] == [0.333333, 0.666667, 0.333333]
    assert (place / "n").read_text() == "2\n"
    assert sorted(p.name for p in place.glob("made-*")) == ["made-0", "made-1"]
    patch = (Path(os.environ["HARDWON_HOME"]) / "loops" / "l" / "best.patch").read_text()
    assert "+++ b/n" in patch
    status = ["git", "status", "--porcelain"]
    assert subprocess.check_output(status, cwd=place, text=True).startswith("??")  # index untouched
