"""What the tab key offers."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete

import hardwon
from hardwon.surfaces.cli import cli
from tests.surfaces.cli.printing import Capture, out

pytestmark = pytest.mark.usefixtures("home")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts_are_printed(capsys: Capture, shell: str) -> None:
    assert "_HARDWON_COMPLETE" in out(capsys, "completion", shell)


def test_completion_offers_the_commands(home: Path) -> None:
    asked = {**os.environ, "_HARDWON_COMPLETE": "bash_complete", "COMP_WORDS": "hardwon le"}

    done = subprocess.run(
        [sys.executable, "-m", "hardwon"],
        env={**asked, "COMP_CWORD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.stdout.strip() == "plain,lesson"


def test_tab_offers_verbs_and_the_dead_with_their_story(dead: list[str]) -> None:
    def tab(*before: str, incomplete: str = "") -> dict[str, str | None]:
        completion = ShellComplete(cli, {}, "hardwon", "_HARDWON_COMPLETE")
        found = completion.get_completions(["reflect", *before], incomplete)
        return {item.value: item.help for item in found}

    assert set(tab()) == {"status", "list", "failed", "retry", "purge", "drain"}
    assert tab("retry")[dead[0]] == "build it — no recognized blocks"
    assert set(tab("purge", dead[0])) == set(dead[1:])
    assert set(tab("retry", incomplete=dead[2][:6])) == {dead[2]}
    assert tab("list") == {}


@pytest.mark.parametrize(("typed", "listed"), [("", 2), ("full", 1)])
def test_tab_in_bash_shows_the_task_and_the_error(tmp_path: Path, typed: str, listed: int) -> None:
    program = Path(sys.executable).with_name("hardwon")
    with hardwon.open(tmp_path, model=lambda asked: "no blocks at all") as hw:
        for task in ("deploy the shop *", "bake [the] bread"):
            hw.agent("default").after_run(task=task, error=f"{task}: it burnt")
        hw.drain()
        ids = sorted(job.id for job in hw.queue.dead())
    word = ids[0] if typed else ""
    script = f"""
        source <({program} completion bash)
        COMP_WORDS=(hardwon reflect retry '{word}'); COMP_CWORD=3
        _hardwon_completion {program}
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    environ = {**os.environ, "HARDWON_HOME": str(tmp_path)}
    ran = subprocess.run(["bash", "-c", script], env=environ, capture_output=True, text=True)
    shown = sorted(ran.stdout.splitlines())

    assert [line[:16] for line in shown] == ids[:listed], ran.stderr
    if listed == 1:
        assert shown == ids[:1]
    else:
        assert any("bake" in line and "bread — Reply lacks" in line for line in shown)
        assert any("deploy the shop" in line for line in shown)
