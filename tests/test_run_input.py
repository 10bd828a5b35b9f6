"""What a program passes at the end of a run."""

from __future__ import annotations

from pathlib import Path

import hardwon
from tests.samples import FAILED, WORKED


class Empty(Exception):
    """An exception that holds nothing and is falsy, as exception groups of some libraries are."""

    def __len__(self) -> int:
        return 0


def test_an_exception_counts_even_one_that_is_falsy(tmp_path: Path) -> None:
    with hardwon.open(tmp_path) as hw:
        assert hw.agent("coder").after_run(task="fold", error=Empty("no room")) is not None
        assert hw.agent("coder").after_run(task="fold", error=[]) is None


def test_steps_that_come_with_the_end_of_a_run_teach_their_fix(tmp_path: Path) -> None:
    with hardwon.open(tmp_path) as hw:
        hw.agent("coder").after_run(task="make a folder", error="no", steps=[FAILED, WORKED])

        (lesson,) = hw.agent("coder").lessons.list(status="all")

    assert ["-p" in fix.text for fix in lesson.fixes] == [True]
