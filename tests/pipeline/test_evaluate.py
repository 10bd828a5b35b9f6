"""What follows from the hold-out: verdicts, retirement and return, a share that falls."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import pytest

from hardwon import Agent, Lesson
from hardwon.core.settings import load
from hardwon.core.values.delivery import Unit, is_retired, wording_of
from hardwon.core.values.lesson import Status
from hardwon.engine.pipeline.hold_out import LOW_SHARE, current, review
from hardwon.knowledge.proof.effect import Treatment
from hardwon.storage.stores.sqlite import MemoryStore
from tests.samples import CODER, NOW, lesson
from tests.stored import StoredHardwon, opened
from tests.test_outcomes import BROKEN, MISSING, taught

SHARE = 0.5


@pytest.fixture(params=["memory", "disk"])
def hw(request: pytest.FixtureRequest, tmp_path: Path) -> StoredHardwon:
    settings = load(str(tmp_path))
    settings = settings._replace(proof=settings.proof._replace(share=SHARE))
    target = "memory:" if request.param == "memory" else ""
    return opened(target, settings=settings, clock=lambda: NOW)


def tried(
    hw: StoredHardwon,
    lesson: Lesson,
    *,
    shown: tuple[int, int],
    withheld: tuple[int, int],
    at: datetime = NOW,
    tag: str = "",
    share: float = SHARE,
) -> None:
    """Units of a lesson: how many runs there were in each arm, and in how many it came back."""
    units = hw.store.units
    for is_out, (runs, repeats) in ((False, shown), (True, withheld)):
        for number in range(runs):
            run = f"{tag}{lesson.id}-{is_out}-{number}"
            facts = lesson.kinds[0], "error", is_out, share, at, lesson.id, wording_of(lesson)
            units.log(Unit(lesson.scope, run, *facts))
            outcome = "repeated" if number < repeats else "not met"
            units.settle(lesson.scope, run, lesson.kinds[0], outcome)


def known(agent: Agent) -> Lesson:
    (lesson,) = agent.lessons.list()
    return lesson


class Review(NamedTuple):
    """What a review has changed: lessons, and the share if it was lowered."""

    retired: tuple[int, ...] = ()
    returned: tuple[int, ...] = ()
    share: float | None = None


def reviewed(hw: StoredHardwon, now: datetime = NOW) -> Review:
    lessons, units = hw.agent("coder").lessons, hw.store.units

    def retired() -> set[int]:
        return {lesson.id for lesson in lessons.list() if is_retired(lesson)}

    before, share = retired(), units.share("default")
    review(hw.store, "default", share=SHARE, now=now)
    after, lowered = retired(), units.share("default")
    changed = tuple(after - before), tuple(before - after)
    return Review(*changed, share=None if lowered == share else lowered)


def seen(hw: StoredHardwon, runs: int = 40) -> int:
    """How many of so many new runs are shown the lesson at its error."""
    return sum(
        bool(hw.agent("coder", run=f"{runs}-{n}").after_action("bash", BROKEN, output=MISSING))
        for n in range(runs)
    )


def test_a_useless_lesson_is_retired_and_says_so(hw: StoredHardwon) -> None:
    agent = taught(hw)
    tried(hw, known(agent), shown=(300, 75), withheld=(300, 75))

    found = reviewed(hw)

    lesson = known(agent)
    assert (found.retired, found.returned) == ((lesson.id,), ())
    assert found.share is None  # nothing is proven
    assert is_retired(lesson)
    assert [change.act for change in agent.lessons.history(lesson.id)] == ["retire"]
    verdict = agent.lessons.verdict(lesson.id)
    assert verdict is not None
    assert (verdict.verdict, verdict.is_retired) == ("probably not", True)
    assert verdict.helps == round(verdict.helps, 4)
    assert reviewed(hw) == Review()  # once


def test_a_retired_lesson_is_shown_to_few_runs(tmp_path: Path) -> None:
    settings = load(str(tmp_path))
    settings = settings._replace(proof=settings.proof._replace(share=0.1))
    with opened(settings=settings, clock=lambda: NOW) as hw:
        agent = taught(hw)
        before = seen(hw)
        tried(hw, known(agent), shown=(300, 75), withheld=(300, 75))
        reviewed(hw)

        assert before >= 30
        assert 0 < seen(hw, 100) <= 25


def test_without_a_hold_out_a_retired_lesson_is_not_shown_at_all(tmp_path: Path) -> None:
    settings = load(str(tmp_path))
    on, off = (
        settings._replace(proof=settings.proof._replace(share=share)) for share in (SHARE, 0.0)
    )
    with opened(settings=on, clock=lambda: NOW) as hw:
        agent = taught(hw)
        tried(hw, known(agent), shown=(300, 75), withheld=(300, 75))
        reviewed(hw)

    with opened(settings=off, clock=lambda: NOW) as hw:
        assert seen(hw) == 0


@pytest.mark.parametrize(
    ("shown", "withheld"),
    [((300, 15), (300, 75)), ((10, 5), (10, 5)), ((300, 75), (0, 0))],
    ids=["it helps", "too few", "never withheld"],
)
def test_other_lessons_stay(
    hw: StoredHardwon, shown: tuple[int, int], withheld: tuple[int, int]
) -> None:
    agent = taught(hw)
    tried(hw, known(agent), shown=shown, withheld=withheld)

    assert reviewed(hw).retired == ()
    assert not is_retired(known(agent))


def test_what_is_no_longer_shown_costs_nothing_and_stays(hw: StoredHardwon) -> None:
    agent = taught(hw)
    tried(hw, known(agent), shown=(300, 75), withheld=(300, 75))

    assert reviewed(hw, NOW + timedelta(days=30.5)).retired == ()
    assert reviewed(hw, NOW + timedelta(days=29.5)).retired == (known(agent).id,)


def test_what_is_only_withheld_by_now_costs_nothing_and_stays(hw: StoredHardwon) -> None:
    agent, later = taught(hw), NOW + timedelta(days=40)
    tried(hw, known(agent), shown=(300, 75), withheld=(0, 0))
    tried(hw, known(agent), shown=(0, 0), withheld=(300, 75), at=later)

    assert reviewed(hw, later).retired == ()


def test_a_retired_lesson_comes_back_when_it_helps_after_all(hw: StoredHardwon) -> None:
    agent = taught(hw)
    tried(hw, known(agent), shown=(300, 75), withheld=(300, 75))
    assert reviewed(hw).retired
    tried(hw, known(agent), shown=(400, 8), withheld=(1600, 480), tag="again", share=0.8)

    found = reviewed(hw)

    lesson = known(agent)
    assert found.returned == (lesson.id,)
    assert not is_retired(lesson)
    assert [change.act for change in agent.lessons.history(lesson.id)] == ["return", "retire"]


def test_other_words_are_not_retired(hw: StoredHardwon) -> None:
    agent = taught(hw)
    tried(hw, known(agent), shown=(300, 75), withheld=(300, 75))
    reviewed(hw)

    lesson = agent.lessons.edit(known(agent).id, correction="Call bin/test.")

    assert not is_retired(lesson)
    assert agent.lessons.verdict(lesson.id) is None


@pytest.mark.parametrize(
    "vouch",
    [lambda agent: agent.lessons.undo(), lambda agent: agent.lessons.approve(known(agent).id)],
    ids=["undo", "approve"],
)
def test_a_person_has_the_last_word(hw: StoredHardwon, vouch: Callable[[Agent], object]) -> None:
    agent = taught(hw)
    tried(hw, known(agent), shown=(300, 75), withheld=(300, 75))
    reviewed(hw)

    vouch(agent)

    assert reviewed(hw).retired == ()
    assert not is_retired(known(agent))


def test_the_share_falls_once_it_is_proven_that_lessons_help(hw: StoredHardwon) -> None:
    agent = taught(hw)
    assert reviewed(hw).share is None
    tried(hw, known(agent), shown=(900, 45), withheld=(900, 300))

    assert reviewed(hw).share == LOW_SHARE
    assert reviewed(hw).share is None
    assert hw.report("coder").share == LOW_SHARE
    assert seen(hw, 60) >= 45  # half of them were withheld before; chance decides the rest


def test_the_worker_reviews_once_a_day(tmp_path: Path) -> None:
    now = [NOW]
    settings = load(str(tmp_path))
    settings = settings._replace(proof=settings.proof._replace(share=SHARE))
    with opened(settings=settings, clock=lambda: now[0]) as hw:
        agent = taught(hw)
        hw.drain()
        tried(hw, known(agent), shown=(300, 75), withheld=(300, 75))
        hw.drain()
        assert not is_retired(known(agent))

        now[0] += timedelta(days=1)
        hw.drain()

        assert is_retired(known(agent))


def test_the_report_tells_what_is_believed_about_each_lesson(hw: StoredHardwon) -> None:
    agent = taught(hw)
    lesson = known(agent)
    tried(hw, lesson, shown=(2, 0), withheld=(0, 0))  # the run that taught it was exposed, too

    (verdict,) = hw.report("coder").verdicts

    assert verdict.verdict == "too few (3 of about 100)"
    assert (verdict.lesson, verdict.text) == (lesson.id, lesson.situation)
    assert hw.report("nobody").verdicts == ()


def test_a_treatment_speaks_of_the_lesson_only_while_that_is_active_and_worded_so() -> None:
    store = MemoryStore()
    kept = store.lessons.add(lesson())
    treatment = Treatment(CODER, kept.id, wording_of(kept), ())

    assert current(store, treatment) == kept
    assert current(store, treatment._replace(wording="other")) is None
    assert current(store, treatment._replace(lesson=99)) is None

    store.lessons.update(kept._replace(status=Status.QUARANTINED))
    assert current(store, treatment) is None
