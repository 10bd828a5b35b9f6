"""`hardwon work`."""

from __future__ import annotations

from pathlib import Path

import pytest

import hardwon
from tests.surfaces.cli.printing import Capture, out

pytestmark = pytest.mark.usefixtures("home")


def test_work_once_works_one_job(capsys: Capture, home: Path) -> None:
    for task in "ab":
        hardwon.open(home).agent("coder").after_run(task=task, error="e")

    assert out(capsys, "work", "--once") == "1 done, 0 to retry, 0 given up, 1 waiting\n"
    assert out(capsys, "work", "--drain") == "1 done, 0 to retry, 0 given up, 0 waiting\n"
