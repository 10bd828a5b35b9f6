"""One tenant as those see it who look after its agents."""

from __future__ import annotations

from pathlib import Path

import pytest

import hardwon
from hardwon.core.errors import NotFound
from hardwon.core.values.lesson import Status

FAILS, WORKS = {"command": "rm build"}, {"command": "rm -r build"}
ERROR = "rm: cannot remove 'build': Is a directory"


@pytest.fixture
def hw(tmp_path: Path) -> hardwon.Hardwon:
    return hardwon.open(tmp_path / "home")


def fail_and_mend(hw: hardwon.Hardwon, agent: str, tenant: str = "default") -> None:
    worker = hw.agent(agent, project="acme/api", tenant=tenant)
    worker.after_action("bash", FAILS, output=ERROR)
    worker.after_action("bash", WORKS)
    worker.after_run(task="Remove the stale build output")


def test_a_tenant_lists_what_all_its_agents_have(hw: hardwon.Hardwon) -> None:
    fail_and_mend(hw, "coder")
    fail_and_mend(hw, "tester")
    fail_and_mend(hw, "coder", tenant="other")

    own = hw.tenant()

    assert [one.agent for one in own.scopes()] == ["coder", "tester"]
    assert len(own.lessons().rows) == 2
    assert own.counts() == {Status.CANDIDATE: 2}
    assert [one.scope.agent for one in hw.tenant(agent="tester").lessons().rows] == ["tester"]
    (failure,) = own.failures().rows
    assert failure.met == 2
    lesson = own.about(failure)
    assert lesson is not None
    assert lesson.kinds == (failure.kind,)
    with pytest.raises(NotFound):
        hw.tenant("other").lesson(lesson.id)


def test_a_report_is_about_an_agent_or_a_project_in_all_scopes(hw: hardwon.Hardwon) -> None:
    fail_and_mend(hw, "coder")
    fail_and_mend(hw, "tester")
    hw.agent("coder", project="acme/web").after_action("bash", FAILS, output=ERROR)

    def met(**part: str) -> int:
        return sum(count for _, count in hw.tenant(**part).report().met)

    assert (met(), met(agent="coder"), met(agent="tester"), met(project="acme/api")) == (3, 2, 1, 2)
    assert met(agent="coder", project="acme/web") == 1
    assert sum(one.total for one in hw.tenant(agent="tester").report().lessons) == 1


def test_pages_follow_each_other(hw: hardwon.Hardwon) -> None:
    for word in ("squash", "cellar", "violin", "harbour", "lantern"):
        hw.agent("coder").lessons.add(f"before a {word}", f"polish every {word} {word}wise")

    first = hw.tenant().lessons(limit=3)
    second = hw.tenant().lessons(limit=3, after=first.next)

    assert (len(first.rows), len(second.rows), second.next) == (3, 2, None)
    assert not {one.id for one in first.rows} & {one.id for one in second.rows}


def test_runs_at_work_are_told_until_they_end(hw: hardwon.Hardwon) -> None:
    coder = hw.agent("coder", run="one")
    coder.before_turn("Remove the stale build output")
    coder.after_action("bash", FAILS, output=ERROR)
    hw.agent("coder", tenant="other", run="two").before_turn("nothing of yours")

    ((_, _, run),) = hw.tenant().runs()

    assert run.task == "Remove the stale build output"
    assert [step.failed for step in run.steps] == [True]
    coder.end_run()
    assert not hw.tenant().runs()


def test_an_approval_can_be_taken_back(hw: hardwon.Hardwon) -> None:
    fail_and_mend(hw, "coder")
    (before,) = hw.tenant().lessons().rows
    lessons = hw.agent("coder", project="acme/api").lessons

    assert lessons.approve(before.id).status == Status.PROVEN
    assert lessons.undo(before.id) == before
