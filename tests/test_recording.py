"""What a step teaches, through the public face: what is counted, and when nothing is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import hardwon
from hardwon import Hardwon
from hardwon.core.settings import load
from hardwon.core.values.lesson import Kind, evidence_of
from tests.samples import FAILED, WORKED
from tests.test_doors import MISSING, PYTEST, met_pytest, proven_pytest


@pytest.fixture
def hw() -> Iterator[Hardwon]:
    with hardwon.open("memory:") as opened:
        yield opened


@pytest.mark.parametrize("switch", ["enabled", "on_error", "persist"])
def test_nothing_is_learnt_where_learning_is_off(tmp_path: Path, switch: str) -> None:
    settings = load(str(tmp_path))
    settings = settings._replace(reflexion=settings.reflexion._replace(**{switch: False}))
    with hardwon.open(settings=settings) as hw:
        met_pytest(hw.agent("coder"))

        assert hw.agent("coder").lessons.list(status="all") == []
        assert not hw.tenant().failures().rows


def test_a_failure_is_counted_each_time_it_is_met(hw: Hardwon) -> None:
    proven_pytest(hw)

    (kind,) = hw.tenant().failures().rows
    assert kind.met == 2


def test_a_look_that_finds_nothing_is_no_lesson(hw: Hardwon) -> None:
    nowhere = "ls: cannot access 'nowhere': No such file or directory"
    hw.agent("coder").after_action("bash", "ls nowhere", output=nowhere, failed=True)

    assert hw.agent("coder").lessons.list(status="all") == []


def test_a_fix_that_a_run_was_told_and_applied_in_time_is_counted(hw: Hardwon) -> None:
    for _ in range(2):
        run = hw.agent("coder")
        run.after_action("bash", FAILED.args, output=FAILED.output, failed=True)
        run.after_action("bash", WORKED.args, failed=False)
    warned = hw.agent("coder")
    assert warned.before_action("bash", FAILED.args)
    warned.after_action("bash", WORKED.args, failed=False)

    (lesson,) = hw.agent("coder").lessons.list()
    assert [fix.worked for fix in lesson.fixes] == [3]


def test_a_lesson_for_all_projects_is_not_changed_by_one_that_is_offered_it(hw: Hardwon) -> None:
    words = "pytest is not on the PATH here: call bin/test instead of pytest"
    written = hw.agent("coder").learn(words, situation=MISSING)
    inside = hw.agent("coder", project="api")

    shown = inside.after_action("bash", PYTEST, output=MISSING, failed=True)

    assert [lesson.id for lesson in shown.lessons] == [written.id]
    kept = hw.agent("coder").lessons.get(written.id)
    assert not evidence_of(kept, Kind.OFFERED)
