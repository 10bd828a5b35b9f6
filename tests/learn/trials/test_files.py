"""The files of a loop."""

from __future__ import annotations

from pathlib import Path

import hardwon
from tests.learn.trials.looped import TASK, reads_the_prompt, wants_42


def test_a_loop_in_memory_leaves_no_files(tmp_path: Path) -> None:
    with hardwon.open("memory:") as hw:
        done = hw.agent("coder").loops.run(TASK, actor=reads_the_prompt, evaluate=wants_42)
        root = Path(hw.agent("coder").loops.root)
        assert (root / done.loop_id).is_dir()
    del hw

    assert done.passed
    assert not str(root).startswith(str(Path.home()))
